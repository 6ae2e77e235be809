"""What of the evidence may matter most where the answer is undecided: its lines, threads and holders of memory."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice

from mqdiag.facts import HeapFacts, LogsFacts, StacksFacts
from mqdiag.facts.heap_classes import Suspect
from mqdiag.facts.processes import ProcessFacts
from mqdiag.facts.stacks import StackGroup
from mqdiag.findings import Report, Seen
from mqdiag.text import Text, say

MOST_SEEN = 3
"""a screen has space for so many, and nothing is left to ask for"""
_AT_REST, _ABSENT = "idle", "ABSENT"
_WEIGHT = ("stuck", "blocked", "unknown", "progressing", _AT_REST)
_LEFT_OUT = "…"


def seen(report: Report) -> Iterator[Seen]:
    """The heaviest first."""
    of: list[Report | ProcessFacts] = [report, *report.other_processes]
    yield from islice(
        chain(
            *(_of_stacks(one.stacks) for one in of if one.stacks is not None),
            () if report.logs is None else _of_logs(report.logs),
            *(_of_heap(report, one.heap) for one in of if one.heap is not None),
        ),
        MOST_SEEN,
    )


def _of_logs(logs: LogsFacts) -> Iterator[Seen]:
    """Errors, exceptions and warnings, and lines of no known form; without any, the most frequent events."""
    heavy = () if logs.level_lines is None else logs.level_lines.heaviest
    for line in heavy:
        text = say("{example}", example=line.text)
        if line.count > 1:
            text = say("{example} ({count:count} such lines)", example=line.text, count=line.count)
        yield Seen(path=line.path, line=line.line, text=text)
    places: set[tuple[str, int | None]] = {(line.path, line.line) for line in heavy}
    for file in logs.files:
        if file.first_untold and (file.path, file.first_untold_line) not in places:
            places.add((file.path, file.first_untold_line))
            yield Seen(
                path=file.path,
                line=file.first_untold_line,
                text=say("{example}", example=file.first_untold),
            )
    if places:
        return
    for event in sorted(logs.events, key=lambda one: -one.count):
        if event.files and event.example and (event.files[0], event.example_line) not in places:
            places.add((event.files[0], event.example_line))
            yield Seen(
                path=event.files[0],
                line=event.example_line,
                text=say("{example} ({count:count} {count:line|lines} of this kind)", event),
            )


def _of_stacks(stacks: StacksFacts) -> Iterator[Seen]:
    """Threads that are not known to rest, one for each place; where all rest, those of the largest places."""
    if not stacks.series:
        return
    known = {thread.name: thread for thread in stacks.threads}
    there = [one for one in stacks.groups if known[one.threads[0]].samples[-1].state != _ABSENT]
    groups = sorted(there, key=lambda one: (_WEIGHT.index(one.state), not one.own))
    at_work = [one for one in groups if one.state != _AT_REST]
    for group in at_work or groups:
        thread = known[group.threads[0]]
        yield Seen(
            path=stacks.series[-1].path,
            line=thread.line,
            text=say(
                '"{thread}"{more} {state}: {frames}',
                thread=thread.name,
                more=say(" and {threads:count} more {threads:thread|threads}", threads=len(group.threads) - 1)
                if len(group.threads) > 1
                else "",
                state=thread.samples[-1].state,
                frames=_frames(group),
            ),
        )


def _frames(group: StackGroup) -> tuple[str, ...]:
    """The top frame, and the user's own one that leads to it."""
    own = [group.frames[place] for place in group.own]
    shown = (group.frames[0], *own[:1]) if own else group.frames[:3]
    return tuple(dict.fromkeys(f"at {one}" for one in shown if not one.startswith(_LEFT_OUT)))


def _of_heap(report: Report, heap: HeapFacts) -> Iterator[Seen]:
    """What holds most of the heap, as the rule about it says it."""
    path = next((given.path for given in report.inputs if given.kind == "heap" and given.was_read), None)
    if path is None:
        return
    for suspect in heap.worth_a_look():
        yield Seen(path=path, text=_held(suspect, heap))


def _held(suspect: Suspect, heap: HeapFacts) -> Text:
    """What holds how much: an object without a name by its id."""
    if suspect.label in ("", suspect.class_name):
        return say(
            "{object_class} {object_id} holds {retained:bytes}, {share:percent} of the heap",
            suspect,
            object_class=suspect.class_name,
            retained=suspect.retained_bytes,
        )
    from mqdiag.rules.heap_held_by_application import RULE, held  # where a dump was read it is there already

    return held(suspect, heap, RULE.limits, whole=True).title
