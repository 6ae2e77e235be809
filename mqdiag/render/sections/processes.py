"""The other JVMs of an incident: the sections of a process, once more for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Card, Figure, Fold, Pairs, Section, Several, Table
from mqdiag.text import say


def process_sections(
    report: Report, view: View, make: Callable[[Report, View], Iterator[Section]]
) -> Iterator[Section]:
    """One section for each process but the one at the top, with all of its own inside."""
    for place, process in enumerate(report.other_processes):
        own = msgspec.structs.replace(report, heap=process.heap, stacks=process.stacks)
        folds = [
            Fold(section.title, _renamed(section.parts, f"process-{place}-"), wide=True)
            for section in make(own, view)
        ]
        if folds:
            title = say("Process {name}", name=process.name)
            files = Pairs([(say("files"), process.inputs)])
            yield Section(name=f"process-{place}", title=title, parts=[files, *folds])


def _renamed(parts: Sequence[AnyPart], prefix: str) -> list[AnyPart]:
    """The same parts under anchors of their own: two processes may both have queues."""
    return [_rename(part, prefix) for part in parts]


def _rename(part: AnyPart, prefix: str) -> AnyPart:
    match part:
        case Table():
            return msgspec.structs.replace(part, name=f"{prefix}{part.name}")
        case Card():
            return msgspec.structs.replace(
                part, name=f"{prefix}{part.name}", parts=_renamed(part.parts, prefix)
            )
        case Fold() | Several():
            return msgspec.structs.replace(part, parts=_renamed(part.parts, prefix))
        case Figure():
            return msgspec.structs.replace(part, words=_renamed(part.words, prefix))
        case _:
            return part
