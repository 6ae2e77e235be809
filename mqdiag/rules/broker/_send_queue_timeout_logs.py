"""send-queue-timeout from logs: answers [TIMEOUT_CLEAN_QUEUE], and what the other lines say about their cause."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import Confidence, Severity, TimeRange
from mqdiag.rules.broker._logs import answers, each_broker, number, said, subject
from mqdiag.rules.broker._page_cache_busy_logs import (
    ONLY_PAGE_CACHE,
    REJECT,
    is_page_cache_busy,
    pool_was_empty,
)
from mqdiag.rules.broker._remedies import PAGE_CACHE_FIRST, SEND_THREADS, SLAVE_BEHIND, TIMEOUTS
from mqdiag.rules.log_events import events, is_set, writes_fast
from mqdiag.rules.registry import Draft, Limits
from mqdiag.text import NOTHING, say
from mqdiag.time_ranges import ranges_apart, ranges_of

DEFAULT_LIMIT_MS = 200
"""waitTimeMillsInSendQueue since 3.5.8"""
SYNC_FLUSH = say(
    "Look at the disk (iostat -x 1): with SYNC_FLUSH each write is as slow as its flush."
    " ASYNC_FLUSH with a SYNC_MASTER and a sound slave keeps a copy without waiting for"
    " the disk."
)
PAGE_CACHE = (*ONLY_PAGE_CACHE, REJECT, "slow-put-in-lock")
CAUSES = {
    "page-cache-busy": say("its page cache was busy"),
    "sync-slave": say("its slave did not answer"),
    "sync-flush": say("each write waits for the flush to disk"),
    "short-limit": say("waitTimeMillsInSendQueue is short"),
    "one-send-thread": say("it has one send thread"),
    "slow-sends": say("no thread was free in time"),
}


def in_logs(facts: Facts, limits: Limits) -> Iterator[Draft]:
    """One finding for each broker of the logs."""
    for own in each_broker(facts):
        if own.logs is not None and own.logs.count("busy-timeout-clean") >= limits["answers"]:
            yield _draft(own.logs)


def _cause(logs: LogsFacts) -> str:
    thrown = ranges_of(answers(logs, "busy-timeout-clean"))
    if is_page_cache_busy(logs) and not pool_was_empty(logs) and _then(logs, thrown, *PAGE_CACHE):
        return "page-cache-busy"
    if logs.count("slave-transfer-timeout") and _then(logs, thrown, "slave-transfer-timeout"):
        return "sync-slave"
    limit = number(logs, "waitTimeMillsInSendQueue")
    if limit is not None and limit < DEFAULT_LIMIT_MS:
        return "short-limit"
    waited = logs.count("slow-put") and _then(logs, thrown, "slow-put")
    if is_set(logs, "flushDiskType", "SYNC_FLUSH") and waited:
        return "sync-flush"
    return "one-send-thread" if number(logs, "sendMessageThreadPoolNums") == 1 else "slow-sends"


def _then(logs: LogsFacts, thrown: tuple[TimeRange, ...], *kinds: str) -> bool:
    """Whether these events may have been when the sends were thrown away."""
    return ranges_apart(thrown, ranges_of(events(logs, *kinds))) is not True


def _remedy(cause: str) -> tuple[str, ...]:
    if cause == "short-limit":
        return (
            say(
                "Set waitTimeMillsInSendQueue back to {default_limit_ms}, the default.",
                default_limit_ms=DEFAULT_LIMIT_MS,
            ),
        )
    return {
        "page-cache-busy": (PAGE_CACHE_FIRST,),
        "sync-flush": (SYNC_FLUSH, SEND_THREADS),
        "sync-slave": SLAVE_BEHIND,
    }.get(cause, TIMEOUTS)


def _draft(logs: LogsFacts) -> Draft:
    found = answers(logs, "busy-timeout-clean")
    cause = _cause(logs)
    wait = max((event.values.get("longest_wait_ms", 0) for event in found), default=0)
    count = sum(event.count for event in found)
    explained = said(found)
    if wait:
        explained.append(say("The longest of these sends had waited for {wait:ms}.", wait=wait))
    if logs.count("slave-transfer-timeout"):
        explained.append(
            say(
                "{count:count} waits for the slave ended without it.",
                count=logs.count("slave-transfer-timeout"),
            )
        )
    put = logs.pagecachert
    if put is not None:
        fast = say(" The broker writes fast; the wait is before the write.") if writes_fast(logs) else ""
        explained.append(
            say(
                "PAGECACHERT: {from_100_ms:count} of {puts:count} puts took 100 ms or more.{fast}",
                from_100_ms=put.from_100_ms,
                puts=put.puts,
                fast=fast,
            )
        )
    slow = sum(event.count for event in events(logs, "slow-put"))
    if cause == "sync-flush":
        explained.append(
            say(
                (
                    "flushDiskType is SYNC_FLUSH, and {slow:count} writes took more than 500 ms outside of the"
                    " lock: they waited for the flush."
                ),
                slow=slow,
            )
        )
    if cause == "short-limit":
        explained.append(
            say(
                "waitTimeMillsInSendQueue is {waittimemillsinsendqueue}; {default_limit_ms} is the default.",
                waittimemillsinsendqueue=logs.settings.get("waitTimeMillsInSendQueue"),
                default_limit_ms=DEFAULT_LIMIT_MS,
            )
        )
    sure = cause not in ("one-send-thread", "slow-sends")
    return Draft(
        severity=Severity.WARNING,
        cause=cause,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
        confidence_reason=NOTHING if sure else say("the logs do not show what kept the send threads"),
        title=say(
            "The broker threw {count:count} sends out of its queue because {causes}",
            count=count,
            causes=CAUSES[cause],
        ),
        subject=subject(logs, found),
        evidence={
            "answers": count,
            "longest_wait_ms": wait,
            "puts_from_100_ms": None if put is None else put.from_100_ms,
        },
        explanation=tuple(explained),
        remedy=_remedy(cause),
        when=ranges_of(found),
        weight=0.5,
    )
