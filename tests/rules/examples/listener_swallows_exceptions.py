from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import ListenerException, LogEvent, LogGroup, LogsFacts

GROUP = "CID_records"


def _facts(lines: int, *more: LogEvent) -> Facts:
    span = {"first": "2026-11-28T09:05:43", "last": "2026-11-28T09:06:56"}
    logged = LogEvent(
        kind="listener-logged-error",
        side="client",
        count=lines,
        groups=(LogGroup(group=GROUP, count=lines, **span),),  # type: ignore[arg-type]
        **span,  # type: ignore[arg-type]
    )
    consumed = LogEvent(
        kind="messages-consumed",
        side="client",
        count=1,
        occurrences=115,
        groups=(LogGroup(group=GROUP, count=1, occurrences=115),),
    )
    thrown = ListenerException(
        group=GROUP,
        exception="org.h2.jdbc.JdbcSQLSyntaxErrorException",
        frame="com.acme.shop.RecordOrders.record(RecordOrders.java:34)",
        of="logged",
        count=lines,
    )
    return Facts(logs=LogsFacts(events=(logged, consumed, *more), listener_exceptions=(thrown,), lines=5000))


def fires() -> Facts:
    """759 orders were logged as failed, and counted as consumed."""
    return _facts(759)


def silent() -> Facts:
    """They come again."""
    failures = LogEvent(
        kind="consume-failures",
        side="client",
        count=1,
        occurrences=115,
        groups=(LogGroup(group=GROUP, count=1, occurrences=115),),
    )
    return _facts(759, failures)
