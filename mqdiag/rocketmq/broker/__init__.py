"""Reads the brokers of a heap: BrokerController, its store, its request queues; begin at `broker_facts.py`."""
