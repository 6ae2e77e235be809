"""Takes evidence from a running JVM: thread dumps, logs and, where asked for, a heap dump, into one folder."""
