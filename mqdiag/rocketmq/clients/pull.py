"""The pull consumer, DefaultMQPullConsumer: the application pulls by itself, and the client caches nothing."""

from __future__ import annotations

from mqdiag.facts.heap import KindTraits

TRAITS = KindTraits(
    caches_messages=False,
    count_setting=None,
    size_setting=None,
    pull_loop=False,
    sends_back=False,
    spring_lifecycle=False,
    main_settings=("maxReconsumeTimes",),
)
