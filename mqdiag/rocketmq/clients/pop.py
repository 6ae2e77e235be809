"""The push consumer in POP mode (since 5.0.0): only the requests of its executor hold messages."""

from __future__ import annotations

from mqdiag.facts.heap import KindTraits

TRAITS = KindTraits(
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
