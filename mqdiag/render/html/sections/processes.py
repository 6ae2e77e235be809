"""The other JVMs of an incident: the same sections, named after each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.html.page.parts import AnyPart, Fold, Section, Table
from mqdiag.render.html.sections.broker import broker_section
from mqdiag.render.html.sections.consumers import consumers_section
from mqdiag.render.html.sections.heap import heap_section
from mqdiag.render.html.sections.heap_threads import heap_threads_section
from mqdiag.render.html.sections.stacks import stacks_section
from mqdiag.text import say

_OF_A_PROCESS = (heap_section, broker_section, consumers_section, heap_threads_section, stacks_section)


def process_sections(report: Report, view: View) -> list[Section]:
    """One section for each of the others, with all of its own inside."""
    found = []
    for place, process in enumerate(report.other_processes):
        own = msgspec.structs.replace(report, heap=process.heap, stacks=process.stacks)
        parts: list[AnyPart] = []
        for make in _OF_A_PROCESS:
            section = make(own, view)
            if section is not None:
                inner = _named(section.parts, f"process-{place}-")
                parts.append(Fold(summary=section.title, parts=inner))
        if parts:
            title = say("Process {name}", name=process.name)
            found.append(Section(name=f"process-{place}", title=title, parts=parts))
    return found


def _named(parts: Sequence[AnyPart], prefix: str) -> list[AnyPart]:
    """The same parts under names of their own: two processes may both have queues."""
    renamed: list[AnyPart] = []
    for part in parts:
        if isinstance(part, Table):
            renamed.append(replace(part, name=f"{prefix}{part.name}"))
        elif isinstance(part, Fold):
            renamed.append(replace(part, parts=_named(part.parts, prefix)))
        else:
            renamed.append(part)
    return renamed
