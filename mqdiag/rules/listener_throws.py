"""The application's listener throws exceptions."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import ListenerException, LogEvent, LogGroup, LogsFacts
from mqdiag.findings import Confidence, EvidenceValue, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.excerpts import enough, surest
from mqdiag.rules.shared.log_events import by_group, counted, files_of, lines_of, when
from mqdiag.rules.shared.put_aside import PUT_ASIDE, TRY_LATER, logged_as_orderly, put_aside, try_later
from mqdiag.text import Text, say
from mqdiag.time_ranges import ranges_of

THREW = "consume-exception"
OWN, CALLED, INTERRUPTED, RESOURCES = "own-code", "failed-call", "interrupted", "missing-class"
CALLS = (
    "java.net.",
    "java.sql.",
    "javax.net.",
    "java.util.concurrent.TimeoutException",
    "java.io.IOException",
    "java.nio.channels.",
    "org.springframework.dao.",
    "org.springframework.jdbc.",
    "org.springframework.web.client.",
    "org.springframework.data.redis.",
    "org.apache.http.",
    "org.apache.dubbo.rpc.",
    "com.alibaba.dubbo.rpc.",
    "redis.clients.jedis.exceptions.",
    "io.lettuce.core.",
    "feign.",
    "com.mysql.",
    "com.zaxxer.hikari.",
    "io.grpc.",
)
"""packages of exceptions that a call to another service or a database throws"""
LINKAGE = (
    "NoClassDefFoundError",
    "NoSuchMethodError",
    "ClassNotFoundException",
    "ExceptionInInitializerError",
    "LinkageError",
)
INTERRUPTION = "java.lang.InterruptedException"
MOST_NAMED = 3

RULE = Rule(
    name="listener-throws",
    title="The application's listener throws exceptions",
    why=(
        "When a listener throws, the client logs 'consumeMessage exception', and the message comes again: of a"
        " concurrent consumer through the retry topic, up to 16 times over almost five hours, and then it goes to the"
        " dead letter queue; of an orderly consumer at once, while its queue waits. After a panic in the Go client the"
        " message comes only when the process starts again, and until then the offset of its queue stands. The fault"
        " lies in the application or in what it calls, not in RocketMQ."
    ),
    causes=(CALLED, OWN, RESOURCES, INTERRUPTED),
    severities=(Severity.WARNING,),
    remedy=(
        "Read the whole stack trace in the application's log, and correct the code at its own top frame.",
        PUT_ASIDE,
        "Where a service that the listener calls fails, return RECONSUME_LATER (SUSPEND_CURRENT_QUEUE_A_MOMENT when"
        " orderly), and repair the service.",
    ),
    references=(
        "https://github.com/apache/rocketmq-clients/issues/848",
        "ConsumeMessageConcurrentlyService.ConsumeRequest.run: consumeMessage exception",
        "MessageStoreConfig.messageDelayLevel: the times after which a message comes again",
    ),
    limits={"lines": 10, "lines_per_minute": 3},
    explained_by=("consume-thread-interrupted", "out-of-memory-thread"),
    in_chain=say("the listener throws"),
    leads_to={"retry-storm": say("so")},
)

REMEDIES = {
    OWN: RULE.remedy[:2],
    CALLED: (
        say("Look at the service or the database that the call goes to, at the times of these lines."),
        TRY_LATER,
    ),
    RESOURCES: (
        say(
            "Compare the versions of the jars that the application is deployed with: a class or method is missing."
        ),
        say(
            "Look for the first such line after the start: a static initializer that failed is named only there."
        ),
    ),
    INTERRUPTED: (
        say("Find out what interrupts the listener's threads: a shutdown, or a watchdog of the application."),
    ),
}


def _facts(count: int) -> Facts:
    first, last = "2026-11-21T20:00:01+08:00", "2026-11-21T20:00:52+08:00"
    event = LogEvent(
        kind=THREW,
        side="client",
        count=count,
        first=first,
        last=last,
        peak_per_minute=count,
        peak_at="2026-11-21T20:00:00+08:00",
        groups=(LogGroup(group="CID_orders", count=count, first=first, last=last, peak_per_minute=count),),
    )
    thrown = ListenerException(
        group="CID_orders",
        exception="java.lang.NullPointerException",
        frame="com.acme.orders.OrderListener.reserve(OrderListener.java:31)",
        count=count,
        first=first,
        last=last,
    )
    return Facts(logs=LogsFacts(events=(event,), listener_exceptions=(thrown,), lines=5000))


def fires() -> Facts:
    """Forty times within a minute."""
    return _facts(40)


def silent() -> Facts:
    """Twice in a long log."""
    return _facts(2)


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each group."""
    logs = facts.logs
    assert logs is not None
    for group, found in by_group(logs, THREW).items():
        lines = lines_of(found)
        often = max((event.peak_per_minute or 0) for event in found) >= limits["lines_per_minute"]
        if (
            lines >= limits["lines"]
            or (lines >= limits["lines_per_minute"] and often)
            or enough(logs, lines, lines + 1)
        ):
            yield _draft(logs, group, found)


