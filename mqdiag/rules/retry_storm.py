"""Much of what a group consumes has failed before."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.logs import LogEvent
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.rules.shared.log_events import (
    by_group,
    counted,
    most_frequent,
    most_frequent_counted,
    when,
)
from mqdiag.rules.shared.put_aside import PUT_ASIDE, logged_as_orderly, put_aside
from mqdiag.text import Text, say
from mqdiag.time_ranges import ranges_of

COUNTED = {
    "consume-failures": say("failures in the client's statistics ([CONSUME_FAILED_TPS])"),
    "messages-sent-back": say("messages sent back in the broker's statistics ([SNDBCK_PUT_NUMS])"),
    "consume-exception": say("exceptions of the listener"),
    "consume-returned-null": say("listener calls that returned null"),
    "consume-orderly-suspended": say("orderly listener calls that did not succeed"),
}
"""events that count failures, by kind"""

RULE = Rule(
    name="retry-storm",
    title="A large share of the cached messages failed before",
    why=(
        "A message that a listener fails on goes back to the broker and comes again, up to 16 times. When most"
        " messages fail, the group is busy with retries, and new messages wait behind them."
    ),
    causes=("failing-listener",),
    severities=(Severity.WARNING,),
    remedy=(
        "Look at the exception, or the reason for RECONSUME_LATER, in the application's log.",
        PUT_ASIDE,
        "Or lower maxReconsumeTimes: such a message then goes to the dead letter queue earlier.",
    ),
    references=(
        "MessageExt.reconsumeTimes",
        "ConsumeMessageConcurrentlyService.processConsumeResult",
    ),
    limits={"share": 0.3, "messages": 100, "failures_per_minute": 100},
    explained_by=("listener-throws",),
    in_chain=say("failed messages come again and again"),
)


def fires() -> Facts:
    """Half of 400 cached messages failed before."""
    return example(queue={"messages": 400, "redelivered": 200, "most_redelivered": 3})


def silent() -> Facts:
    """A few of them."""
    return example(queue={"messages": 400, "redelivered": 20, "most_redelivered": 3})


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each group."""
    heap = facts.heap
    assert heap is not None
    for group in dict.fromkeys(queue.group for queue in heap.queues if queue.group is not None):
        rows = [queue for queue in heap.queues if queue.group == group]
        messages = sum(queue.messages for queue in rows)
        failed = sum(queue.redelivered or 0 for queue in rows)
        if failed < limits["messages"] or failed < limits["share"] * messages:
            continue
        yield Draft(
            severity=Severity.WARNING,
            cause="failing-listener",
            confidence=Confidence.MEDIUM,
            confidence_reason=say("after an outage the same is seen while the group catches up"),
            title=say("{redelivered:count} of {messages:count} cached messages of group {group} failed before"),
            subject=Subject(group=group),
            evidence={
                "redelivered": failed,
                "messages": messages,
                "share": round(failed / messages, 4),
                "most_redelivered": max((queue.most_redelivered or 0 for queue in rows), default=0),
            },
            explanation=(
                say(
                    "{share:percent} of the messages in the group's queues have reconsumeTimes above 0, at most"
                    " {most_redelivered:count}."
                ),
            ),
            remedy=_remedy(_is_orderly(heap, group)),
        )


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each group, by the worst minute of the failures that its lines count."""
    assert facts.logs is not None
    for group, parts in by_group(facts.logs, *COUNTED).items():
        found = [event for event in parts if (event.peak_per_minute or 0) >= limits["failures_per_minute"]]
        if found:
            yield _of_lines(group, found, logged_as_orderly(facts.logs, group))


def _is_orderly(heap: HeapFacts, group: str) -> bool | None:
    """Whether all consumers of the group have an orderly listener, or none; None where that is not known."""
    kinds = {consumer.orderly for consumer in heap.consumers if consumer.group == group}
    return kinds.pop() if len(kinds) == 1 else None


def _remedy(orderly: bool | None) -> tuple[Text, ...]:
    own = put_aside(orderly=orderly)
    return tuple(own if line == PUT_ASIDE else line for line in RULE.remedy)


def _of_lines(group: str | None, found: list[LogEvent], orderly: bool | None) -> Draft:
    worst = max(event.peak_per_minute or 0 for event in found)
    return Draft(
        severity=Severity.WARNING,
        cause="failing-listener",
        confidence=Confidence.HIGH,
        title=(
            say("Messages failed up to {failures_per_minute:count} times a minute in group {group}")
            if group
            else say("Messages failed up to {failures_per_minute:count} times a minute")
        ),
        subject=Subject(group=group),
        evidence={
            "failures_per_minute": worst,
            **{event.kind.replace("-", "_"): _failures(event) for event in found},
            **counted(found),
            **most_frequent_counted(*found),
        },
        explanation=tuple(map(_line, found)),
        remedy=_remedy(orderly),
        when=ranges_of(found),
        weight=0.3,
    )


def _failures(event: LogEvent) -> int:
    """What the lines count; the lines themselves where they carry no number."""
    return event.count if event.occurrences is None else event.occurrences


def _line(event: LogEvent) -> Text:
    subjects = most_frequent(event)
    total, what = _failures(event), COUNTED[event.kind]
    if subjects is None:
        return say("{total:count} {what}, {when}.", total=total, what=what, when=when(event))
    return say(
        "{total:count} {what}, {when}; the lines name {subjects}.",
        total=total,
        what=what,
        when=when(event),
        subjects=subjects,
    )
