"""The object graph of one dump: index, references, reachability, dominators, collections."""

from mqdiag.graph.heap import Heap
from mqdiag.graph.open import open_dump, open_heap

__all__ = ["Heap", "open_dump", "open_heap"]