def _draft(logs: LogsFacts, group: str | None, found: list[LogEvent]) -> Draft:
    rows = [row for row in logs.listener_exceptions if row.group == group]
    top = rows[0] if rows else None
    cause = _cause(top)
    confidence, reason = surest(
        logs,
        Confidence.HIGH if top is not None and top.frame is not None else Confidence.MEDIUM,
        say("the client logged the exception and where it was thrown")
        if top is not None and top.frame is not None
        else say("the lines do not tell where it was thrown"),
    )
    return Draft(
        severity=Severity.WARNING,
        cause=cause,
        confidence=confidence,
        confidence_reason=reason,
        title=_title(top, group),
        subject=Subject(group=group),
        evidence=_evidence(logs, group, found, rows),
        explanation=tuple(_explained(logs, group, found, rows)),
        remedy=_remedy(cause, orderly=logged_as_orderly(logs, group)),
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.4,
    )


def _remedy(cause: str, *, orderly: bool | None) -> tuple[Text, ...]:
    own = {PUT_ASIDE: put_aside(orderly=orderly), TRY_LATER: try_later(orderly=orderly)}
    return tuple(own.get(line, line) for line in REMEDIES[cause])


def _cause(top: ListenerException | None) -> str:
    if top is None:
        return OWN
    classes = [name for name in (top.cause, top.exception) if name is not None]
    if INTERRUPTION in classes:
        return INTERRUPTED
    if any(name.endswith(LINKAGE) for name in classes):
        return RESOURCES
    return CALLED if any(name.startswith(CALLS) for name in classes) else OWN


def _title(top: ListenerException | None, group: str | None) -> Text:
    if top is None:
        return (
            say("The listener of group {group} threw {lines:count} {lines:exception|exceptions}")
            if group
            else say("A listener threw {lines:count} {lines:exception|exceptions}")
        )
    if top.frame is None:
        return (
            say(
                "The listener of group {group} threw {exception}, {exception_lines:count} {exception_lines:time|times}"
            )
            if group
            else say("A listener threw {exception}, {exception_lines:count} {exception_lines:time|times}")
        )
    return (
        say(
            "The listener of group {group} threw {exception} at {frame}, {exception_lines:count}"
            " {exception_lines:time|times}"
        )
        if group
        else say(
            "A listener threw {exception} at {frame}, {exception_lines:count} {exception_lines:time|times}"
        )
    )


def _evidence(
    logs: LogsFacts, group: str | None, found: list[LogEvent], rows: list[ListenerException]
) -> dict[str, EvidenceValue]:
    top = rows[0] if rows else None
    return {
        "lines": lines_of(found),
        "exception": None if top is None else top.exception,
        "exception_cause": None if top is None else top.cause,
        "frame": None if top is None else top.frame,
        "exception_lines": None if top is None else top.count,
        "further_exceptions": tuple(row.exception for row in rows[1:MOST_NAMED]),
        "further_exception_lines": tuple(row.count for row in rows[1:MOST_NAMED]),
        "retried": _retried(logs, group) or None,
        "not_sent_back": _not_sent_back(logs, group) or None,
        **counted(found),
    }


def _retried(logs: LogsFacts, group: str | None) -> int:
    """Messages that the broker counted as sent back by this group."""
    rows = [row for event in logs.events if event.kind == "messages-sent-back" for row in event.groups]
    return sum(row.occurrences or row.count for row in rows if group is not None and row.group == group)


def _not_sent_back(logs: LogsFacts, group: str | None) -> int:
    """Times that the client could not send a message of this group back, so that its listener gets it again."""
    return lines_of(by_group(logs, "send-back-failed").get(group, []))


def _explained(
    logs: LogsFacts, group: str | None, found: list[LogEvent], rows: list[ListenerException]
) -> Iterator[Text]:
    for event in found:
        yield say(
            "{lines:count} {lines:line tells|lines tell} of it {when}.",
            lines=event.count,
            when=when(event),
        )
    if rows and rows[0].cause is not None:
        yield say("It was caused by {exception_cause}.")
    for row in rows[1:MOST_NAMED]:
        yield say(
            "{lines:count} {lines:time|times} it threw {exception} instead.",
            lines=row.count,
            exception=row.exception,
        )
    if _retried(logs, group):
        yield say("The broker counted {retried:count} {retried:message|messages} that this group sent back.")
    if _not_sent_back(logs, group):
        yield say(
            "{not_sent_back:count} {not_sent_back:time|times} the client could not send such a message back to the"
            " broker."
        )
