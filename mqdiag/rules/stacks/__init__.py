"""Rules over a series of thread dumps."""
