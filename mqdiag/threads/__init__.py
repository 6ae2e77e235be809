"""Thread dumps of one JVM, aligned over samples: who stands still, on what, and who holds it."""

from mqdiag.threads.build import stacks_facts

__all__ = ["stacks_facts"]
