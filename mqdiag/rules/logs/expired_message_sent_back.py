"""Listeners hold messages for longer than consumeTimeout."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.log_events import by_group, only, rows_said, when
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.text import say
from mqdiag.time_ranges import ranges_of


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
    """Failed messages went back, which is another matter."""
    return _facts("consume-exception")


@rule(
    name="expired-message-sent-back",
    title="Messages were in a listener for longer than consumeTimeout and went back to the broker",
    why=(
        "Every consumeTimeout minutes the client sends back what a listener has had for longer than that, at most 16"
        " messages of a queue at a time, so that the offset can move on. The thread stays stuck, the message is"
        " consumed once more by another thread, and a message may be stuck for twice consumeTimeout before."
    ),
    causes=("stuck-listener",),
    severities=(Severity.WARNING,),
    remedy=(
        "Find out where the listener hangs: five thread dumps some seconds apart, or a heap dump (mqdiag stacks,"
        " mqdiag heap); give remote calls in it a time-out.",
        "Make the listener idempotent: the same message is delivered again while the first thread still works on it.",
        "Raise consumeTimeout only where such long work is meant.",
    ),
    references=(
        "article 004: ACK and offsets",
        "ProcessQueue.cleanExpiredMsg",
        "https://github.com/apache/rocketmq/pull/5481",
    ),
    needs=("logs",),
    explained_by=("stuck-consumer-thread", "stuck-socket-read", "stuck-wait", "lock-convoy", "deadlock"),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each group; one for all lines of clients that name none, as 4.x does."""
    logs = facts.logs
    assert logs is not None
    for group, parts in by_group(logs, "expired-sent-back").items():
        event = max(parts, key=lambda part: part.count)
        said = rows_said(event)
        yield Draft(
            severity=Severity.WARNING,
            cause="stuck-listener",
            confidence=Confidence.HIGH,
            title=say(
                "{count:count} messages were in a listener for longer than consumeTimeout and were sent back",
                count=event.count,
            ),
            subject=Subject(group=group, topic=only(event, "topic")),
            evidence={"messages": event.count, "peak_per_minute": event.peak_per_minute},
            explanation=(
                say("{count:count} lines `send expire msg back` {when}.", count=event.count, when=when(event)),
                *((say("They are of {said}.", said=said),) if said else ()),
            ),
            remedy=check.card.remedy,
            when=ranges_of(parts),
            weight=0.4,
        )
