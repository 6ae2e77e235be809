"""Reads what a heap holds of RocketMQ: consumers, queues, messages, producers and brokers; begin at `view.py`."""
