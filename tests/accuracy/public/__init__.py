"""mqdiag held against evidence that people posted in public, with a truth that was written before it was run."""
