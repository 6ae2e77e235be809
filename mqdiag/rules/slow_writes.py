"""Too large a share of the broker's writes takes long."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.logs import LogEvent, LogsFacts, PutLatency, PutMinute
from mqdiag.facts.put_buckets import Puts, puts_of
from mqdiag.findings import Confidence, EvidenceValue, Margin, Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.broker_status import Counters, counters
from mqdiag.rules.shared.brokers import brokers_of_logs, called
from mqdiag.rules.shared.busy_remedies import POOL_IF_ASYNC_MASTER, pool_fits, with_pool_if
from mqdiag.rules.shared.excerpts import enough, is_excerpt, surest
from mqdiag.rules.shared.log_events import between, counted, events, files_of, is_set, lines_of, of_broker, when
from mqdiag.rules.shared.write_times import slow_ranges
from mqdiag.text import NOTHING, Text, say
from mqdiag.time_ranges import ranges_apart, ranges_of

FASTER_SYNC = say(
    "Put the store on a disk that syncs faster, because each write waits for it. ASYNC_FLUSH ends the wait; the price:"
    " the last messages are lost if the host dies."
)
CHECK_SLAVE = say("Check the slave's disk and the network to it, because each write waits for the slave.")
IF_SYNCHRONOUS = say("With SYNC_FLUSH or a SYNC_MASTER this time includes the disk or the slave; check both.")

RULE = Rule(
    name="slow-writes",
    title="The broker writes slowly",
    why=(
        "Once a minute the broker logs how long its writes took ([PAGECACHERT] in store.log); mqadmin brokerStatus has"
        " the same for one minute (putMessageDistributeTime). It also logs each write, each flush and each new file"
        " that took longer than it should. On a healthy broker not one of tens of thousands of writes takes 100 ms. A"
        " write's time includes the wait for the lock, the page cache and, where configured, the flush and the slave."
    ),
    causes=("slow-writes", "slow-disk", "new-file"),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Check the disk (iostat -x 1), memory reclaim and swapping (vmstat 1), and what else uses them on the broker's"
        " host at the time of the slow writes.",
        IF_SYNCHRONOUS,
        "Add brokers, memory or SSDs.",
        POOL_IF_ASYNC_MASTER,
    ),
    references=(
        "article 002: PAGECACHERT as proof that the cluster is sound",
        "https://github.com/apache/rocketmq/issues/3350",
        "https://github.com/apache/rocketmq/issues/2427",
        "StoreStatsService.getPutMessageDistributeTimeStringInfo, AllocateMappedFileService",
    ),
    limits={
        "puts": 100,
        "slow_puts": 10,
        "new_files": 3,
        "share": 0.001,
        "error_share": 0.01,
        "lines": 10,
        "seconds_of_excerpt": 3,
    },
    explained_by=("transient-pool-exhausted", "slave-behind:slow-slave"),
    lies_at="broker",
    in_chain=say("the broker writes slowly"),
)
LINES = {
    "slow-put": say(
        "Writes took longer than 500 ms, and not under the lock: they waited for it, the disk or the slave"
    ),
    "slow-flush": say("Flushes of the commit log took longer than 500 ms: the disk is slow"),
    "store-file-late": say("A new file was not made within five seconds: the disk is slow, or memory is short"),
}
"""what the lines of an event say"""
WHOLE_FILE_BYTES = 1 << 30
"""mappedFileSizeCommitLog by default"""
LARGER_FILES = say(
    "Give a new broker files of the default size, 1073741824 bytes (mappedFileSizeCommitLog; mapedFileSizeCommitLog"
    " before 4.5.2), and move the topics to it: a broker makes the next file ahead, and has no time for that with files"
    " this small. Do not change the size for this store: a store with files of another size does not load."
)
TITLE = say("The broker writes slowly: {from_100_ms:count} of {puts:count} writes took 100 ms or longer")
LATE_FILES = say(
    "The broker's writes wait for new files of the commit log: making one took up to {longest_new_file_ms:ms}"
)


def _facts(slow: int, puts: int) -> Facts:
    worst = PutMinute(at="2026-11-21T20:01:39+08:00", puts=puts, from_100_ms=slow)
    return Facts(
        logs=LogsFacts(
            pagecachert=PutLatency(
                lines=1,
                puts=puts,
                buckets={"<=0ms": puts - slow, "1~2s": slow},
                from_10_ms=slow,
                from_100_ms=slow,
                from_1_s=slow,
                slow_minutes=1,
                worst=worst,
            )
        )
    )


def fires() -> Facts:
    """Of 40,301 writes 232 took a second or longer."""
    return _facts(232, 40_301)


def silent() -> Facts:
    """Two of fifty did, while the broker wrote nearly nothing: a share of so few proves nothing."""
    return _facts(2, 50)


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker; a rule by the share alone would speak for a few writes."""
    for logs in brokers_of_logs(facts):
        put = logs.pagecachert
        new_files = _awaited_files(logs, limits)
        remedy = _remedy(logs, facts.heap, new_files)
        if put is not None and _shows_it(logs, put, limits):
            yield _by_logs(logs, put, new_files, limits, remedy)
            continue
        if new_files:
            yield _by_new_files(logs, new_files, remedy)
            continue
        slow = events(logs, *LINES)
        # writes that are slow under the lock are the page cache's, a rule of its own
        if enough(logs, lines_of(slow), limits["lines"]) and not logs.count("slow-put-in-lock"):
            yield _by_lines(logs, slow, remedy)
        elif put is not None and put.puts >= limits["puts"]:
            yield from _margin(called(of_broker(logs).broker), put.from_100_ms / put.puts, limits)


