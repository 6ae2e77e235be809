"""What a verdict rests on, one line for each piece of evidence."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import HeapFacts, LogsFacts, StacksFacts
from mqdiag.findings import Report


def checked(report: Report) -> tuple[str, ...]:
    """The evidence that was read."""
    return tuple(_lines(report))


def _lines(report: Report) -> Iterator[str]:
    own = report.process
    prefix = f"{own.name}: " if own is not None and report.other_processes else ""
    if report.heap is not None:
        yield prefix + _heap(report.heap)
    if report.stacks is not None:
        yield prefix + _stacks(report.stacks)
    if own is not None and own.tied_by is not None:
        yield f"{prefix}heap dump and thread dumps are of one process: {own.tied_by}"
    for other in report.other_processes:
        if other.heap is not None:
            yield f"{other.name}: {_heap(other.heap)}"
        if other.stacks is not None:
            yield f"{other.name}: {_stacks(other.stacks)}"
    if report.logs is not None:
        yield _logs(report.logs)


def _heap(heap: HeapFacts) -> str:
    groups = sorted({consumer.group for consumer in heap.consumers})
    of = f" of {', '.join(groups[:3])}{' and others' if len(groups) > 3 else ''}" if groups else ""
    when = f", written {heap.captured_at}" if heap.captured_at else ""
    if heap.process_queues is None:
        return f"a heap dump{when}, counts only"
    return (
        f"a heap dump{when}: {_many(len(heap.consumers), 'consumer')}{of}, {_many(len(heap.queues), 'queue')},"
        f" {_many(heap.messages or 0, 'message')}"
    )


def _stacks(stacks: StacksFacts) -> str:
    span = "" if not stacks.seconds else f" over {stacks.seconds:.1f} s"
    told = "" if stacks.judged else ", which do not tell progress from standstill"
    return f"{_many(stacks.samples, 'thread dump')}{span}: {_many(len(stacks.threads), 'thread')}{told}"


def _logs(logs: LogsFacts) -> str:
    times = [file.first for file in logs.files if file.first] + [file.last for file in logs.files if file.last]
    span = f", {min(times)} to {max(times)}" if times else ""
    return f"{_many(len(logs.files), 'log')}: {_many(logs.lines, 'line')}{span}"


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
