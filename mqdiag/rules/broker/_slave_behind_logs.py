"""slave-behind from logs: the master's line of each minute, connections that expired, waits without an answer."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogsFacts, ReplicaGap
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.broker._logs import each_broker, subject
from mqdiag.rules.broker._remedies import SLAVE_AHEAD, SLAVE_BEHIND
from mqdiag.rules.broker._slave_behind_heap import DEFAULT_MAX_BYTES
from mqdiag.rules.log_events import between, events, when
from mqdiag.rules.registry import Draft
from mqdiag.text import say
from mqdiag.time_ranges import between as between_times
from mqdiag.time_ranges import joined, ranges_of

LEAST_TIMEOUTS = 3


def in_logs(facts: Facts) -> Iterator[Draft]:
    """For each broker of the logs one finding for a slave that is behind, one for one that is ahead."""
    for own in each_broker(facts):
        if own.logs is not None:
            yield from _of_one(own.logs)


def _of_one(logs: LogsFacts) -> Iterator[Draft]:
    ahead = [gap for gap in logs.replica_gaps if gap.smallest_bytes < 0]
    if ahead:
        yield _ahead(logs, min(ahead, key=lambda gap: gap.smallest_bytes))
    gaps = [gap for gap in logs.replica_gaps if gap.replica_seen and gap.largest_bytes > 0]
    gap = max(gaps, key=lambda gap: gap.largest_bytes, default=None)
    expired = bool(logs.count("slave-connection-expired"))
    stuck = gap is not None and expired and bool(gap.growing) and gap.last_bytes == gap.largest_bytes
    if (
        (gap is not None and gap.largest_bytes > DEFAULT_MAX_BYTES)
        or stuck
        or logs.count("slave-transfer-timeout") >= LEAST_TIMEOUTS
    ):
        yield _behind(logs, gap)


def _behind(logs: LogsFacts, gap: ReplicaGap | None) -> Draft:
    timeouts, expired = events(logs, "slave-transfer-timeout"), events(logs, "slave-connection-expired")
    explained = [
        say(
            (
                "A SYNC_MASTER waited for its slave in vain, {count:count} lines {when}; senders see"
                " FLUSH_SLAVE_TIMEOUT or SLAVE_NOT_AVAILABLE."
            ),
            count=event.count,
            when=when(event),
        )
        for event in timeouts
    ]
    explained += [
        say(
            "A slave confirmed nothing for 20 s and was disconnected, {count:count} times {when}.",
            count=event.count,
            when=when(event),
        )
        for event in expired
    ]
    if gap is not None:
        explained.append(
            say(
                (
                    "The master counts {largest_bytes:bytes} that the slave lacked at most, {last_bytes:bytes}"
                    " at the end ({lines:count} lines {between})."
                ),
                largest_bytes=gap.largest_bytes,
                last_bytes=gap.last_bytes,
                lines=gap.lines,
                between=between(gap.first, gap.last),
            )
        )
    return Draft(
        severity=Severity.WARNING,
        cause="slow-slave",
        confidence=Confidence.HIGH,
        title=say("The slave does not keep up")
        + (
            say(": it is {last_bytes:bytes} behind", last_bytes=gap.last_bytes)
            if gap is not None and gap.last_bytes > 0
            else ""
        ),
        subject=subject(logs, timeouts),
        evidence={
            "behind_bytes": None if gap is None else gap.last_bytes,
            "largest_behind_bytes": None if gap is None else gap.largest_bytes,
            "timeouts": sum(event.count for event in timeouts),
            "expired_connections": sum(event.count for event in expired),
        },
        explanation=tuple(explained),
        remedy=SLAVE_BEHIND,
        when=joined((*ranges_of([*timeouts, *expired]), *(between_times(gap.first, gap.last) if gap else ()))),
        weight=0.5,
    )


def _ahead(logs: LogsFacts, gap: ReplicaGap) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause="slave-ahead",
        confidence=Confidence.HIGH,
        title=say(
            "The slave has {smallest_bytes:bytes} that its master does not have",
            smallest_bytes=-gap.smallest_bytes,
        ),
        subject=subject(logs, []),
        evidence={"behind_bytes": gap.smallest_bytes, "lines": gap.negative_lines},
        explanation=(
            say(
                (
                    "`Slave fall behind master` is negative in {negative_lines:count} of {lines:count} lines"
                    " {between}: the slave is ahead, for the master lost the end of its commit log, as after a"
                    " power loss."
                ),
                negative_lines=gap.negative_lines,
                lines=gap.lines,
                between=between(gap.first, gap.last),
            ),
        ),
        remedy=SLAVE_AHEAD,
        when=between_times(gap.first, gap.last),
        weight=0.6,
    )
