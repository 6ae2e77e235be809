"""The push consumer, DefaultMQPushConsumer: pulls in the background and calls a listener."""

from __future__ import annotations

from mqdiag.facts.heap_classes import KindTraits
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.remoting import read_remoting_clients
from mqdiag.rocketmq.remoting_kind import Consumer, RemotingKind
from mqdiag.rocketmq.workers import Pool, read_pool


class Push(RemotingKind):
    """Messages wait in the map of their ProcessQueue and, as requests, in the queue of the pool."""

    name = "push"
    library = staticmethod(read_remoting_clients)
    traits = KindTraits()
    consumer_class = "DefaultMQPushConsumer"
    implementation = "DefaultMQPushConsumer.implementation"
    implementation_consumer = "DefaultMQPushConsumerImpl.consumer"

    def claims(self, pop_queues: int) -> bool:
        """All that do not pop."""
        return not pop_queues

    def pool(self, consumer: Consumer) -> Pool | None:
        """The pool of the concurrent or orderly service."""
        roles = "DefaultMQPushConsumerImpl.service", "ConsumeService.executor"
        heap = consumer.client.heap
        return read_pool(heap, fields.ref(heap, consumer.implementation, *roles))


KIND = Push()
