"""A queue that nobody pulls: its PullRequest is gone."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.any._pull_loop_lost_logs import in_logs
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.consumers import owner, queue_name
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import without_whole_graph
from mqdiag.text import NOTHING, say

EXPIRED_MS = 120_000
"""ProcessQueue.PULL_MAX_IDLE_TIME: a rebalance then takes the queue away and adds it again"""


def fires() -> Facts:
    """No request refers to the queue, last pulled three minutes ago."""
    return example(queue={"next_offset": None, "last_pull_age_ms": 180_000})


def silent() -> Facts:
    """A queue that was pulled long ago, with its request waiting."""
    return example(queue={"last_pull_age_ms": 180_000})


@rule(
    name="pull-loop-lost",
    title="A queue has lost its pull request and is not pulled",
    why=(
        "One PullRequest for each queue goes round: pulled, answered, put back. An Error in a callback, such as an"
        " OutOfMemoryError, drops it. A rebalance notices after two minutes and adds the queue again; until then, or"
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
    any_of=("heap", "logs"),
    limits={"last_pull_ms": 60_000},
    explained_by=("consumer-cache-exceeds-heap", "out-of-memory-thread"),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each queue of a heap, and one for what the logs say."""
    if facts.heap is not None:
        yield from _in_heap(facts, facts.heap, limits)
    yield from in_logs(facts, check.card.remedy)


def _in_heap(facts: Facts, heap: HeapFacts, limits: Limits) -> Iterator[Draft | Skip]:
    """A pull on its way lasts 30 s at most, so a request would be in sight."""
    skip = without_whole_graph(facts)
    if skip is not None:
        yield skip
        return
    for queue in heap.queues:
        age = queue.last_pull_age_ms
        consumer = owner(heap, queue)
        if consumer is None or not consumer.traits.pull_loop:
            continue
        if not queue.assigned or queue.dropped is not False:
            continue
        if queue.next_offset is not None or age is None or age < limits["last_pull_ms"]:
            continue
        expired = age >= EXPIRED_MS
        yield Draft(
            severity=Severity.ERROR,
            cause="lost-pull",
            confidence=Confidence.HIGH if expired else Confidence.MEDIUM,
            confidence_reason=NOTHING if expired else say("a rebalance notices after 120 s and may repair it"),
            title=say(
                "{queue_name} has no pull request and was last pulled {age:ms} ago",
                queue_name=queue_name(queue),
                age=age,
            ),
            subject=Subject(group=queue.group, topic=queue.topic, broker=queue.broker, queue_id=queue.queue_id),
            evidence={"last_pull_age_ms": age, "messages": queue.messages, "lag": queue.lag},
            explanation=(
                say(
                    "The queue is assigned to a running consumer and not dropped, and no reachable PullRequest refers to"
                    " it: neither in the pull queue, nor waiting to be tried again, nor in a call that is on its way."
                ),
            ),
            remedy=check.card.remedy,
        )
