"""Listeners hold messages for longer than consumeTimeout."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.log_events import (
    by_group,
    counted,
    most_frequent,
    most_frequent_counted,
    only,
    when,
)
from mqdiag.rules.shared.standstill import STANDSTILL_RULES
from mqdiag.text import say
from mqdiag.time_ranges import ranges_of

RULE = Rule(
    name="expired-message-sent-back",
    title="Messages were in a listener for longer than consumeTimeout and went back to the broker",
    why=(
        "Every consumeTimeout minutes the client sends back messages that a listener has had for longer than that, at"
        " most 16 of a queue at a time, so that the offset can advance. The thread stays stuck, and another thread"
        " consumes the message again. Before it goes back, a message may be stuck for twice consumeTimeout."
    ),
    causes=("stuck-listener",),
    severities=(Severity.WARNING,),
    remedy=(
        "Find out where the listener hangs: take five thread dumps some seconds apart, or a heap dump (mqdiag stacks,"
        " mqdiag heap). Give its remote calls a timeout.",
        "Make the listener idempotent: the broker delivers the message again while the first thread still works on it.",
        "Raise consumeTimeout only where such long work is intended.",
    ),
    references=(
        "article 004: ACK and offsets",
        "ProcessQueue.cleanExpiredMsg",
        "https://github.com/apache/rocketmq/pull/5481",
    ),
    explained_by=STANDSTILL_RULES,
    in_chain=say("expired messages are sent back and delivered again"),
)


def _facts(kind: str) -> Facts:
    event = LogEvent(
        kind=kind,
        side="client",
        count=17,
        first="2026-11-21T12:02:00",
        last="2026-11-21T12:03:00",
        peak_per_minute=16,
        peak_at="2026-11-21T12:02:00",
        subjects=(LogSubject(group="CID_wash", topic="segments", queue_id=1, count=17),),
    )
    return Facts(logs=LogsFacts(events=(event,)))


def fires() -> Facts:
    """Seventeen messages went back."""
    return _facts("expired-sent-back")


def silent() -> Facts:
    """Failed messages went back, which is another fault."""
    return _facts("consume-exception")


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each group; one for all lines that name none, as those of 4.x clients."""
    logs = facts.logs
    assert logs is not None
    for group, parts in by_group(logs, "expired-sent-back").items():
        event = max(parts, key=lambda part: part.count)
        subjects = most_frequent(event)
        yield Draft(
            severity=Severity.WARNING,
            cause="stuck-listener",
            confidence=Confidence.HIGH,
            title=say(
                "{messages:count} {messages:message was|messages were} in a listener for longer than consumeTimeout and"
                " {messages:was|were} sent back"
            ),
            subject=Subject(group=group, topic=only(event, "topic")),
            evidence={
                "messages": event.count,
                "peak_per_minute": event.peak_per_minute,
                **counted([event]),
                **most_frequent_counted(event),
            },
            explanation=(
                say("{messages:count} {messages:line|lines} `send expire msg back` {when}.", when=when(event)),
                *(() if subjects is None else (say("The lines name {subjects}.", subjects=subjects),)),
            ),
            remedy=RULE.remedy,
            when=ranges_of(parts),
            weight=0.4,
        )
