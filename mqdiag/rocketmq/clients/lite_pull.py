"""The lite pull consumer, DefaultLitePullConsumer (since 4.6.0): caches what its application takes with poll()."""

from __future__ import annotations

from mqdiag.facts.heap_classes import KindTraits
from mqdiag.graph.heap import Nodes
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.remoting import read_remoting_clients
from mqdiag.rocketmq.remoting_kind import Consumer, RemotingKind
from mqdiag.rocketmq.workers import Pool


class LitePull(RemotingKind):
    """Its own threads pull; the requests wait in a cache of the implementation until poll() takes them."""

    name = "lite-pull"
    library = staticmethod(read_remoting_clients)
    traits = KindTraits(
        pull_loop=False,
        sends_back=False,
        polled=True,
        spring_lifecycle=False,
        main_settings=(
            "pullThresholdForQueue",
            "pullThresholdSizeForQueue",
            "pullThresholdForAll",
            "pullBatchSize",
            "consumeMaxSpan",
            "pullThreadNums",
        ),
    )
    consumer_class = "DefaultLitePullConsumer"
    implementation = "DefaultLitePullConsumer.implementation"
    implementation_consumer = "DefaultLitePullConsumerImpl.consumer"

    def waiting(self, consumer: Consumer, pool: Pool | None) -> Nodes:
        """Requests that poll() has not taken yet."""
        heap = consumer.client.heap
        return fields.members(heap, consumer.implementation, "DefaultLitePullConsumerImpl.requests")


KIND = LitePull()
