"""Failed messages cannot be sent back to the broker and go round in the client."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.consumers import running
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import needs_graph, of_remoting_only
from mqdiag.rules.shared.log_events import (
    by_group,
    counted,
    most_frequent,
    most_frequent_counted,
    when,
)
from mqdiag.text import Text, say
from mqdiag.time_ranges import ranges_of

FAILED = "send-back-failed"
REFUSED = "send-back-refused"
"""a message is counted under it first, and under FAILED too when it could not be sent as a new one either"""

RULE = Rule(
    name="send-back-failing",
    title="Failed messages cannot be sent back to the broker",
    why=(
        "A message that the listener fails on is sent back to the broker. When that fails too, the client keeps the"
        " message and calls the listener again after 5 s. The messages stay in the heap, the offset does not move, and"
        " the same messages fail again and again."
    ),
    causes=("send-back-failing",),
    severities=(Severity.WARNING,),
    remedy=(
        "Look for `sendMessageBack Exception` in the client's log: it names the broker's answer.",
        "Look at the broker: it may be busy, have only a slave left, refuse the permission, or have a size limit"
        " below the message's size.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/4226",
        "ConsumeMessageConcurrentlyService.submitConsumeRequestLater",
    ),
    limits={"requests": 10, "lines": 10},
)


def fires() -> Facts:
    """Two hundred requests wait for a retry."""
    return example(consumer={"resubmits": 200})


def silent() -> Facts:
    """One does."""
    return example(consumer={"resubmits": 1})


@RULE.sees("heap")
@needs_graph
@of_remoting_only(say("the gRPC client does not send messages back"))
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each consumer."""
    heap = facts.heap
    assert heap is not None
    for consumer in heap.consumers:
        count = consumer.resubmits
        if not consumer.traits.sends_back or not running(consumer):
            continue
        if count is None or count < limits["requests"]:
            continue
        yield Draft(
            severity=Severity.WARNING,
            cause="send-back-failing",
            confidence=Confidence.MEDIUM,
            confidence_reason=say("requests that a thread pool refused wait in the same queue"),
            title=say(
                "{resubmits:count} failed {resubmits:request|requests} of group {group} {resubmits:waits|wait} for a"
                " retry in the client"
            ),
            subject=Subject(group=consumer.group),
            evidence={"resubmits": count, "messages": consumer.messages},
            explanation=(
                say(
                    "{resubmits:count} {resubmits:task waits|tasks wait} in the consumer's scheduled executor. Only"
                    " requests whose messages could not be sent back go there."
                ),
            ),
            remedy=RULE.remedy,
        )


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each group."""
    logs = facts.logs
    assert logs is not None
    failed = by_group(logs, FAILED)
    for group, refused in by_group(logs, REFUSED).items():
        failed.setdefault(group, refused)
    for group, parts in failed.items():
        event = max(parts, key=lambda part: part.count)
        if event.count >= limits["lines"]:
            yield _of_lines(group, event)


def _of_lines(group: str | None, event: LogEvent) -> Draft:
    subjects = most_frequent(event)
    return Draft(
        severity=Severity.WARNING,
        cause="send-back-failing",
        confidence=Confidence.HIGH,
        title=_title(group, event),
        subject=Subject(group=group),
        evidence={
            "lines": event.count,
            "peak_per_minute": event.peak_per_minute,
            **counted([event]),
            **most_frequent_counted(event),
        },
        explanation=(
            say("{lines:count} lines about a failed send-back, {when}.", when=when(event)),
            *(() if subjects is None else (say("The lines name {subjects}.", subjects=subjects),)),
        ),
        remedy=RULE.remedy,
        when=ranges_of([event]),
        weight=0.3,
    )


def _title(group: str | None, event: LogEvent) -> Text:
    if event.kind == FAILED:
        if group:
            return say("{lines:count} times a failed message of group {group} could not be sent back")
        return say("{lines:count} times a failed message could not be sent back")
    if group:
        return say(
            "{lines:count} times the broker refused a failed message of group {group}, and the client sent it as a new"
            " one"
        )
    return say("{lines:count} times the broker refused a failed message, and the client sent it as a new one")
