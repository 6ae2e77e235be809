"""The timer wheel of a broker tries the same message again and again."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import LITERALS, Draft, Limits, Rule, Said
from mqdiag.rules.shared.brokers import brokers_of_logs, subject_of_logs
from mqdiag.rules.shared.excerpts import enough, surest
from mqdiag.rules.shared.log_events import counted, events, files_of, lines_of, when
from mqdiag.text import Text, say
from mqdiag.time_ranges import ranges_of

ENQUEUE, DEQUEUE, NOT_READ = "timer-enqueue-failed", "timer-dequeue-failed", "timer-message-not-read"

RULE = Rule(
    name="timer-stuck",
    title="The broker's timer wheel is stuck",
    why=(
        "A 5.x broker keeps timed and delayed messages in a timer wheel. When it meets an exception on a message, it"
        " tries the same message again and again. No timed message of the whole broker is delivered any more,"
        " and the log fills with the same exception."
    ),
    causes=("message-too-large", "store-damaged"),
    severities=(Severity.ERROR,),
    remedy=(
        "Upgrade the broker: the buffer of the timer wheel grew in later versions of 5.x.",
        "Until then keep timed messages below maxMessageSize of the broker, and do not lower maxMessageSize.",
        "Save the store; the offset from which the wheel reads is in config/timermetrics and the timer checkpoint.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/7641",
        "https://github.com/apache/rocketmq/issues/9654",
        "https://github.com/apache/rocketmq/issues/10668",
        "https://github.com/apache/rocketmq/pull/11125",
        "TimerMessageStore.getMessageByCommitOffset",
    ),
    limits={"lines": 10},
    lies_at="broker",
    in_chain=say("the broker's timer wheel is stuck"),
    proven_on=LITERALS,
)


def _facts(count: int) -> Facts:
    first, last = "2026-11-21T20:00:01+08:00", "2026-11-21T20:01:01+08:00"
    failed = LogEvent(kind=ENQUEUE, side="broker", count=count, first=first, last=last)
    frames = LogEvent(kind=NOT_READ, side="broker", count=count, first=first, last=last)
    return Facts(logs=LogsFacts(events=(failed, frames), lines=5000))


def fires() -> Facts:
    """Six hundred times in a minute."""
    return _facts(600)


def silent() -> Facts:
    """Once in a long log."""
    return _facts(1)


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker."""
    for logs in brokers_of_logs(facts):
        found = events(logs, ENQUEUE, DEQUEUE)
        if enough(logs, lines_of(found), limits["lines"]):
            yield _draft(logs, found)


def _draft(logs: LogsFacts, found: list[LogEvent]) -> Draft:
    too_large = logs.count(NOT_READ) > 0
    confidence, reason = surest(
        logs,
        Confidence.MEDIUM,
        say("a message that is too large and a damaged commit log fail in the same method")
        if too_large
        else say("the exception does not show where the wheel failed"),
    )
    return Draft(
        severity=Severity.ERROR,
        cause="message-too-large" if too_large else "store-damaged",
        confidence=confidence,
        confidence_reason=reason,
        title=say("The broker's timer wheel failed {lines:count} {lines:time|times} on the same work"),
        subject=subject_of_logs(logs, found),
        evidence={"lines": lines_of(found), "lines_of_reading": logs.count(NOT_READ), **counted(found)},
        explanation=tuple(_explained(found, too_large=too_large)),
        remedy=RULE.remedy if too_large else RULE.remedy[::-2],
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.6,
    )


def _explained(found: list[LogEvent], *, too_large: bool) -> Iterator[Text]:
    for event in found:
        yield say(
            "{step}, {lines:count} {lines:time|times} {when}.",
            step=say("Putting a message into the wheel failed")
            if event.kind == ENQUEUE
            else say("Taking a message out of the wheel failed"),
            lines=event.count,
            when=when(event),
        )
    if too_large:
        yield say(
            "{lines_of_reading:count} stack {lines_of_reading:trace ends|traces end} in"
            " TimerMessageStore.getMessageByCommitOffset: a message does not fit the buffer that it is read into."
        )
    elif any(event.kind == DEQUEUE for event in found):
        yield say(
            "The wheel names a place of the commit log that holds no timed message: the log was cut, or the message has"
            " no properties for its way out."
        )
    yield say("Timed and delayed messages of this broker are not delivered meanwhile.")
