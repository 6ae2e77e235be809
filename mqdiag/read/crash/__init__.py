"""What the JVM writes when it crashes: the report, a part of it, or its head on a console."""
