"""A queue that nobody pulls: its PullRequest is gone."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import Subject
from mqdiag.log_events import OUT_OF_MEMORY, by_group, events, folder_of, only
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.consumers import owner, queue_name

RULE = Rule("pull-loop-lost")
EXPIRED_MS = 120_000
"""ProcessQueue.PULL_MAX_IDLE_TIME: a rebalance then takes the queue away and adds it again"""


@RULE.whole_ages
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """One finding for each queue. A pull in progress lasts 30 s at most, so its request would be in the dump."""
    for queue in heap.queues:
        consumer = owner(heap, queue)
        age = queue.last_pull_age_ms
        if consumer is None or not consumer.traits.pull_loop:
            continue
        if not queue.assigned or queue.dropped is not False:
            continue
        if queue.next_offset is None and age is not None and age >= limits["last_pull_ms"]:
            yield RULE.case(
                "not-repaired" if age >= EXPIRED_MS else "not-yet-repaired",
                queue,
                subject=Subject.of(queue),
                words={"queue": queue_name(queue)},
                age_ms=age,
            )


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each group: a rebalance met queues that nobody had pulled for two minutes."""
    for group, parts in by_group(logs, "pull-paused").items():
        event = max(parts, key=lambda part: part.count)
        own = {folder_of(path) for path in event.files}
        errors, callbacks = (
            sum(one.count for one in events(logs, *kinds) if own & {folder_of(path) for path in one.files})
            for kinds in (OUT_OF_MEMORY, ("pull-callback-failed",))
        )
        again = any(row.count > 1 for row in event.subjects)
        yield RULE.case(
            "added-again-and-again" if again else "added-again",
            events=[event],
            subject=Subject(group=group, topic=only(event, "topic"), broker=only(event, "broker")),
            evidence={
                "queues": len(event.subjects) + event.subjects_left_out,
                "out_of_memory_errors": errors,
                "failed_callbacks": callbacks,
            },
        )
