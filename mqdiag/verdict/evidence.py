"""What a verdict rests on, one line for each piece of evidence."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import HeapFacts, LogsFacts, StacksFacts
from mqdiag.findings import Report
from mqdiag.text import say


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
        yield say(
            "{prefix}heap dump and thread dumps are of one process: {tied_by}",
            prefix=prefix,
            tied_by=own.tied_by,
        )
    for other in report.other_processes:
        if other.heap is not None:
            yield f"{other.name}: {_heap(other.heap)}"
        if other.stacks is not None:
            yield f"{other.name}: {_stacks(other.stacks)}"
    if report.logs is not None:
        yield _logs(report.logs)
    if report.stores is not None:
        yield say("{number:count} {number:store folder|store folders}", number=len(report.stores.stores))
    outputs = sum(1 for given in report.inputs if given.kind == "admin" and given.error is None)
    if outputs:
        yield say("{number:count} {number:output|outputs}", number=outputs) + say(" of mqadmin")


def _heap(heap: HeapFacts) -> str:
    groups = sorted({consumer.group for consumer in heap.consumers})
    of = (
        say(
            " of {groups}{others}",
            groups=", ".join(groups[:3]),
            others=say(" and others") if len(groups) > 3 else "",
        )
        if groups
        else ""
    )
    when = say(", written {captured_at}", captured_at=heap.captured_at) if heap.captured_at else ""
    if heap.process_queues is None:
        return say("a heap dump{when}, counts only", when=when)
    return say(
        "a heap dump{when}: {consumers}{of}, {queues}, {messages}",
        when=when,
        consumers=say("{number:count} {number:consumer|consumers}", number=len(heap.consumers)),
        of=of,
        queues=say("{number:count} {number:queue|queues}", number=len(heap.queues)),
        messages=say("{number:count} {number:message|messages}", number=heap.messages or 0),
    )


def _stacks(stacks: StacksFacts) -> str:
    span = "" if not stacks.seconds else say(" over {seconds:decimal} s", seconds=stacks.seconds)
    told = "" if stacks.judged else say(", which do not tell progress from standstill")
    return f"{say('{number:count} {number:thread dump|thread dumps}', number=stacks.samples)}{span}: {say('{number:count} {number:thread|threads}', number=len(stacks.threads))}{told}"


def _logs(logs: LogsFacts) -> str:
    times = [file.first for file in logs.files if file.first] + [file.last for file in logs.files if file.last]
    span = say(", {times} to {times_2}", times=min(times), times_2=max(times)) if times else ""
    return f"{say('{number:count} {number:log|logs}', number=len(logs.files))}: {say('{number:count} {number:line|lines}', number=logs.lines)}{span}"
