"""The kinds of consumers, one module each: how a kind is found, where it caches messages, what limits it."""
