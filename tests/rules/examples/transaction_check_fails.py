from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import ListenerException, LogEvent, LogsFacts, LogSubject


def _facts(lines: int) -> Facts:
    span = {"first": "2026-11-28T09:20:43+08:00", "last": "2026-11-28T09:22:43+08:00"}
    threw = LogEvent(kind="transaction-check-threw", side="client", count=lines, **span)  # type: ignore[arg-type]
    unknown = LogEvent(
        kind="transaction-check-unknown",
        side="broker",
        count=lines,
        subjects=(LogSubject(group="PID_orders_tx", count=lines),),
        **span,  # type: ignore[arg-type]
    )
    thrown = ListenerException(
        exception="java.lang.NullPointerException",
        frame="com.acme.shop.Feed.checkLocalTransaction(Feed.java:31)",
        of="transactions",
        count=lines,
    )
    return Facts(logs=LogsFacts(events=(threw, unknown), listener_exceptions=(thrown,), lines=5000))


def fires() -> Facts:
    """366 checks at which the listener threw."""
    return _facts(366)


def silent() -> Facts:
    """Four."""
    return _facts(4)
