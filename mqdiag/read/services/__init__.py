"""Text of databases, gateways and tools of a host: answers of clients, logs, lists of sockets."""
