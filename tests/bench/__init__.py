"""Benchmarks against peers on the same machine and the same dumps: `make bench`."""
