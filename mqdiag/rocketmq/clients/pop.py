"""The push consumer in POP mode (since 5.0.0): only the requests of its pool hold messages."""

from __future__ import annotations

from mqdiag.facts.heap import QueueFacts
from mqdiag.facts.heap_classes import KindTraits
from mqdiag.graph.heap import Nodes
from mqdiag.read.hprof.distinct import distinct
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.remoting import read_remoting_clients
from mqdiag.rocketmq.remoting_kind import Consumer, RemotingKind
from mqdiag.rocketmq.workers import Pool, Requests, read_pool


class Pop(RemotingKind):
    """PopProcessQueues count messages that are not acknowledged, and hold none."""

    name = "pop"
    library = staticmethod(read_remoting_clients)
    traits = KindTraits(
        count_setting="popThresholdForQueue",
        size_setting=None,
        messages_in_queues=False,
        pull_loop=False,
        sends_back=False,
        main_settings=(
            "pullThresholdForQueue",
            "pullThresholdSizeForQueue",
            "pullThresholdForTopic",
            "pullThresholdSizeForTopic",
            "popThresholdForQueue",
            "pullBatchSize",
            "consumeConcurrentlyMaxSpan",
            "consumeThreadMin",
            "consumeThreadMax",
            "consumeMessageBatchMaxSize",
            "consumeTimeout",
            "maxReconsumeTimes",
        ),
    )
    consumer_class = "DefaultMQPushConsumer"
    implementation = "DefaultMQPushConsumer.implementation"
    implementation_consumer = "DefaultMQPushConsumerImpl.consumer"
    batch_setting = "popBatchNums"

    def claims(self, pop_queues: int) -> bool:
        """Those that have a PopProcessQueue."""
        return pop_queues > 0

    def pool(self, consumer: Consumer) -> Pool | None:
        """The pool of the pop service."""
        roles = "DefaultMQPushConsumerImpl.pop_service", "ConsumeService.executor"
        heap = consumer.client.heap
        return read_pool(heap, fields.ref(heap, consumer.implementation, *roles))

    def outside_queues(self, consumer: Consumer, requests: Requests) -> Nodes:
        """Messages of its queued and running requests."""
        consumers = fields.refs(consumer.client.heap, requests.services, "ConsumeService.consumer")
        ours = consumers[requests.message_owners] == consumer.node
        return distinct(requests.messages[ours])

    def bounded_queues(self, consumer: Consumer, rows: list[QueueFacts]) -> int:
        """Its PopProcessQueues."""
        return consumer.pop_queues


KIND = Pop()
