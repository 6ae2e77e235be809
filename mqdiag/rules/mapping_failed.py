"""The broker cannot map a file of its store into memory."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import LITERALS, Draft, Limits, Rule, Said
from mqdiag.rules.shared.brokers import brokers_of_logs, subject_of_logs
from mqdiag.rules.shared.log_events import counted, events, files_of, lines_of, when
from mqdiag.text import Text, say
from mqdiag.time_ranges import ranges_of

RULE = Rule(
    name="mapping-failed",
    title="The broker cannot map a file of its store into memory",
    why=(
        "The broker maps each file of its commit log and of its consume queues. Linux allows a process 65,530 mapped"
        " areas (vm.max_map_count), and each file of each queue is one. On Windows the paging file, and in a 32-bit JVM"
        " the address space, are the limit. The JVM reports it as an OutOfMemoryError, yet the Java heap has no part in"
        " it."
    ),
    causes=("map-count", "address-space", "paging-file"),
    severities=(Severity.ERROR,),
    remedy=(
        "Set vm.max_map_count to 655360 or more (sysctl -w, and /etc/sysctl.conf), as os.sh of RocketMQ does.",
        "Delete topics and queues that nobody uses: each queue has files of its own.",
        "On Windows enlarge the paging file, and use a 64-bit JVM.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/486",
        "https://github.com/apache/rocketmq/issues/1623",
        "https://github.com/apache/rocketmq/issues/2612",
        "MappedFile.init: FileChannel.map",
    ),
    lies_at="broker",
    in_chain=say("the broker cannot map files of its store"),
    leads_to={"consume-queue-broken": say("and")},
    proven_on=LITERALS,
)


def _facts(kind: str) -> Facts:
    event = LogEvent(
        kind=kind,
        side="broker",
        count=2,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:00:09+08:00",
        values={"consume_queue": 1},
    )
    return Facts(logs=LogsFacts(events=(event,)))


def fires() -> Facts:
    """Two files of a consume queue could not be mapped."""
    return _facts("map-failed")


def silent() -> Facts:
    """Something else."""
    return _facts("pool-low")


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker; one line is enough."""
    for logs in brokers_of_logs(facts):
        found = events(logs, "map-failed")
        if found:
            yield _draft(logs, found)


def _cause(found: list[LogEvent]) -> str:
    seen = {name for event in found for name in event.values}
    if "paging_file" in seen:
        return "paging-file"
    return "address-space" if "windows" in seen else "map-count"


def _draft(logs: LogsFacts, found: list[LogEvent]) -> Draft:
    cause = _cause(found)
    of_queues = any("consume_queue" in event.values for event in found)
    sure = cause == "paging-file"
    return Draft(
        severity=Severity.ERROR,
        cause=cause,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
        confidence_reason=say("the error names the paging file")
        if sure
        else say("the error does not name the limit; count the lines of /proc/PID/maps to prove it"),
        title=say("The broker could not map files of its store into memory, {lines:count} {lines:time|times}"),
        subject=subject_of_logs(logs, found),
        evidence={"lines": lines_of(found), **counted(found)},
        explanation=tuple(_explained(found, cause, of_queues=of_queues)),
        remedy=_REMEDIES[cause],
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.8,
    )


def _explained(found: list[LogEvent], cause: str, *, of_queues: bool) -> Iterator[Text]:
    for event in found:
        yield say(
            "{lines:count} {lines:record|records} 'Map failed' {when}.", lines=event.count, when=when(event)
        )
    if cause == "map-count" and of_queues:
        yield say("A file of a consume queue failed: brokers with many queues reach vm.max_map_count first.")
    yield say("The Java heap is not full: a mapped file takes nothing of it, and a larger -Xmx makes it worse.")


_REMEDIES: dict[str, tuple[Text, ...]] = {
    "map-count": RULE.remedy[:2],
    "address-space": (RULE.remedy[2], RULE.remedy[1]),
    "paging-file": (RULE.remedy[2],),
}
