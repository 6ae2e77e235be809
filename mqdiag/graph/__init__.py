"""The object graph of one dump: index, references, reachability, dominators, collections."""
