"""Where the kinds of evidence of one process show the same, and where they contradict each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

from mqdiag.causes.same_finding import SameFindings, threads_of
from mqdiag.facts.evidence_kinds import evidence_names
from mqdiag.facts.heap_threads import HeapThread
from mqdiag.facts.logs import LogFile
from mqdiag.facts.stacks import ThreadFacts
from mqdiag.findings import Finding, Report
from mqdiag.text import Text, say
from mqdiag.thread_names import grouped_names

STANDING = frozenset({"stuck", "blocked"})
MOVING = frozenset({"progressing", "idle"})
NEAR = timedelta(hours=1)
CLOCKS = timedelta(seconds=1)
"""by which times of a recording and of a heap dump of one JVM may differ"""
TAIL = timedelta(seconds=10)
"""before a recording's end: within it a call must have ended, or the next one may hang"""
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
            shown = grouped_names(names)
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
    yield from _began(report, in_heap)
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


def contradicted(finding: Finding, report: Report, same: SameFindings) -> Text | None:
    """Why a finding of the heap is less sure: other evidence saw all of its threads at other work or at none."""
    if not _is_of_heap(finding, same):
        return None
    if _ended(finding, report):
        return say("the flight recording shows that calls of the same threads ended")
    if _moving(finding, report) and not same.of(finding):
        return say("the thread dumps saw the same threads moving or idle")
    return None


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
                threads=grouped_names(moving),
                number=len(moving),
                states=tuple(Text(state) for state in sorted({states[name].state for name in moving})),
            )
        ended = _ended(finding, report)
        if ended:
            yield say(
                "in the heap dump {threads} {number:has|have} been at one message for long, and the flight recording"
                " shows calls of {number:it|them} that ended since then, the last one at {last:time}: the message"
                " takes many calls, or a slow one, and no call hangs",
                threads=grouped_names(sorted(ended)),
                number=len(ended),
                last=max(ended.values()),
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
                threads=grouped_names(free),
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


def _given_at(report: Report, thread: HeapThread | None) -> datetime | None:
    """When the message that a thread has in hand was given to the listener; None where the dump does not tell."""
    message = None if thread is None else thread.message
    if report.heap is None or report.heap.captured_at is None or message is None or message.age_ms is None:
        return None
    return datetime.fromisoformat(report.heap.captured_at) - timedelta(milliseconds=message.age_ms)


def _began(report: Report, in_heap: Mapping[str, HeapThread]) -> Iterator[Text]:
    """Calls of which a recording tells when they began, and the heap dump for which message."""
    for recording in () if report.recordings is None else report.recordings.recordings:
        for still in recording.standstills:
            given = {name: at for name in still.threads if (at := _given_at(report, in_heap.get(name)))}
            if still.began_before is None or not given:
                continue
            if min(given.values()) > datetime.fromisoformat(still.began_before) + CLOCKS:
                continue
            name = min(given, key=given.__getitem__)
            message = in_heap[name].message
            assert message is not None
            yield say(
                "the flight recording shows the call of {thread} from {began:time} at the latest and no end of it, and"
                " the heap dump that its message ({topic} queue {queue} offset {offset}) was given to the listener at"
                " {given:time}",
                message,
                thread=name,
                began=still.began_before,
                queue=message.queue_id,
                given=given[name].isoformat(timespec="seconds"),
            )


def _ended(finding: Finding, report: Report) -> dict[str, str]:
    """Threads of a finding of the heap whose waits ended while they had that message, with the time of the last.

    Until near the end of the recording: the last call of a thread may hang, and those before it have ended.
    """
    in_heap, found = _heap_threads(report), {}
    for recording in () if report.recordings is None else report.recordings.recordings:
        until = datetime.fromisoformat(recording.ended_at) - TAIL
        hang = {name for still in recording.standstills for name in still.threads}
        told = {
            one.thread: one.last_ended_at
            for one in recording.threads
            if one.thread not in hang
            and one.last_ended_at
            and datetime.fromisoformat(one.last_ended_at) >= until
        }
        for name in threads_of(finding):
            last, given = told.get(name), _given_at(report, in_heap.get(name))
            if last is not None and given is not None and datetime.fromisoformat(last) > given + CLOCKS:
                found[name] = last
    return found


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
