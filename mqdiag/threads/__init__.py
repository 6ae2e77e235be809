"""Thread dumps of one JVM, aligned over samples."""
