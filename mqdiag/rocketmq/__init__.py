"""From the object graph and the threads to the RocketMQ view."""
