"""Puts of a DLedger broker wait long for the answer of its followers."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts, PutLatency
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import LITERALS, Draft, Limits, Rule, Said
from mqdiag.rules.shared.brokers import brokers_of_logs, subject_of_logs
from mqdiag.rules.shared.log_events import counted, events, files_of, lines_of, when
from mqdiag.text import Text, say
from mqdiag.time_ranges import ranges_of

RULE = Rule(
    name="dledger-ack-late",
    title="Puts of a DLedger broker wait long for its followers",
    why=(
        "A DLedger broker answers a send when a majority of its group has the message. The thread QuorumAckChecker"
        " gives the answer. On a broker that is nearly idle, versions of DLedger before 0.2.7 wake it only with the"
        " next put, so that a send waits for seconds although disk and followers are sound."
    ),
    causes=("idle-broker", "slow-follower", "slow-disk"),
    severities=(Severity.WARNING,),
    remedy=(
        "Upgrade the broker: DLedger 0.2.7 and later answer a lonely put at once.",
        "On a busy broker look at the followers: their disks, their collections, and the network between them.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/4814",
        "https://github.com/openmessaging/dledger/pull/200",
    ),
    limits={"wait_ms": 1000, "idle_puts_per_minute": 60},
    lies_at="broker",
    in_chain=say("the broker waits long for its DLedger followers"),
    proven_on=LITERALS,
)


def _facts(longest_ms: int) -> Facts:
    event = LogEvent(
        kind="quorum-ack-waited",
        side="broker",
        count=1,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:00:01+08:00",
        values={"longest_ms": longest_ms},
    )
    put = PutLatency(lines=2, puts=9, buckets={}, from_10_ms=1, from_100_ms=1, from_1_s=1)
    return Facts(logs=LogsFacts(events=(event,), pagecachert=put))


def fires() -> Facts:
    """A put waited for half a minute on a broker with five puts a minute."""
    return _facts(31_000)


def silent() -> Facts:
    """Just above the broker's own limit for logging it."""
    return _facts(520)


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker."""
    for logs in brokers_of_logs(facts):
        found = events(logs, "quorum-ack-waited")
        if any(event.values.get("longest_ms", 0) >= limits["wait_ms"] for event in found):
            yield _draft(logs, found, limits)


def _draft(logs: LogsFacts, found: list[LogEvent], limits: Limits) -> Draft:
    put = logs.pagecachert
    rate = None if put is None or not put.lines else put.puts / put.lines
    cause = _cause(logs, rate, limits)
    return Draft(
        severity=Severity.WARNING,
        cause=cause,
        confidence=Confidence.MEDIUM,
        confidence_reason=say("the logs of the followers are not at hand"),
        title=say("A put of a DLedger broker waited {longest_ms:ms} for the answer of its group"),
        subject=subject_of_logs(logs, found),
        evidence={
            "lines": lines_of(found),
            "longest_ms": max(event.values.get("longest_ms", 0) for event in found),
            "puts_per_minute": None if rate is None else round(rate, 1),
            "slow_puts_in_lock": logs.count("slow-put-in-lock"),
            **counted(found),
        },
        explanation=tuple(_explained(found, cause, rate)),
        remedy=RULE.remedy,
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.4,
    )


def _cause(logs: LogsFacts, rate: float | None, limits: Limits) -> str:
    if logs.count("slow-put-in-lock"):
        return "slow-disk"
    return "idle-broker" if rate is not None and rate < limits["idle_puts_per_minute"] else "slow-follower"


def _explained(found: list[LogEvent], cause: str, rate: float | None) -> Iterator[Text]:
    for event in found:
        yield say(
            "{lines:count} {lines:put|puts} waited outside of the lock, by the thread QuorumAckChecker, {when}.",
            lines=event.count,
            when=when(event),
        )
    if rate is not None:
        yield say("The broker wrote {puts_per_minute:decimal} messages a minute.")
    if cause == "idle-broker":
        yield say("So few puts wake the thread that answers them only one by the next.")
    if cause == "slow-disk":
        yield say(
            "{slow_puts_in_lock:count} {slow_puts_in_lock:write was|writes were} slow under the lock as well: the disk"
            " is slow."
        )
