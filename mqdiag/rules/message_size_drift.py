"""The counter of a queue's cached bytes does not match the bodies in its map."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.facts.bounds import BROKER_BATCH_BYTES, MIB, whole
from mqdiag.findings import Subject
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.consumers import owner, pull_batch, queue_name

RULE = Rule("message-size-drift")


@RULE.whole_graph
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """One finding for each queue whose counter differs from its bodies by more than one pull."""
    for queue in heap.queues:
        if queue.msg_size is None or queue.being_changed is not False or queue.incomplete:
            continue
        consumer = owner(heap, queue)
        largest = queue.largest_body_bytes or 0
        one_pull = max(pull_batch(consumer) * largest, BROKER_BATCH_BYTES)
        drift = queue.msg_size - queue.body_bytes
        # body_bytes counts an array once, even if all messages share it; the counter counts it for each message
        beyond = -drift if drift < 0 else queue.msg_size - queue.messages * largest
        if beyond <= max(one_pull, limits["least_drift_bytes"]):
            continue
        threshold = None if consumer is None else whole(consumer.config.get("pullThresholdSizeForQueue"))
        yield RULE.case(
            "client-bug",
            queue,
            subject=Subject.of(queue),
            evidence={
                "drift_bytes": drift,
                "threshold_mib": threshold,
                "client_version": None if consumer is None else consumer.client_version,
            },
            words={
                "queue": queue_name(queue),
                "stopped": threshold is not None and queue.msg_size // MIB > threshold,
            },
        )
