from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import ListenerException, LogEvent, LogGroup, LogsFacts

THREW = "consume-exception"


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
