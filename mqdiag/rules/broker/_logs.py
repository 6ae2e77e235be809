"""What the broker rules ask of logs."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Subject
from mqdiag.rules.broker._remedies import BUSY, POOL_IF_ASYNC_MASTER
from mqdiag.rules.log_events import BUSY_TEXTS, busiest, by_broker, events, lines, of_broker, when
from mqdiag.text import say

DEFAULT_LIMIT_MS = 1000
"""osPageCacheBusyTimeOutMills since 3.5.8"""


def subject(logs: LogsFacts, found: list[LogEvent]) -> Subject:
    """The broker that the logs are of, else the one that the answers name most, or whose settings they print."""
    if logs.brokers:
        return of_broker(logs)
    named = next((name for event in found if (name := busiest(event, "broker"))), None)
    return Subject(broker=named) if named else of_broker(logs)


def number(logs: LogsFacts, name: str) -> int | None:
    """A setting that start-up lines print with one value."""
    value = logs.settings.get(name, "")
    return int(value) if value.isdigit() else None


def pool_fits(facts: Facts) -> bool:
    """Whether nothing rules the transient store pool out: not on already, no SYNC_FLUSH, no slave."""
    logs, heap = facts.logs, facts.heap
    printed = {} if logs is None else logs.settings
    by_logs = (
        printed.get("transientStorePoolEnable") != "true"
        and printed.get("flushDiskType") in (None, "ASYNC_FLUSH")
        and printed.get("brokerRole") != "SLAVE"
        and not (logs is not None and logs.count("pool-empty", "pool-low", "pool-not-enough"))
    )
    broker = None if heap is None else heap.broker
    named = {one.name for one in logs.brokers} if logs is not None else set()
    if broker is None or (named and broker.name not in named):
        return by_logs
    pool = broker.transient_store_pool
    return (
        by_logs
        and broker.flush in (None, "ASYNC_FLUSH")
        and broker.role != "SLAVE"
        and not (pool is not None and pool.enabled)
    )


def each_broker(facts: Facts) -> Iterator[Facts]:
    """The facts once for each broker of the logs, with its logs alone; nothing without logs."""
    for logs in () if facts.logs is None else by_broker(facts.logs):
        yield structs.replace(facts, logs=logs)


def busy_remedy(facts: Facts) -> tuple[str, ...]:
    """The pool only where the settings do not rule it out."""
    fits = pool_fits(facts)
    return tuple(line for line in BUSY if fits or line is not POOL_IF_ASYNC_MASTER)


def said(found: list[LogEvent]) -> list[str]:
    """One sentence for each kind of answer."""
    return [
        say(
            "{side}: {lines} {when}.",
            side=_side(event),
            lines=lines(event.count, BUSY_TEXTS.get(event.kind, event.kind)),
            when=when(event),
        )
        for event in found
    ]


def _side(event: LogEvent) -> str:
    return "Senders" if event.side == "client" else say("The broker")


def answers(logs: LogsFacts, *kinds: str) -> list[LogEvent]:
    """Busy answers of these kinds."""
    return events(logs, *kinds)
