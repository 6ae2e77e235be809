"""Fuzzing of the readers: `make fuzz MINUTES=30`. What it finds is kept in `tests/hostile/corpus`."""
