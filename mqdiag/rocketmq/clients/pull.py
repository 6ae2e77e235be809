"""The pull consumer, DefaultMQPullConsumer: the application pulls by itself, and the client caches nothing."""

from __future__ import annotations

from mqdiag.facts.heap_classes import KindTraits
from mqdiag.rocketmq.remoting import read_remoting_clients
from mqdiag.rocketmq.remoting_kind import RemotingKind


class Pull(RemotingKind):
    """Neither a thread pool nor a cache."""

    name = "pull"
    library = staticmethod(read_remoting_clients)
    traits = KindTraits(
        caches_messages=False,
        count_setting=None,
        size_setting=None,
        pull_loop=False,
        sends_back=False,
        spring_lifecycle=False,
        main_settings=("maxReconsumeTimes",),
    )
    consumer_class = "DefaultMQPullConsumer"
    implementation = "DefaultMQPullConsumer.implementation"
    implementation_consumer = "DefaultMQPullConsumerImpl.consumer"


KIND = Pull()