def _remedy(logs: LogsFacts, heap: HeapFacts | None, new_files: list[LogEvent]) -> tuple[Text, ...]:
    """What fits the broker's own settings comes first; what they rule out is left out."""
    first = [LARGER_FILES] if _are_small(new_files) else []
    if is_set(logs, "flushDiskType", "SYNC_FLUSH"):
        first.append(FASTER_SYNC)
    if is_set(logs, "brokerRole", "SYNC_MASTER"):
        first.append(CHECK_SLAVE)
    known = (
        FASTER_SYNC in first or CHECK_SLAVE in first or {"flushDiskType", "brokerRole"} <= logs.settings.keys()
    )
    rest = with_pool_if(pool_fits(logs, heap), RULE.remedy)
    return (*first, *(line for line in rest if not known or line != IF_SYNCHRONOUS))


def _awaited_files(logs: LogsFacts, limits: Limits) -> list[LogEvent]:
    """New files of the commit log that were slow to make, where writes held the lock that long at the same time."""
    made, in_lock = events(logs, "slow-new-file"), events(logs, "slow-put-in-lock")
    at_once = ranges_apart(ranges_of(made), ranges_of(in_lock)) is False
    waited = at_once and 2 * lines_of(made) >= lines_of(in_lock)
    return made if in_lock and waited and lines_of(made) >= limits["new_files"] else []


def _file_bytes(made: list[LogEvent]) -> int:
    """The size of the largest of these files; 0 where there is none."""
    return max((event.values.get("file_bytes", 0) for event in made), default=0)


def _are_small(made: list[LogEvent]) -> bool:
    """Whether the files are smaller than by default, so that they are needed sooner than a good disk makes them."""
    return 0 < _file_bytes(made) < WHOLE_FILE_BYTES


def _cause_of(made: list[LogEvent]) -> str:
    return "new-file" if _are_small(made) else "slow-disk"


def _new_files(made: list[LogEvent]) -> Iterator[Text]:
    if made:
        yield say(
            "{new_files:count} new {new_files:file|files} of the commit log took more than 500 ms to make, the longest"
            " {longest_new_file_ms:ms}. A write that needs the next file waits for it and holds the lock meanwhile."
        )
    if _are_small(made):
        yield say("Each file has {file_bytes:bytes}; the default is 1 GiB.")


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
    few = is_excerpt(logs) and put.from_1_s >= limits["seconds_of_excerpt"]
    return few or _is_slow(put.puts, put.from_100_ms, limits)


def _is_slow(puts: int, from_100_ms: int, limits: Limits) -> bool:
    return (
        puts >= limits["puts"] and from_100_ms >= limits["slow_puts"] and from_100_ms / puts >= limits["share"]
    )


def _margin(broker: Text, share: float, limits: Limits) -> Iterator[Margin]:
    """Nothing for a few slow writes among few, where the share alone is over its limit."""
    if share < limits["share"]:
        label = say("writes of {broker} that took 100 ms or longer", broker=broker)
        yield Margin(rule="", label=label, value=share, limit=limits["share"], kind="percent")


