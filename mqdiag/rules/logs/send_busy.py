"""Senders are told that the broker is busy."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.broker._logs import DEFAULT_LIMIT_MS, number, subject
from mqdiag.rules.broker._remedies import LIMIT_BACK
from mqdiag.rules.log_events import BUSY_TEXTS, by_broker, lines, rows_said, when, writes_fast
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.text import say
from mqdiag.time_ranges import ranges_of

MEANINGS = {
    "busy-reject": say(
        "the page cache is busy, the transient store pool has no buffer, or a slave of 5.x was asked"
    ),
    "busy-overload": say("the send queue is full"),
    "busy-pc-synchronized": say("the page cache is busy, seen when the message was to be written"),
    "busy-pc-clean": say("the page cache is busy, and the queue was emptied"),
    "busy-timeout-clean": say("the message waited too long for a send thread; the page cache need not be slow"),
}
BY_LIMIT = ("busy-reject", "busy-pc-synchronized", "busy-pc-clean")


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


@rule(
    name="send-busy",
    title="Senders are told that the broker is busy",
    why=(
        "Five texts come with code 2: each tells another reason. The sender tries other brokers and gives up after"
        " retryTimesWhenSendFailed; what the broker's trouble is, its own logs and its heap say."
    ),
    causes=("broker-busy",),
    severities=(Severity.WARNING,),
    remedy=(
        "Look at the broker: store.log, watermark.log and the GC log of the time that the finding names (mqdiag logs).",
        "Keep retries on (retryTimesWhenSendFailed) and let latency fault tolerance avoid the broker for a while"
        " (sendLatencyFaultEnable).",
    ),
    references=(
        "article 001: system busy and broker busy",
        "NettyRemotingAbstract.processRequestCommand, BrokerFastFailure, ResponseCode.SYSTEM_BUSY",
    ),
    needs=("logs",),
    limits={"answers": 10},
    explained_by=(
        "page-cache-busy",
        "slow-writes",
        "send-queue-timeout",
        "send-queue-full",
        "transient-pool-exhausted",
        "slave-behind:slow-slave",
    ),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each broker that senders name."""
    assert facts.logs is not None
    for logs in by_broker(facts.logs):
        found = [event for event in logs.events if event.kind in MEANINGS and event.side == "client"]
        if sum(event.count for event in found) >= limits["answers"]:
            yield _draft(logs, found)


def _draft(logs: LogsFacts, found: list[LogEvent]) -> Draft:
    count = sum(event.count for event in found)
    explained = [
        say(
            "{lines} {when}: {meaning}.",
            lines=lines(event.count, BUSY_TEXTS[event.kind]),
            when=when(event),
            meaning=MEANINGS[event.kind],
        )
        for event in found
    ]
    about = rows_said(found[0])
    if about:
        explained.append(say("They are about {about}.", about=about))
    if writes_fast(logs):
        explained.append(say("The broker's own PAGECACHERT lines say that it writes fast."))
    limit = number(logs, "osPageCacheBusyTimeOutMills")
    short = limit is not None and limit < DEFAULT_LIMIT_MS and any(event.kind in BY_LIMIT for event in found)
    if short:
        explained.append(
            say(
                (
                    "osPageCacheBusyTimeOutMills is {limit:count}; {default:count} is the default. After"
                    " {limit:count} ms in one write the broker calls its page cache busy."
                ),
                limit=limit,
                default=DEFAULT_LIMIT_MS,
            )
        )
    return Draft(
        severity=Severity.WARNING,
        cause="broker-busy",
        confidence=Confidence.HIGH,
        title=say("Senders were told {count:count} times that the broker is busy", count=count),
        subject=subject(logs, found),
        evidence={
            "answers": count,
            **{event.kind.replace("-", "_"): event.count for event in found},
            "longest_wait_ms": max(
                (event.values["longest_wait_ms"] for event in found if "longest_wait_ms" in event.values),
                default=None,
            ),
        },
        explanation=tuple(explained),
        remedy=((LIMIT_BACK,) if short else ()) + check.card.remedy,
        when=ranges_of(found),
        weight=0.3,
    )
