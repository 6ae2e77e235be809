"""The counter of a queue's cached messages does not match the number of messages in its map."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.facts.bounds import whole
from mqdiag.findings import Subject
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.client_bugs import has_bug
from mqdiag.rules.shared.consumers import owner, pull_batch, queue_name

RULE = Rule("message-count-drift")


@RULE.whole_graph
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """One finding for each queue whose counter differs from its map by more than one pull."""
    for queue in heap.queues:
        if queue.msg_count is None or queue.being_changed is not False or queue.incomplete:
            continue
        consumer = owner(heap, queue)
        drift = queue.msg_count - queue.messages
        if abs(drift) <= max(pull_batch(consumer), limits["least_drift"]):
            continue
        threshold = None if consumer is None else whole(consumer.config.get("pullThresholdForQueue"))
        version = None if consumer is None else consumer.client_version
        yield RULE.case(
            "client-bug",
            queue,
            subject=Subject.of(queue),
            evidence={"drift": drift, "threshold": threshold, "client_version": version},
            words={
                "queue": queue_name(queue),
                "stopped": threshold is not None and queue.messages <= threshold < queue.msg_count,
            },
            given={"bug": (has_bug(version, RULE.word("affected"), (3, 5, 3), (4, 2, 0)),)},
        )
