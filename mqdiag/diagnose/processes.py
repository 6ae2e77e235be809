"""Which heap dump and which thread dumps are of one process.

The address of the JVM's own thread stands in both: `Thread.eetop` in a heap dump, `tid=` in a thread dump. Equal names
alone say nothing: all instances of a service have the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from mqdiag.diagnose.capture_times import capture_of
from mqdiag.diagnose.sort.kind import Captured, OfProcess
from mqdiag.facts import HeapFacts, Input, StacksFacts
from mqdiag.facts.known import pid_of_clients
from mqdiag.facts.processes import ProcessFacts
from mqdiag.read.command_line import main_class, system_properties
from mqdiag.text import Text, say

BY_CAPTURE = say("they were captured together, by the word of the manifest beside them")
BY_ADDRESS = say("names and addresses of their threads are the same")
BY_ABSENCE = say("nothing contradicts it, and there is no other dump that they could belong to")
_LEAST_SHARED = 3


class Process(msgspec.Struct, frozen=True, kw_only=True):
    """One JVM with its inputs."""

    inputs: tuple[Input, ...]
    facts: ProcessFacts


def tell_processes(found: Sequence[OfProcess], captures: Sequence[Captured] = ()) -> list[Process]:
    """One process for each heap dump and for each series of thread dumps that belongs to none of them.

    A saved report whose dump is there itself is left out.
    """
    found = [one for one in found if not (one.saved and any(_same_dump(one, other) for other in found))]
    heaps = [one for one in found if one.heap is not None and one.stacks is None]
    series = [one for one in found if one.heap is None and one.stacks is not None]
    both = [one for one in found if one.heap is not None and one.stacks is not None]
    pairs: list[tuple[OfProcess, OfProcess | None, Text | None]] = []
    for heap in heaps:
        told = [(one, _tie(heap, one, captures)) for one in series]
        own, tie = next(((one, tie) for one, tie in told if tie is not None), (None, None))
        if own is not None:
            series.remove(own)
        pairs.append((heap, own, tie))
    alone = [one for one in series if one.stacks is not None and one.stacks.pasted is None]
    if len(pairs) == len(alone) == 1 and pairs[0][1] is None and _agree(pairs[0][0], alone[0]) is None:
        series.remove(alone[0])
        pairs = [(pairs[0][0], alone[0], BY_ABSENCE)]
    pairs += [(one, None, None) for one in (*both, *series)]
    names: set[str] = set()
    if not pairs and len(captures) == 1:
        return [_undumped(captures[0])]
    return [_process(first, second, tie, names, captures) for first, second, tie in pairs]


def _undumped(capture: Captured) -> Process:
    """The process of a capture that holds no dump of it: commands that ask for one name it."""
    return Process(
        inputs=(),
        facts=ProcessFacts(
            name=_named(capture, capture.folder if capture.pid is None else f"pid {capture.pid}"),
            pid=capture.pid,
            main_class=main_class(capture.command),
            settings=system_properties(capture.command),
        ),
    )


def _named(capture: Captured | None, name: str) -> str:
    """A name of a process with the host that the capture tells."""
    return name if capture is None or not capture.host else f"{name} on {capture.host}"


def _tie(heap: OfProcess, series: OfProcess, captures: Sequence[Captured]) -> Text | None:
    """Why both are surely of one process; None when they are not, or nobody knows."""
    agree = _agree(heap, series)
    if agree is True:
        return BY_ADDRESS
    together = _captured(heap, captures)
    if agree is None and together is not None and together == _captured(series, captures):
        return BY_CAPTURE
    return None


def _captured(one: OfProcess, captures: Sequence[Captured]) -> Captured | None:
    """The capture that all its files are of."""
    return capture_of([given.path for given in one.inputs], captures)


def _same_dump(saved: OfProcess, other: OfProcess) -> bool:
    """Whether the heap of a saved report was read from a dump that is there too."""
    mine, theirs = saved.heap, other.heap
    return (
        not other.saved
        and mine is not None
        and theirs is not None
        and mine.captured_at is not None
        and (mine.captured_at, mine.file_objects) == (theirs.captured_at, theirs.file_objects)
    )


def _process(
    first: OfProcess,
    second: OfProcess | None,
    tie: Text | None,
    names: set[str],
    captures: Sequence[Captured],
) -> Process:
    inputs = (*first.inputs, *(second.inputs if second else ()))
    heap, stacks = first.heap, first.stacks or (second.stacks if second else None)
    capture = _captured(first, captures) or (None if second is None else _captured(second, captures))
    pid = first.pid or (second.pid if second else None) or pid_of_clients(heap)
    pid = pid if pid is not None or capture is None else capture.pid
    name = _named(capture, f"pid {pid}" if pid is not None else inputs[0].path)
    if name in names and name != inputs[0].path:
        name = f"{name} ({inputs[0].path})"
    taken, number = name, 2
    while name in names:
        # one file may hold dumps of any number of JVMs
        name = f"{taken} ({number})"
        number += 1
    names.add(name)
    return Process(
        inputs=inputs,
        facts=ProcessFacts(
            name=name,
            pid=pid,
            inputs=tuple(given.path for given in inputs),
            main_class=None if capture is None else main_class(capture.command),
            settings={} if capture is None else system_properties(capture.command),
            tied_by=tie,
            heap=heap,
            stacks=stacks,
        ),
    )


def _agree(heap: OfProcess, series: OfProcess) -> bool | None:
    """Whether both are of one process; None when neither yes nor no can be said."""
    assert heap.heap is not None
    assert series.stacks is not None
    own, theirs = pid_of_clients(heap.heap), series.pid
    in_heap = {thread.name: thread.tid for thread in heap.heap.threads if thread.tid is not None}
    in_stacks: dict[str, set[int]] = {}
    for thread in series.stacks.threads:
        if thread.tid is not None and thread.tid.startswith("0x"):
            in_stacks.setdefault(thread.name, set()).add(int(thread.tid, 16))
    shared = [name for name in in_heap if name in in_stacks]
    same = sum(1 for name in shared if int(in_heap[name] or "0", 16) in in_stacks[name])
    if same >= _LEAST_SHARED and same * 2 >= len(shared):
        return True
    if len(shared) >= _LEAST_SHARED and same == 0:
        return False
    if own is not None and theirs is not None and own != theirs:
        return False
    return None if _groups_overlap(heap.heap, series.stacks) else False


def _groups_overlap(heap: HeapFacts, stacks: StacksFacts) -> bool:
    """False only when both name consumer groups, and no group is in both."""
    mine = {consumer.group for consumer in heap.consumers}
    theirs = {thread.group for thread in stacks.threads if thread.group is not None}
    return not mine or not theirs or bool(mine & theirs)
