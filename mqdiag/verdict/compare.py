"""Where the kinds of evidence of one process say the same, and where they do not."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from mqdiag.facts.heap import HeapThread
from mqdiag.facts.logs import LogFile
from mqdiag.facts.stacks import ThreadFacts
from mqdiag.findings import Finding, Report
from mqdiag.text import say
from mqdiag.verdict.same_fault import IN_HEAP, STANDSTILLS, threads_of, twins

STANDING = frozenset({"stuck", "blocked"})
NAMES_SHOWN = 3
NEAR = timedelta(hours=1)
ANY_ZONE = timedelta(hours=14)


def agreements(report: Report) -> tuple[str, ...]:
    """One line for each fault that two kinds of evidence show."""
    return tuple(dict.fromkeys(_agreements(report)))


def _agreements(report: Report) -> Iterator[str]:
    in_heap = _heap_threads(report)
    in_stacks = _stack_threads(report)
    for finding in report.findings:
        if finding.rule != IN_HEAP:
            continue
        for twin in twins(finding, report.findings):
            names = sorted(threads_of(finding) & threads_of(twin))
            line = say("heap dump and thread dumps show the same: {names}", names=_some(names))
            first = names[0]
            if _same_address(in_heap.get(first), in_stacks.get(first)):
                line += say(", by name and by address")
            if _same_frame(in_heap.get(first), in_stacks.get(first)):
                line += say(", in {frame} both times", frame=(in_stacks[first].frame or "").partition("(")[0])
            yield line
    seen: dict[tuple[str, str | None, str | None], set[str]] = {}
    for finding in report.findings:
        key = (finding.rule, finding.subject.group, finding.subject.broker)
        seen.setdefault(key, set()).update(finding.seen_in)
    for (rule, group, broker), kinds in seen.items():
        if len(kinds) > 1:
            about = (
                say(" of group {group}", group=group)
                if group
                else say(" of broker {broker}", broker=broker)
                if broker
                else ""
            )
            yield say(
                "{rule}{about} is seen in {kinds}",
                rule=rule.replace("-", " "),
                about=about,
                kinds=say(" and ").join(map(say, sorted(kinds))),
            )


def contradictions(report: Report) -> tuple[str, ...]:
    """Where heap dump and thread dumps of one process disagree about a thread."""
    return tuple(dict.fromkeys(_contradictions(report)))


def time_gap(report: Report) -> str | None:
    """That logs and heap dump are of different times, when they are; zones that are not known are allowed for."""
    heap, logs = report.heap, report.logs
    if heap is None or logs is None or heap.captured_at is None:
        return None
    written = datetime.fromisoformat(heap.captured_at)
    spans = [_span(file) for file in logs.files if file.first is not None and file.last is not None]
    if not spans:
        return None
    begin, end = min(first for first, _ in spans), max(last for _, last in spans)
    if end < written - NEAR:
        return say("the logs end {hours} before the heap dump was written", hours=_hours(written - end))
    if begin > written + NEAR:
        return say("the logs begin {hours} after the heap dump was written", hours=_hours(begin - written))
    return None


def _span(file: LogFile) -> tuple[datetime, datetime]:
    """The instants between which a log was written, at the widest."""
    first, last = (datetime.fromisoformat(time or "") for time in (file.first, file.last))
    if first.tzinfo is not None and last.tzinfo is not None:
        return first, last
    return first.replace(tzinfo=UTC) - ANY_ZONE, last.replace(tzinfo=UTC) + ANY_ZONE


def _hours(gap: timedelta) -> str:
    hours = gap.total_seconds() / 3600
    return f"{hours:.0f} h" if hours < 48 else say("{hours:count} days", hours=hours / 24)


def contradicted(finding: Finding, report: Report) -> bool:
    """Whether the thread dumps saw every thread of a finding of the heap at other work or at none."""
    return finding.rule == IN_HEAP and bool(_moving(finding, report)) and not twins(finding, report.findings)


def _contradictions(report: Report) -> Iterator[str]:
    states = _stack_threads(report)
    for finding in report.findings:
        if finding.rule != IN_HEAP:
            continue
        moving = _moving(finding, report)
        if moving:
            seen = say(" and ").join(map(say, sorted({states[name].state for name in moving})))
            yield (
                say(
                    "the heap dump has {moving} at one message for long, the thread dumps have {it}"
                    " {seen}: they were taken at different times, or the work is slow and not stuck",
                    moving=_some(moving),
                    it=say("it") if len(moving) == 1 else say("them"),
                    seen=seen,
                )
            )
    heap = report.heap
    if heap is None or not any(thread.message is not None for thread in heap.threads):
        return
    at_work = {thread.name for thread in heap.threads if thread.message is not None}
    known = {thread.name for thread in heap.threads}
    for finding in report.findings:
        if finding.rule not in STANDSTILLS or finding.subject.group is None:
            continue
        free = sorted(
            name
            for name in threads_of(finding)
            if name in known and name not in at_work and _is_worker(states.get(name))
        )
        if free:
            yield (
                say(
                    "the thread dumps have {free} standing, the heap dump has no message in {hand}: the"
                    " dumps were taken at different times",
                    free=_some(free),
                    hand=say("its hand") if len(free) == 1 else say("their hands"),
                )
            )


def _moving(finding: Finding, report: Report) -> list[str]:
    """Threads of a finding of the heap that the thread dumps, where they can tell, saw moving or idle."""
    stacks = report.stacks
    if stacks is None or not stacks.judged:
        return []
    states = _stack_threads(report)
    return sorted(
        name for name in threads_of(finding) if name in states and states[name].state in ("progressing", "idle")
    )


def _heap_threads(report: Report) -> dict[str, HeapThread]:
    return {} if report.heap is None else {thread.name: thread for thread in report.heap.threads}


def _stack_threads(report: Report) -> dict[str, ThreadFacts]:
    return {} if report.stacks is None else {thread.name: thread for thread in report.stacks.threads}


def _is_worker(thread: ThreadFacts | None) -> bool:
    return thread is not None and thread.role == "consume-worker"


def _same_address(one: HeapThread | None, other: ThreadFacts | None) -> bool:
    if one is None or other is None or one.tid is None or other.tid is None or not other.tid.startswith("0x"):
        return False
    return int(one.tid, 16) == int(other.tid, 16)


def _same_frame(one: HeapThread | None, other: ThreadFacts | None) -> bool:
    return (
        one is not None
        and one.call is not None
        and other is not None
        and other.frame is not None
        and one.call.frame is not None
        and one.call.frame.partition("(")[0] == other.frame.partition("(")[0]
    )


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:NAMES_SHOWN])
    return (
        shown
        if len(names) <= NAMES_SHOWN
        else say("{shown} and {names} more", shown=shown, names=len(names) - NAMES_SHOWN)
    )
