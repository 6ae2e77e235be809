"""A consumer holds back its own pulls: what its counters say since it started."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.bounds import whole
from mqdiag.facts.heap import ConsumerFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.any._flow_control_joined import joined
from mqdiag.rules.any._flow_control_logs import in_logs
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.consumers import running, uptime_ms
from mqdiag.rules.shared.example_consumer import CONSUMER, example
from mqdiag.rules.shared.graph_needed import without_graph
from mqdiag.text import NOTHING, say

DELAY_MS = 50
"""a held-back queue is looked at again after this time, in every version"""
COUNTERS = {
    "flowControlTimes1": "count",
    "flowControlTimes2": "span",
    "queueFlowControlTimes": "count-or-size",
    "queueMaxSpanFlowControlTimes": "span",
    "consumeRequestFlowControlTimes": "waiting-requests",
}
"""fields of the implementation object up to 4.1.0, since 4.2.0, and of lite pull"""


def fires() -> Facts:
    """5,000 held-back pulls in an hour."""
    return example(consumer={"state": {**CONSUMER.state, "queueFlowControlTimes": 5000}})


def silent() -> Facts:
    """A short peak."""
    return example(consumer={"state": {**CONSUMER.state, "queueFlowControlTimes": 900}})


@rule(
    name="flow-control",
    title="A consumer holds back its pulls because its cache is full",
    why=(
        "Before each pull the client compares its cache with pullThresholdForQueue, pullThresholdSizeForQueue and"
        " consumeConcurrentlyMaxSpan and waits 50 ms above one of them. That protects the heap and is not the fault:"
        " the listener is slower than what arrives, messages are large, or one message is stuck."
    ),
    causes=("count-or-size", "span", "waiting-requests", "count", "size", "pop"),
    severities=(Severity.WARNING, Severity.INFO),
    remedy=(
        "By count: make the listener faster or raise consumeThreadMin; by size: look at the largest messages; by span:"
        " find the stuck message.",
        "Raise a threshold only when the heap has room for it on all queues.",
    ),
    references=(
        "DefaultMQPushConsumerImpl.pullMessage: queueFlowControlTimes, queueMaxSpanFlowControlTimes",
        "https://github.com/apache/rocketmq/pull/171",
    ),
    any_of=("heap", "logs"),
    limits={"times": 1000, "continuous_queues": 0.9, "continuous_after_ms": 600_000},
    explained_by=(
        "stuck-consumer-thread",
        "offset-stuck-at-head",
        "stuck-socket-read",
        "stuck-wait",
        "lock-convoy",
    ),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each group and reason, whether its heap, its logs or both show it."""
    of_heap = [] if facts.heap is None else list(_in_heap(facts.heap, limits))
    of_logs = list(in_logs(facts, limits, check.card.remedy[-1]))
    yield from joined(facts.heap, of_heap, of_logs)


def _in_heap(heap: HeapFacts, limits: Limits) -> Iterator[Draft | Skip]:
    skip = without_graph(heap)
    if skip is not None:
        yield skip
        return
    for consumer in heap.consumers:
        found = {name: whole(consumer.state.get(name)) or 0 for name in COUNTERS}
        if running(consumer) and sum(found.values()) >= limits["times"]:
            yield _draft(heap, consumer, found, limits)


def _draft(heap: HeapFacts, consumer: ConsumerFacts, found: dict[str, int], limits: Limits) -> Draft:
    times, uptime = sum(found.values()), uptime_ms(heap, consumer)
    held = None if uptime is None else times * DELAY_MS / uptime
    lasting = uptime is not None and uptime >= limits["continuous_after_ms"]
    continuous = held is not None and lasting and held >= limits["continuous_queues"]
    kind = COUNTERS[max(found, key=lambda name: found[name])]
    since = "" if uptime is None else say(" in {uptime:ms}", uptime=uptime)
    mean = (
        say("The time since its start is not known, so neither is the share.")
        if held is None
        else say(
            (
                "At {delay_ms} ms each that is {held:decimal} queues held back at once, as a mean since the"
                " start."
            ),
            delay_ms=DELAY_MS,
            held=held,
        )
    )
    return Draft(
        severity=Severity.WARNING if continuous else Severity.INFO,
        cause=kind,
        confidence=Confidence.HIGH if continuous else Confidence.MEDIUM,
        confidence_reason=NOTHING if continuous else say("the counters do not tell when it was"),
        title=say(
            "Group {group} held back {times:count} pulls{since}, mostly by {kind}",
            group=consumer.group,
            times=times,
            since=since,
            kind=say(kind.replace("-", " ")),
        ),
        subject=Subject(group=consumer.group),
        evidence={
            "times": times,
            "uptime_ms": uptime,
            "queues_held_back": None if held is None else round(held, 3),
            **{name: value for name, value in found.items() if name in consumer.state},
        },
        explanation=(
            say(
                "The consumer counted {times:count} pulls that it put off because a threshold was exceeded.",
                times=times,
            ),
            mean,
        ),
        remedy=check.card.remedy,
    )
