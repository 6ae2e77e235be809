"""send-queue-timeout from logs: answers [TIMEOUT_CLEAN_QUEUE], and what the other lines say about their cause."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.broker._logs import answers, number, said, subject
from mqdiag.rules.broker._page_cache_busy_logs import is_page_cache_busy, pool_was_empty
from mqdiag.rules.broker._remedies import SLAVE_BEHIND, TIMEOUTS
from mqdiag.rules.log_events import writes_fast
from mqdiag.rules.registry import Draft, Limits
from mqdiag.rules.wording import duration

CAUSES = {
    "page-cache-busy": "its page cache was busy",
    "sync-slave": "its slave did not answer",
    "one-send-thread": "it has one send thread",
    "slow-sends": "no thread was free in time",
}


def in_logs(facts: Facts, limits: Limits) -> Iterator[Draft]:
    """One finding for all logs."""
    logs = facts.logs
    if logs is not None and logs.count("busy-timeout-clean") >= limits["answers"]:
        yield _draft(logs)


def _cause(logs: LogsFacts) -> str:
    if is_page_cache_busy(logs) and not pool_was_empty(logs):
        return "page-cache-busy"
    if logs.count("slave-transfer-timeout"):
        return "sync-slave"
    return "one-send-thread" if number(logs, "sendMessageThreadPoolNums") == 1 else "slow-sends"


def _draft(logs: LogsFacts) -> Draft:
    found = answers(logs, "busy-timeout-clean")
    cause = _cause(logs)
    wait = max((event.values.get("longest_wait_ms", 0) for event in found), default=0)
    count = sum(event.count for event in found)
    explained = said(found)
    if wait:
        explained.append(f"The longest of these sends had waited for {duration(wait)}.")
    if logs.count("slave-transfer-timeout"):
        explained.append(f"{logs.count('slave-transfer-timeout'):,} waits for the slave ended without it.")
    put = logs.pagecachert
    if put is not None:
        fast = " The broker writes fast; the wait is before the write." if writes_fast(logs) else ""
        explained.append(f"PAGECACHERT: {put.from_100_ms:,} of {put.puts:,} puts took 100 ms or more.{fast}")
    sure = cause in ("page-cache-busy", "sync-slave")
    return Draft(
        severity=Severity.WARNING,
        cause=cause,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
        confidence_reason="" if sure else "the logs do not show what kept the send threads",
        title=f"The broker threw {count:,} sends out of its queue because {CAUSES[cause]}",
        subject=subject(logs, found),
        evidence={
            "answers": count,
            "longest_wait_ms": wait,
            "puts_from_100_ms": None if put is None else put.from_100_ms,
        },
        explanation=tuple(explained),
        remedy=(*(SLAVE_BEHIND if cause == "sync-slave" else ()), *TIMEOUTS),
        weight=0.5,
    )
