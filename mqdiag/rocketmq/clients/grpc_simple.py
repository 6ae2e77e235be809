"""The SimpleConsumer of the gRPC client (since 5.0.0): what receive() gave is the application's until its ack()."""

from __future__ import annotations

from mqdiag.facts.heap_classes import KindTraits
from mqdiag.rocketmq.grpc.kind import GrpcKind, read_grpc_clients


class GrpcSimple(GrpcKind):
    """It caches nothing and has no listener."""

    name = "grpc-simple"
    library = staticmethod(read_grpc_clients)
    traits = KindTraits(
        library="grpc",
        caches_messages=False,
        count_setting=None,
        size_setting=None,
        limit_scope="consumer",
        messages_in_queues=False,
        pull_loop=False,
        sends_back=False,
        application_holds=True,
        spring_lifecycle=False,
        main_settings=("awaitDuration", "requestTimeout"),
    )
    consumer_class = "GrpcSimpleConsumer"


KIND = GrpcSimple()
