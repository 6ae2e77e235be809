"""Names the cause when a RocketMQ consumer or broker on the JVM runs out of memory, hangs or answers busy."""

__version__ = "1.0.0"
