"""Too large a share of the broker's writes takes long."""

from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.facts.put_buckets import puts_of
from mqdiag.facts.store_logs import PutLatency
from mqdiag.findings import EvidenceValue, Severity
from mqdiag.log_events import between, enough, events, is_set, lines_of, of_broker, when
from mqdiag.rules.rule import Findings, Limits, Result, Rule
from mqdiag.rules.shared.broker_status import counters
from mqdiag.rules.shared.brokers import brokers_of_logs, called
from mqdiag.rules.shared.transient_pool import pool_fits
from mqdiag.rules.shared.write_times import slow_ranges
from mqdiag.text import Text, Value
from mqdiag.time_ranges import ranges_apart, ranges_of

RULE = Rule("slow-writes")
LINES = ("slow-put", "slow-flush", "store-file-late")
"""lines about single writes, flushes and files"""
WHOLE_FILE_BYTES = 1 << 30
"""mappedFileSizeCommitLog by default"""


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Findings:
    """One finding for each broker; a rule by the share alone would speak for a few writes."""
    for logs in brokers_of_logs(facts):
        put, late = logs.pagecachert, _awaited_files(logs, limits)
        words = _words(logs, late, pool=pool_fits(logs, facts.heap))
        slow = events(logs, *LINES)
        if put is not None and _shows_it(logs, put, limits):
            yield _by_latency(logs, put, late, words, limits)
        elif late:
            yield RULE.case(
                "late-small-files" if words["small_files"] else "late-files",
                logs=logs,
                events=late,
                subject=of_broker(logs),
                evidence=_evidence_of(late),
                words=words,
            )
        # writes that are slow under the lock are the page cache's, a rule of its own
        elif enough(logs, lines_of(slow), limits["lines"]) and not logs.count("slow-put-in-lock"):
            yield _by_lines(logs, slow, words)
        elif put is not None and put.puts >= limits["puts"]:
            yield from _margin(called(of_broker(logs).broker), put.from_100_ms / put.puts, limits)


def _words(logs: LogsFacts, late: list[LogEvent], *, pool: bool) -> dict[str, Value]:
    """What decides which sentences stand."""
    sync_flush = is_set(logs, "flushDiskType", "SYNC_FLUSH")
    sync_master = is_set(logs, "brokerRole", "SYNC_MASTER")
    return {
        "late_files": bool(late),
        # files that are needed sooner than a good disk makes them
        "small_files": 0 < _file_bytes(late) < WHOLE_FILE_BYTES,
        "sync_flush": sync_flush,
        "sync_master": sync_master,
        "settings_known": sync_flush or sync_master or {"flushDiskType", "brokerRole"} <= logs.settings.keys(),
        "pool_fits": pool,
    }


def _awaited_files(logs: LogsFacts, limits: Limits) -> list[LogEvent]:
    """New files of the commit log that were slow to make, where writes held the lock that long at the same time."""
    made, in_lock = events(logs, "slow-new-file"), events(logs, "slow-put-in-lock")
    at_once = ranges_apart(ranges_of(made), ranges_of(in_lock)) is False
    waited = at_once and 2 * lines_of(made) >= lines_of(in_lock)
    return made if in_lock and waited and lines_of(made) >= limits["new_files"] else []


def _file_bytes(made: list[LogEvent]) -> int:
    """The size of the largest of these files; 0 where there is none."""
    return max((event.values.get("file_bytes", 0) for event in made), default=0)


def _evidence_of(made: list[LogEvent]) -> dict[str, EvidenceValue]:
    if not made:
        return {}
    return {
        "new_files": lines_of(made),
        "longest_new_file_ms": max(event.values.get("longest_ms", 0) for event in made),
        "file_bytes": _file_bytes(made) or None,
    }


def _shows_it(logs: LogsFacts, put: PutLatency, limits: Limits) -> bool:
    """Whether the PAGECACHERT lines show it; of an excerpt some writes of a second and longer are enough."""
    few = logs.is_excerpt and put.from_1_s >= limits["seconds_of_excerpt"]
    return few or _is_slow(put.puts, put.from_100_ms, limits)


def _is_slow(puts: int, from_100_ms: int, limits: Limits) -> bool:
    return (
        puts >= limits["puts"] and from_100_ms >= limits["slow_puts"] and from_100_ms / puts >= limits["share"]
    )


def _severity(share: float, limits: Limits) -> Severity:
    return Severity.ERROR if share >= limits["error_share"] else Severity.WARNING


def _margin(broker: Text, share: float, limits: Limits) -> Findings:
    """Nothing for a few slow writes among few, where the share alone is over its limit."""
    if share < limits["share"]:
        yield RULE.margin("slow", share, limits["share"], broker=broker)


def _by_latency(
    logs: LogsFacts, put: PutLatency, late: list[LogEvent], words: dict[str, Value], limits: Limits
) -> Result:
    share, worst = put.from_100_ms / put.puts, put.worst
    slow = _is_slow(put.puts, put.from_100_ms, limits)
    return RULE.case(
        "slow-writes-with-late-files" if late else "slow-writes",
        put,
        logs=logs,
        subject=of_broker(logs),
        evidence={
            "share": round(share, 6),
            "minutes": put.lines,
            "worst_at": None if worst is None else worst.at,
            "worst_from_100_ms": None if worst is None else worst.from_100_ms,
            "worst_puts": None if worst is None else worst.puts,
            **_evidence_of(late),
        },
        words={
            **words,
            "between": between(put.first, put.last),
            # a log of one minute has said that already
            "several_minutes": worst is not None and worst.puts < put.puts,
        },
        severity=_severity(share, limits) if slow else Severity.WARNING,
        cause="new-file" if words["small_files"] else "slow-disk" if late else "slow-writes",
        when=slow_ranges(put),
        weight=share,
    )


def _by_lines(logs: LogsFacts, found: list[LogEvent], words: dict[str, Value]) -> Result:
    kinds = {event.kind for event in found}
    longest = max((event.values.get("longest_ms", 0) for event in found), default=0)
    return RULE.case(
        "slow-by-lines",
        logs=logs,
        events=found,
        subject=of_broker(logs),
        evidence={"lines": lines_of(found), "longest_ms": longest or None},
        words=words,
        rows={
            "events": tuple(
                {"what": RULE.word(event.kind), "lines": event.count, "when": when(event)} for event in found
            )
        },
        cause="slow-disk"
        if "slow-flush" in kinds
        else "new-file"
        if "store-file-late" in kinds
        else "slow-writes",
    )


@RULE.sees("admin")
def in_admin(facts: Facts, limits: Limits) -> Findings:
    """One finding for each broker of brokerStatus."""
    for broker in counters(facts):
        puts = puts_of(broker.status.put_buckets)
        if _is_slow(puts.total, puts.from_100_ms, limits):
            share = puts.from_100_ms / puts.total
            yield RULE.case(
                "slow-writes-by-counter",
                puts,
                subject=broker.subject,
                evidence={
                    "puts": puts.total,
                    "share": round(share, 6),
                    "longest_ms": broker.number("putMessageEntireTimeMax"),
                },
                words={"pool_fits": pool_fits(facts.logs, facts.heap)},
                severity=_severity(share, limits),
                when=broker.when,
                weight=share,
            )
        elif puts.total >= limits["puts"]:
            yield from _margin(broker.called, puts.from_100_ms / puts.total, limits)
