"""The broker's side of a heap: BrokerController, its store, its queues.

Structure decides which names are read, never the version: fields that were renamed are tried newest first.
"""
