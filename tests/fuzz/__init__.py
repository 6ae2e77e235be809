"""Fuzzing of the readers: `make fuzz MINUTES=30`. What it finds becomes a seed in `tests/hostile`."""
