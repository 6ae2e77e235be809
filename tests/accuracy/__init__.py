"""Our numbers against the JVM's own and against independent readers; `python -m tests.accuracy` prints the tables."""
