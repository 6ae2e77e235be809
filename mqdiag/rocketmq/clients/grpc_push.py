"""The PushConsumer of the gRPC client (since 5.0.0): caches messages for its listener in ProcessQueueImpls."""

from __future__ import annotations

from mqdiag.facts.heap_classes import KindTraits
from mqdiag.rocketmq.grpc.kind import GrpcKind, read_grpc_clients


class GrpcPush(GrpcKind):
    """Its limits are those of the consumer, and it divides them over its queues; each message is acknowledged."""

    name = "grpc-push"
    library = staticmethod(read_grpc_clients)
    traits = KindTraits(
        library="grpc",
        count_setting="maxCacheMessageCount",
        size_setting="maxCacheMessageSizeInBytes",
        size_in_bytes=True,
        limit_scope="consumer",
        pull_loop=False,
        sends_back=False,
        spring_lifecycle=False,
        main_settings=(
            "maxCacheMessageCount",
            "maxCacheMessageSizeInBytes",
            "consumptionThreadCount",
            "receiveBatchSize",
            "longPollingTimeout",
            "maxAttempts",
        ),
    )
    consumer_class = "GrpcPushConsumer"


KIND = GrpcPush()
