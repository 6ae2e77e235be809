"""page-cache-busy from logs: the answers that only a busy page cache gives, and puts that held the lock too long."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.broker._logs import DEFAULT_LIMIT_MS, answers, busy_remedy, each_broker, number, said, subject
from mqdiag.rules.log_events import FAST_PUTS, events, slow_ranges, when
from mqdiag.rules.registry import Draft
from mqdiag.text import NOTHING, say
from mqdiag.time_ranges import joined, ranges_apart, ranges_of

ONLY_PAGE_CACHE = ("busy-pc-synchronized", "busy-pc-clean")
REJECT = "busy-reject"
"""given for a pool without buffers too"""


def in_logs(facts: Facts) -> Iterator[Draft]:
    """One finding for each broker of the logs."""
    for own in each_broker(facts):
        if own.logs is not None and is_page_cache_busy(own.logs):
            yield _draft(own.logs, busy_remedy(own))


def is_page_cache_busy(logs: LogsFacts) -> bool:
    """Whether the broker took its page cache for busy."""
    if _lock_over_limit(logs):
        return True
    if _writes_are_known_fast(logs):
        # a limit of milliseconds gives the same answers on a sound disk
        return False
    return bool(logs.count(*ONLY_PAGE_CACHE)) or (bool(logs.count(REJECT)) and not pool_was_empty(logs))


def pool_was_empty(logs: LogsFacts) -> bool:
    """Whether the transient store pool ran out of buffers."""
    return bool(logs.count("pool-empty", "pool-not-enough"))


def _lock_over_limit(logs: LogsFacts) -> bool:
    longest = _longest_in_lock(logs)
    limit = number(logs, "osPageCacheBusyTimeOutMills") or DEFAULT_LIMIT_MS
    return longest is not None and longest > max(limit, DEFAULT_LIMIT_MS)


def _longest_in_lock(logs: LogsFacts) -> int | None:
    found = [event.values.get("longest_ms", 0) for event in events(logs, "slow-put-in-lock")]
    return max(found, default=None)


def _writes_are_known_fast(logs: LogsFacts) -> bool:
    put = logs.pagecachert
    return put is not None and put.puts >= FAST_PUTS and put.from_1_s == 0


def _draft(logs: LogsFacts, remedy: tuple[str, ...]) -> Draft:
    told = answers(logs, *ONLY_PAGE_CACHE, REJECT)
    in_lock = events(logs, "slow-put-in-lock")
    put, longest = logs.pagecachert, _longest_in_lock(logs)
    own_ranges = joined((*ranges_of(in_lock), *slow_ranges(put)))
    found = [event for event in told if ranges_apart(ranges_of([event]), own_ranges) is not True]
    explained = said(found)
    if len(found) < len(told):
        explained.append(
            say(
                (
                    "{count:count} answers of another time are not counted here: the broker's own lines show"
                    " nothing then."
                ),
                count=sum(event.count for event in told) - sum(event.count for event in found),
            )
        )
    for event in in_lock:
        explained.append(
            say(
                (
                    "{count:count} puts held the commit log's lock for more than 500 ms, the longest for"
                    " {longest_ms:ms}, {when} ([NOTIFYME] lines); beyond osPageCacheBusyTimeOutMills every send"
                    " is refused."
                ),
                count=event.count,
                longest_ms=event.values.get("longest_ms", 0),
                when=when(event),
            )
        )
    if put is not None:
        explained.append(
            say(
                (
                    "Of {puts:count} puts that PAGECACHERT counts {from_100_ms:count} took 100 ms or more and"
                    " {from_1_s:count} took a second or more."
                ),
                puts=put.puts,
                from_100_ms=put.from_100_ms,
                from_1_s=put.from_1_s,
            )
        )
    own = _lock_over_limit(logs) or (put is not None and put.from_1_s > 0)
    pool = pool_was_empty(logs)
    unsure = say("only senders say so: store.log would show how long the writes took")
    if pool:
        unsure = say(
            "the transient store pool ran out of buffers: a write that waits for one holds the lock too"
        )
    return Draft(
        severity=Severity.WARNING if pool else Severity.ERROR,
        cause="page-cache-busy",
        confidence=Confidence.HIGH if own and not pool else Confidence.MEDIUM,
        confidence_reason=NOTHING if own and not pool else unsure,
        title=(
            say("The broker's page cache was busy")
            + (
                say(": one write held the lock for {longest:ms}", longest=longest)
                if longest is not None and own
                else ""
            )
        ),
        subject=subject(logs, found),
        evidence={
            "refused": sum(event.count for event in found),
            **{event.kind.replace("-", "_"): event.count for event in found},
            "slow_puts_in_lock": sum(event.count for event in in_lock),
            "longest_in_lock_ms": longest,
            "puts": None if put is None else put.puts,
            "puts_from_100_ms": None if put is None else put.from_100_ms,
            "puts_from_1_s": None if put is None else put.from_1_s,
        },
        explanation=tuple(explained),
        remedy=remedy,
        when=joined((*ranges_of(found), *own_ranges)),
        weight=1.0,
    )
