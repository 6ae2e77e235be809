"""The lite pull consumer, DefaultLitePullConsumer (since 4.6.0): caches what its application takes with poll()."""

from __future__ import annotations

from mqdiag.facts.heap import KindTraits

TRAITS = KindTraits(
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
