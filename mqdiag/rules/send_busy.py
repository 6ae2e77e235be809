"""The broker tells senders that it is busy."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.brokers import brokers_of_logs, subject_of_logs
from mqdiag.rules.shared.busy_answers import BUSY_TEXTS, ONLY_PAGE_CACHE, REJECT
from mqdiag.rules.shared.log_events import (
    counted,
    lines_of,
    most_frequent,
    most_frequent_counted,
    number_set,
    when,
)
from mqdiag.rules.shared.page_cache import DEFAULT_LIMIT_MS
from mqdiag.rules.shared.write_times import writes_fast
from mqdiag.text import Text, say
from mqdiag.time_ranges import ranges_of

MEANINGS = {
    "busy-reject": say(
        "the page cache is busy, the transient store pool has no buffer, or the asked broker is a slave of 5.x"
    ),
    "busy-overload": say("the send queue is full"),
    "busy-pc-synchronized": say("the page cache was busy when the message should have been written"),
    "busy-pc-clean": say("the page cache was busy, and the broker emptied its send queue"),
    "busy-timeout-clean": say("the message waited too long for a send thread; the page cache need not be slow"),
}
"""by the event's kind"""
BY_LIMIT = (REJECT, *ONLY_PAGE_CACHE)
"""answers that depend on osPageCacheBusyTimeOutMills"""
LIMIT_BACK = say(
    "Set osPageCacheBusyTimeOutMills back to 1,000, the default: with a lower limit a healthy broker calls itself busy."
)

RULE = Rule(
    name="send-busy",
    title="Senders are told that the broker is busy",
    why=(
        "Five different texts come with code 2, and each has its own reason. The sender tries other brokers and gives"
        " up after retryTimesWhenSendFailed. The broker's own logs and heap show what is wrong with it."
    ),
    causes=("broker-busy",),
    severities=(Severity.WARNING,),
    remedy=(
        "Look at the broker: store.log, watermark.log and the GC log of the time that the finding names (mqdiag logs).",
        "Keep retries on (retryTimesWhenSendFailed), and set sendLatencyFaultEnable so that senders avoid the broker"
        " for a while.",
    ),
    references=(
        "article 001: system busy and broker busy",
        "NettyRemotingAbstract.processRequestCommand, BrokerFastFailure, ResponseCode.SYSTEM_BUSY",
    ),
    limits={"answers": 10},
    explained_by=(
        "page-cache-busy",
        "slow-writes",
        "send-queue-timeout",
        "send-queue-full",
        "transient-pool-exhausted",
        "slave-behind:slow-slave",
    ),
    lies_at="broker",
    in_chain=say("producers are told that the broker is busy"),
    leads_to={"producer-backlog": say("and")},
)


def _facts(count: int) -> Facts:
    event = LogEvent(
        kind="busy-timeout-clean",
        side="client",
        count=count,
        first="2026-11-21T12:00:00",
        last="2026-11-21T12:05:00",
        peak_per_minute=count,
        peak_at="2026-11-21T12:00:00",
        values={"longest_wait_ms": 217, "largest_queue": 3},
    )
    return Facts(logs=LogsFacts(events=(event,)))


def fires() -> Facts:
    """Three hundred answers in five minutes."""
    return _facts(300)


def silent() -> Facts:
    """One, after a pause of the broker."""
    return _facts(1)


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker that senders name."""
    for logs in brokers_of_logs(facts):
        found = [event for event in logs.events if event.kind in MEANINGS and event.side == "client"]
        if lines_of(found) >= limits["answers"]:
            yield _draft(logs, found)


def _draft(logs: LogsFacts, found: list[LogEvent]) -> Draft:
    limit = number_set(logs, "osPageCacheBusyTimeOutMills")
    short = limit is not None and limit < DEFAULT_LIMIT_MS and any(event.kind in BY_LIMIT for event in found)
    return Draft(
        severity=Severity.WARNING,
        cause="broker-busy",
        confidence=Confidence.HIGH,
        title=say("Senders were told {answers:count} times that the broker is busy"),
        subject=subject_of_logs(logs, found),
        evidence={
            "answers": lines_of(found),
            **{event.kind.replace("-", "_"): event.count for event in found},
            "longest_wait_ms": max(
                (event.values["longest_wait_ms"] for event in found if "longest_wait_ms" in event.values),
                default=None,
            ),
            **({"osPageCacheBusyTimeOutMills": limit, "default_limit_ms": DEFAULT_LIMIT_MS} if short else {}),
            **counted(found),
            **most_frequent_counted(found[0]),
        },
        explanation=tuple(_explained(logs, found, short=short)),
        remedy=(LIMIT_BACK, *RULE.remedy) if short else RULE.remedy,
        when=ranges_of(found),
        weight=0.3,
    )


def _explained(logs: LogsFacts, found: list[LogEvent], *, short: bool) -> Iterator[Text]:
    for event in found:
        yield say(
            "{lines:count} {answer} {lines:line|lines} {when}: {meaning}.",
            lines=event.count,
            answer=BUSY_TEXTS[event.kind],
            when=when(event),
            meaning=MEANINGS[event.kind],
        )
    subjects = most_frequent(found[0])
    if subjects is not None:
        yield say("The lines name {subjects}.", subjects=subjects)
    if writes_fast(logs.pagecachert):
        yield say("The broker's own PAGECACHERT lines show that it writes fast.")
    if short:
        yield say(
            "osPageCacheBusyTimeOutMills is {osPageCacheBusyTimeOutMills:count}; the default is"
            " {default_limit_ms:count}. When one write takes {osPageCacheBusyTimeOutMills:count} ms, the broker calls"
            " its page cache busy."
        )
