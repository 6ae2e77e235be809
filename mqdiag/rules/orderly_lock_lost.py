"""An orderly queue is not consumed because this client does not hold the broker's lock for it."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import Subject
from mqdiag.log_events import events, seconds_between
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.consumers import owner, queue_name

RULE = Rule("orderly-lock-lost")


@RULE.ages
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """One finding for each queue with messages, not consumed for a while, without a valid lock."""
    for queue in heap.queues:
        consumer = owner(heap, queue)
        if consumer is None or not consumer.orderly or not consumer.traits.pull_loop:
            continue
        if consumer.message_model != "CLUSTERING" or queue.dropped is not False or not queue.assigned:
            continue
        idle, lock_age = queue.last_consume_age_ms, queue.last_lock_age_ms or 0
        if not queue.messages or queue.in_flight or idle is None or idle < limits["idle_ms"]:
            continue
        if queue.locked is False or lock_age >= limits["lock_age_ms"]:
            yield RULE.case(
                "lock-lost",
                queue,
                subject=Subject.of(queue),
                words={"queue": queue_name(queue), "unlocked": queue.locked is False},
                age_ms=max(idle, lock_age),
            )


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each queue whose pulls were put off for longer than it takes to get another client's lock."""
    for event in events(logs, "queue-unlocked"):
        for row in event.subjects:
            waited = round(seconds_between(row.first, row.last) * 1000)
            if waited >= limits["unlocked_ms"] and waited <= row.count * limits["line_every_ms"]:
                yield RULE.case(
                    "pulls-put-off",
                    subject=Subject.of(row),
                    evidence={"lines": row.count, "waited_ms": waited},
                    rests_on=event.files,
                    over=[row],
                )
