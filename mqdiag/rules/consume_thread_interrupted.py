"""Consume threads were interrupted, and the client could not take done messages out of its cache."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.excerpts import enough
from mqdiag.rules.shared.log_events import between, counted, events, files_of, lines_of, only, when
from mqdiag.text import Text, say
from mqdiag.time_ranges import between as range_between
from mqdiag.time_ranges import ranges_apart, ranges_of

QUEUE, LISTENER = "queue-change-interrupted", "listener-interrupted"
ENDS = ("group-shut-down", "shutdown-hook-ran")
NEAR_S = 60
"""a shutdown interrupts its threads within this time of its own lines, by default at once"""

RULE = Rule(
    name="consume-thread-interrupted",
    title="Consume threads were interrupted",
    why=(
        "A consume thread takes a done message out of the client's cache under a lock that it waits for interruptibly."
        " When the thread is interrupted, the client logs 'removeMessage exception', and the message stays in the"
        " cache: the stored offset does not move beyond it, the queue runs into flow control, and everything behind it"
        " comes again after a restart. consumer.shutdown() interrupts listeners at work as well, which does no harm"
        " but that their messages come again."
    ),
    causes=("application", "shutdown"),
    severities=(Severity.WARNING, Severity.INFO),
    remedy=(
        "Find what interrupts the listener's threads: Future.cancel(true), shutdownNow, a watchdog, or a library's"
        " timeout.",
        "Do not leave the interrupt flag set when the listener returns: call Thread.interrupted() before it.",
        "Restart the consumer: as long as it runs, the message stays in the cache and the offset of its queue does not"
        " move.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/281",
        "ProcessQueue.removeMessage: treeMapLock.writeLock().lockInterruptibly()",
    ),
    limits={"lines": 3},
    in_chain=say("consume threads are interrupted"),
)

REMEDIES = {
    "application": RULE.remedy,
    "shutdown": (
        say("Give listeners time to end: setAwaitTerminationMillisWhenShutdown(milliseconds)."),
        say("Make the listener idempotent: messages that were interrupted come again."),
    ),
}


def _facts(count: int) -> Facts:
    event = LogEvent(
        kind=QUEUE,
        side="client",
        count=count,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:05:09+08:00",
    )
    return Facts(logs=LogsFacts(events=(event,), lines=5000))


def fires() -> Facts:
    """Twelve times in five minutes, and no shutdown."""
    return _facts(12)


def silent() -> Facts:
    """Once in a long log."""
    return _facts(1)


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for all groups: only some clients name the thread."""
    logs = facts.logs
    assert logs is not None
    found = events(logs, QUEUE, LISTENER)
    if enough(logs, lines_of(found), limits["lines"]):
        ends = events(logs, *ENDS)
        yield _draft(logs, found, by_shutdown=bool(ends) and _near(found, ends))


def _near(found: list[LogEvent], ends: list[LogEvent]) -> bool:
    """Whether each spell of it began and ended at the time of a shutdown; also where the times are not known."""
    near, shut_down = timedelta(seconds=NEAR_S), ranges_of(ends)
    return all(
        ranges_apart(range_between(at, at), shut_down, near) is not True
        for spell in ranges_of(found)
        for at in (spell.first, spell.last)
    )


def _draft(logs: LogsFacts, found: list[LogEvent], *, by_shutdown: bool) -> Draft:
    cause = "shutdown" if by_shutdown else "application"
    ends = events(logs, *ENDS)
    groups = {name for event in found if (name := only(event, "group"))}
    return Draft(
        severity=Severity.INFO if by_shutdown else Severity.WARNING,
        cause=cause,
        confidence=Confidence.MEDIUM,
        confidence_reason=say("the client was shut down at the same time")
        if by_shutdown
        else say("the log does not tell which code interrupts the threads"),
        title=say("A shutdown interrupted listeners at work, {lines:count} {lines:time|times}")
        if by_shutdown
        else say("Consume threads were interrupted {lines:count} {lines:time|times} without a shutdown"),
        subject=Subject(group=groups.pop() if len(groups) == 1 else None),
        evidence={
            "lines": lines_of(found),
            "not_removed": lines_of([event for event in found if event.kind == QUEUE]) or None,
            "interrupted_listeners": lines_of([event for event in found if event.kind == LISTENER]) or None,
            "shutdown_lines": lines_of(ends) or None,
            **counted(found),
        },
        explanation=tuple(_explained(found, ends if by_shutdown else [])),
        remedy=REMEDIES[cause],
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.4,
    )


def _explained(found: list[LogEvent], ends: list[LogEvent]) -> Iterator[Text]:
    for event in found:
        yield (
            say(
                "{lines:count} {lines:time|times} a thread was interrupted while it changed the cache of a queue,"
                " {when}.",
                lines=event.count,
                when=when(event),
            )
            if event.kind == QUEUE
            else say(
                "{lines:count} {lines:time|times} a listener was interrupted, {when}.",
                lines=event.count,
                when=when(event),
            )
        )
    if any(event.kind == QUEUE for event in found) and not ends:
        yield say(
            "The message of an interrupted thread stays in the cache: the stored offset of its queue does not move"
            " beyond it."
        )
    for event in ends:
        yield say(
            "{lines:count} {lines:line|lines} of a shutdown, {between}.",
            lines=event.count,
            between=between(event.first, event.last),
        )
