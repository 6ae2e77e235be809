"""The hprof format, 1.0.1 and 1.0.2."""
