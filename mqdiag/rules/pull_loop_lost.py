"""A queue that nobody pulls: its PullRequest is gone."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.heap import QueueFacts
from mqdiag.facts.logs import LogEvent
from mqdiag.findings import Confidence, Finding, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.consumers import owner, queue_name
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import needs_whole_graph, of_remoting_only
from mqdiag.rules.shared.log_events import (
    OUT_OF_MEMORY,
    by_group,
    counted,
    events,
    most_frequent,
    most_frequent_counted,
    only,
    when,
)
from mqdiag.text import NOTHING, Text, say
from mqdiag.time_ranges import ranges_of

EXPIRED_MS = 120_000
"""ProcessQueue.PULL_MAX_IDLE_TIME: a rebalance then takes the queue away and adds it again"""


def _in_chain(finding: Finding) -> Text:
    if finding.subject.topic is None:
        return say("the pulling of its queues has stopped")
    if finding.subject.queue_id is None:
        return say("the pulling of {topic} has stopped")
    return say("the pulling of {topic} queue {queue_id} has stopped")


RULE = Rule(
    name="pull-loop-lost",
    title="A queue has lost its pull request and is not pulled",
    why=(
        "Each queue has one PullRequest, which is sent, answered and put back. An Error in a callback, such as an"
        " OutOfMemoryError, drops it. A rebalance notices after two minutes and adds the queue again. Until then, or"
        " for good when the rebalance hangs, nothing of the queue is consumed."
    ),
    causes=("lost-pull",),
    severities=(Severity.ERROR,),
    remedy=(
        "Restart the consumer.",
        "Look for OutOfMemoryError and for errors in callbacks in the client's log, and cure those.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/1918",
        "RebalanceImpl.updateProcessQueueTableInRebalance: isPullExpired",
    ),
    limits={"last_pull_ms": 60_000},
    explained_by=("consumer-cache-exceeds-heap", "out-of-memory-thread"),
    in_chain=_in_chain,
)


def fires() -> Facts:
    """No request refers to the queue, last pulled three minutes ago."""
    return example(queue={"next_offset": None, "last_pull_age_ms": 180_000})


def silent() -> Facts:
    """A queue that was pulled long ago, with its request waiting."""
    return example(queue={"last_pull_age_ms": 180_000})


@RULE.sees("heap")
@needs_whole_graph
@of_remoting_only(say("the gRPC client has no pull requests"))
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each queue. A pull in progress lasts 30 s at most, so its request would be in the dump."""
    assert facts.heap is not None
    for queue in facts.heap.queues:
        consumer = owner(facts.heap, queue)
        age = queue.last_pull_age_ms
        if consumer is None or not consumer.traits.pull_loop:
            continue
        if not queue.assigned or queue.dropped is not False:
            continue
        if queue.next_offset is None and age is not None and age >= limits["last_pull_ms"]:
            yield _of_queue(queue, age)


def _of_queue(queue: QueueFacts, age_ms: int) -> Draft:
    expired = age_ms >= EXPIRED_MS
    return Draft(
        severity=Severity.ERROR,
        cause="lost-pull",
        confidence=Confidence.HIGH if expired else Confidence.MEDIUM,
        confidence_reason=NOTHING if expired else say("a rebalance notices after 120 s and may repair it"),
        title=say(
            "{queue} has no pull request and was last pulled {last_pull_age_ms:ms} ago", queue=queue_name(queue)
        ),
        subject=Subject(group=queue.group, topic=queue.topic, broker=queue.broker, queue_id=queue.queue_id),
        evidence={"last_pull_age_ms": age_ms, "messages": queue.messages, "lag": queue.lag},
        explanation=(
            say(
                "The queue is assigned to a running consumer and is not dropped, but no reachable PullRequest refers"
                " to it: not in the pull queue, not among those that wait for a retry, and not in a call in progress."
            ),
        ),
        remedy=RULE.remedy,
        age_ms=age_ms,
    )


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each group: a rebalance met queues that nobody had pulled for two minutes."""
    logs = facts.logs
    assert logs is not None
    for group, parts in by_group(logs, "pull-paused").items():
        event = max(parts, key=lambda part: part.count)
        own = {_folder(path) for path in event.files}
        errors, callbacks = (
            sum(one.count for one in events(logs, *kinds) if own & {_folder(path) for path in one.files})
            for kinds in (OUT_OF_MEMORY, ("pull-callback-failed",))
        )
        yield _of_lines(group, event, errors, callbacks)


def _folder(path: str) -> str:
    """Where a log lies: another process has its own."""
    return path.rpartition("/")[0]


def _of_lines(group: str | None, event: LogEvent, out_of_memory: int, callbacks: int) -> Draft:
    again = any(row.count > 1 for row in event.subjects)
    subjects = most_frequent(event)
    explained = [
        say(
            "{lines:count} {lines:line|lines} `[BUG]doRebalance … because pull is pause` {when}.",
            when=when(event),
        ),
        say("The rebalance took each queue away and added it again, so its pulling may have gone on."),
    ]
    if subjects is not None:
        explained.append(say("The lines name {subjects}.", subjects=subjects))
    if out_of_memory:
        explained.append(
            say(
                "The logs show {out_of_memory_errors:count}"
                " {out_of_memory_errors:OutOfMemoryError|OutOfMemoryErrors}, which end pull loops."
            )
        )
    if callbacks:
        explained.append(
            say("The pull thread or a callback failed {failed_callbacks:count} {failed_callbacks:time|times}.")
        )
    return Draft(
        severity=Severity.ERROR,
        cause="lost-pull",
        confidence=Confidence.HIGH if again else Confidence.MEDIUM,
        confidence_reason=(
            NOTHING if again else say("each queue is named once: the rebalance may have repaired it")
        ),
        title=say(
            "Queues were not pulled for two minutes: a rebalance had to add one again {lines:count}"
            " {lines:time|times}"
        ),
        subject=Subject(group=group, topic=only(event, "topic"), broker=only(event, "broker")),
        evidence={
            "lines": event.count,
            "queues": len(event.subjects) + event.subjects_left_out,
            "out_of_memory_errors": out_of_memory,
            "failed_callbacks": callbacks,
            **counted([event]),
            **most_frequent_counted(event),
        },
        explanation=tuple(explained),
        remedy=RULE.remedy,
        rests_on=event.files,
        when=ranges_of([event]),
        weight=0.5,
    )
