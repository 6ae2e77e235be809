"""Where the kinds of evidence of one process show the same, and where they contradict each other."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from mqdiag.causes.same_finding import SameFindings, threads_of
from mqdiag.facts.evidence_kinds import evidence_names
from mqdiag.facts.heap_threads import HeapThread
from mqdiag.facts.logs import LogFile
from mqdiag.facts.stacks import ThreadFacts
from mqdiag.findings import Finding, Report
from mqdiag.text import Text, say

STANDING = frozenset({"stuck", "blocked"})
MOVING = frozenset({"progressing", "idle"})
NAMES_SHOWN = 3
NEAR = timedelta(hours=1)
ANY_ZONE = timedelta(hours=14)


def agreements(report: Report, same: SameFindings) -> tuple[Text, ...]:
    """One line for each fault that two kinds of evidence show."""
    return tuple(dict.fromkeys(_agreements(report, same)))


def _agreements(report: Report, same: SameFindings) -> Iterator[Text]:
    in_heap, in_stacks = _heap_threads(report), _stack_threads(report)
    for finding in (one for one in report.findings if _is_of_heap(one, same)):
        for other in same.of(finding):
            names = sorted(threads_of(finding) & threads_of(other))
            thread, sampled = in_heap.get(names[0]), in_stacks.get(names[0])
            by_address = _same_address(thread, sampled)
            frame = _common_frame(thread, sampled)
            shown = _some(names)
            if frame is not None and by_address:
                yield say(
                    "heap dump and thread dumps show the same threads, by name and address, both in {frame}: {threads}",
                    threads=shown,
                    frame=frame,
                )
            elif frame is not None:
                yield say(
                    "heap dump and thread dumps show the same threads, both in {frame}: {threads}",
                    threads=shown,
                    frame=frame,
                )
            elif by_address:
                yield say(
                    "heap dump and thread dumps show the same threads, by name and address: {threads}",
                    threads=shown,
                )
            else:
                yield say("heap dump and thread dumps show the same threads: {threads}", threads=shown)
    seen: dict[tuple[str, str | None, str | None], set[str]] = {}
    for finding in report.findings:
        key = (finding.rule, finding.subject.group, finding.subject.broker)
        seen.setdefault(key, set()).update(finding.seen_in)
    for (rule, group, broker), kinds in seen.items():
        if len(kinds) < 2:
            continue
        shown_in = evidence_names(sorted(kinds))
        if group:
            yield say("{kinds:and} show {fault} of group {group}", kinds=shown_in, fault=rule, group=group)
        elif broker:
            yield say("{kinds:and} show {fault} of broker {broker}", kinds=shown_in, fault=rule, broker=broker)
        else:
            yield say("{kinds:and} show {fault}", kinds=shown_in, fault=rule)


def contradictions(report: Report, same: SameFindings) -> tuple[Text, ...]:
    """Where heap dump and thread dumps of one process disagree about a thread."""
    return tuple(dict.fromkeys(_contradictions(report, same)))


def contradicted(finding: Finding, report: Report, same: SameFindings) -> bool:
    """Whether the thread dumps saw every thread of a finding of the heap at other work or at none."""
    return _is_of_heap(finding, same) and bool(_moving(finding, report)) and not same.of(finding)


def time_gap(report: Report) -> Text | None:
    """That logs and heap dump are of different times; zones that are not known are allowed for."""
    heap, logs = report.heap, report.logs
    if heap is None or logs is None or heap.captured_at is None:
        return None
    written = datetime.fromisoformat(heap.captured_at)
    spans = [_span(file) for file in logs.files if file.first is not None and file.last is not None]
    if not spans:
        return None
    begin, end = min(first for first, _ in spans), max(last for _, last in spans)
    if end < written - NEAR:
        return say(
            "the logs end {seconds:seconds} before the heap dump was written",
            seconds=(written - end).total_seconds(),
        )
    if begin > written + NEAR:
        return say(
            "the logs begin {seconds:seconds} after the heap dump was written",
            seconds=(begin - written).total_seconds(),
        )
    return None


def _span(file: LogFile) -> tuple[datetime, datetime]:
    """The instants between which a log was written, at the widest."""
    first, last = (datetime.fromisoformat(time or "") for time in (file.first, file.last))
    if first.tzinfo is not None and last.tzinfo is not None:
        return first, last
    return first.replace(tzinfo=UTC) - ANY_ZONE, last.replace(tzinfo=UTC) + ANY_ZONE


def _contradictions(report: Report, same: SameFindings) -> Iterator[Text]:
    states = _stack_threads(report)
    for finding in (one for one in report.findings if _is_of_heap(one, same)):
        moving = _moving(finding, report)
        if moving:
            yield say(
                "in the heap dump {threads} {number:has|have} been at one message for long, in the thread dumps"
                " {number:it is|they are} {states:and}: the dumps were taken at different times, or the work is slow"
                " and not stuck",
                threads=_some(moving),
                number=len(moving),
                states=tuple(Text(state) for state in sorted({states[name].state for name in moving})),
            )
    heap = report.heap
    if heap is None or not any(thread.message is not None for thread in heap.threads):
        return
    at_work = {thread.name for thread in heap.threads if thread.message is not None}
    known = {thread.name for thread in heap.threads}
    for finding in report.findings:
        if "stacks" not in finding.seen_in or finding.subject.group is None:
            continue
        free = sorted(
            name
            for name in threads_of(finding)
            if name in known and name not in at_work and _is_standing_worker(states.get(name))
        )
        if free:
            yield say(
                "in the thread dumps {threads} {number:stands|stand} still, in the heap dump {number:it has|they have}"
                " no message in progress: the dumps were taken at different times",
                threads=_some(free),
                number=len(free),
            )


def _is_of_heap(finding: Finding, same: SameFindings) -> bool:
    """Whether a finding is of the heap dump, about threads that thread dumps could show too."""
    return "heap" in finding.seen_in and same.has_counterpart(finding)


def _moving(finding: Finding, report: Report) -> list[str]:
    """Threads of a finding of the heap that the thread dumps, where they can tell, saw moving or idle."""
    stacks = report.stacks
    if stacks is None or not stacks.judged:
        return []
    states = _stack_threads(report)
    return sorted(name for name in threads_of(finding) if name in states and states[name].state in MOVING)


def _heap_threads(report: Report) -> dict[str, HeapThread]:
    return {} if report.heap is None else {thread.name: thread for thread in report.heap.threads}


def _stack_threads(report: Report) -> dict[str, ThreadFacts]:
    return {} if report.stacks is None else {thread.name: thread for thread in report.stacks.threads}


def _is_standing_worker(thread: ThreadFacts | None) -> bool:
    return thread is not None and thread.role == "consume-worker" and thread.state in STANDING


def _same_address(one: HeapThread | None, other: ThreadFacts | None) -> bool:
    if one is None or other is None or one.tid is None or other.tid is None or not other.tid.startswith("0x"):
        return False
    return int(one.tid, 16) == int(other.tid, 16)


def _common_frame(one: HeapThread | None, other: ThreadFacts | None) -> str | None:
    """The method that both are in, without its line."""
    if one is None or other is None or one.call is None or other.frame is None or one.call.frame is None:
        return None
    mine, theirs = one.call.frame.partition("(")[0], other.frame.partition("(")[0]
    return mine if mine == theirs else None


def _some(names: list[str]) -> Text:
    if len(names) <= NAMES_SHOWN:
        return say("{threads}", threads=tuple(names))
    return say(
        "{threads} and {others:count} more", threads=tuple(names[:NAMES_SHOWN]), others=len(names) - NAMES_SHOWN
    )