def _by_logs(
    logs: LogsFacts, put: PutLatency, new_files: list[LogEvent], limits: Limits, remedy: tuple[Text, ...]
) -> Draft:
    share, worst = put.from_100_ms / put.puts, put.worst
    explained = [
        say(
            "{from_100_ms:count} of {puts:count} writes took 100 ms or longer ({share:percent}), {from_1_s:count} took"
            " 1 s or longer (PAGECACHERT lines {between}).",
            between=between(put.first, put.last),
        )
    ]
    # A log of one minute has said that already.
    if worst is not None and worst.puts < put.puts:
        explained.append(
            say(
                "The worst minute ended at {worst_at:time}: {worst_from_100_ms:count} of {worst_puts:count} writes took"
                " 100 ms or longer."
            )
        )
    explained.extend(_new_files(new_files))
    if is_set(logs, "flushDiskType", "SYNC_FLUSH"):
        explained.append(say("The broker is set to SYNC_FLUSH: each write waits for the disk."))
    if is_set(logs, "brokerRole", "SYNC_MASTER"):
        explained.append(say("The broker is a SYNC_MASTER: each write waits for the slave."))
    confidence, reason = surest(logs, Confidence.HIGH, NOTHING)
    return Draft(
        severity=_severity(share, limits) if _is_slow(put.puts, put.from_100_ms, limits) else Severity.WARNING,
        cause=_cause_of(new_files) if new_files else "slow-writes",
        confidence=confidence,
        confidence_reason=reason,
        title=LATE_FILES if new_files else TITLE,
        subject=of_broker(logs),
        evidence={
            "puts": put.puts,
            "from_10_ms": put.from_10_ms,
            "from_100_ms": put.from_100_ms,
            "from_1_s": put.from_1_s,
            "share": round(share, 6),
            "slow_minutes": put.slow_minutes,
            "minutes": put.lines,
            "worst_at": None if worst is None else worst.at,
            "worst_from_100_ms": None if worst is None else worst.from_100_ms,
            "worst_puts": None if worst is None else worst.puts,
            **_evidence_of(new_files),
        },
        explanation=tuple(explained),
        remedy=remedy,
        when=slow_ranges(put),
        weight=share,
    )


def _by_new_files(logs: LogsFacts, made: list[LogEvent], remedy: tuple[Text, ...]) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause=_cause_of(made),
        confidence=Confidence.HIGH if _are_small(made) else Confidence.MEDIUM,
        confidence_reason=NOTHING if _are_small(made) else say("other work on the disk makes files late, too"),
        title=LATE_FILES,
        subject=of_broker(logs),
        evidence=_evidence_of(made),
        explanation=tuple(_new_files(made)),
        remedy=remedy,
        rests_on=files_of(made),
        when=ranges_of(made),
        weight=0.3,
    )


def _by_lines(logs: LogsFacts, found: list[LogEvent], remedy: tuple[Text, ...]) -> Draft:
    kinds = {event.kind for event in found}
    longest = max((event.values.get("longest_ms", 0) for event in found), default=0)
    confidence, reason = surest(logs, Confidence.HIGH, NOTHING)
    return Draft(
        severity=Severity.WARNING,
        cause="slow-disk"
        if "slow-flush" in kinds
        else "new-file"
        if "store-file-late" in kinds
        else "slow-writes",
        confidence=confidence,
        confidence_reason=reason,
        title=say("The broker writes slowly: a write or a flush took {longest_ms:ms}")
        if longest
        else say("The broker writes slowly: new files of its store come late"),
        subject=of_broker(logs),
        evidence={"lines": lines_of(found), "longest_ms": longest or None, **counted(found)},
        explanation=tuple(
            say(
                "{what}: {lines:count} {lines:line|lines} {when}.",
                what=what,
                lines=event.count,
                when=when(event),
            )
            for event in found
            for what in (LINES[event.kind],)
        ),
        remedy=remedy,
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.3,
    )


def _severity(share: float, limits: Limits) -> Severity:
    return Severity.ERROR if share >= limits["error_share"] else Severity.WARNING


@RULE.sees("admin")
def in_admin(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker of brokerStatus."""
    remedy = with_pool_if(pool_fits(facts.logs, facts.heap), RULE.remedy)
    for broker in counters(facts):
        puts = puts_of(broker.status.put_buckets)
        if _is_slow(puts.total, puts.from_100_ms, limits):
            yield _by_counters(broker, puts, limits, remedy)
        elif puts.total >= limits["puts"]:
            yield from _margin(broker.called, puts.from_100_ms / puts.total, limits)


def _by_counters(broker: Counters, puts: Puts, limits: Limits, remedy: tuple[Text, ...]) -> Draft:
    share = puts.from_100_ms / puts.total
    longest = broker.number("putMessageEntireTimeMax")
    explained = [
        say(
            "brokerStatus: of {puts:count} writes in one minute {from_100_ms:count} took 100 ms or longer"
            " ({share:percent}), {from_1_s:count} took 1 s or longer (putMessageDistributeTime)."
        )
    ]
    if longest is not None:
        explained.append(
            say("The longest since the broker's start took {longest_ms:count} ms (putMessageEntireTimeMax).")
        )
    return Draft(
        severity=_severity(share, limits),
        cause="slow-writes",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("brokerStatus has one minute only; store.log has all of them"),
        title=TITLE,
        subject=broker.subject,
        evidence={
            "puts": puts.total,
            "from_10_ms": puts.from_10_ms,
            "from_100_ms": puts.from_100_ms,
            "from_1_s": puts.from_1_s,
            "share": round(share, 6),
            "longest_ms": longest,
        },
        explanation=tuple(explained),
        remedy=remedy,
        when=broker.when,
        weight=share,
    )
