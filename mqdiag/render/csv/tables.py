"""The tables that a report has, each with its columns and rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from mqdiag.facts import Input
from mqdiag.facts.heap import ConsumerFacts, QueueFacts
from mqdiag.facts.heap_classes import ClassRow, Suspect
from mqdiag.facts.stacks import ThreadFacts
from mqdiag.findings import Finding, Report, Skipped, Subject
from mqdiag.language import Writer

Table = tuple[Sequence[str], Iterable[Sequence[Any]]]

_FINDING = ("rule", "severity", "confidence", "cause", "title")
_ENDING = ("fingerprint", "known", "until", "evidence", "remedy")


def _findings(report: Report, write: Writer) -> Table:
    subject = Subject.__struct_fields__

    def row(found: Finding) -> list[Any]:
        known = found.accepted
        return [
            *(getattr(found, name) for name in _FINDING),
            *(getattr(found.subject, name) for name in subject),
            found.fingerprint,
            None if known is None else known.reason,
            None if known is None else known.until,
            found.evidence,
            " ".join(f"{number}. {write(step)}" for number, step in enumerate(found.remedy, 1)),
        ]

    return (*_FINDING, *subject, *_ENDING), map(row, report.findings)


def _of(kind: type[msgspec.Struct], rows: Iterable[msgspec.Struct]) -> Table:
    """The fields of a type as columns, by the names that they have in JSON."""
    fields = msgspec.structs.fields(kind)
    return (
        [field.encode_name for field in fields],
        ([getattr(row, field.name) for field in fields] for row in rows),
    )


TABLES: dict[str, Callable[[Report, Writer], Table]] = {
    "findings": _findings,
    "inputs": lambda report, _: _of(Input, report.inputs),
    "skipped": lambda report, _: _of(Skipped, report.skipped),
    "consumers": lambda report, _: _of(ConsumerFacts, report.heap.consumers if report.heap else ()),
    "queues": lambda report, _: _of(QueueFacts, report.heap.queues if report.heap else ()),
    "classes": lambda report, _: _of(ClassRow, report.heap.classes if report.heap else ()),
    "suspects": lambda report, _: _of(Suspect, report.heap.suspects if report.heap else ()),
    "threads": lambda report, _: _of(ThreadFacts, report.stacks.threads if report.stacks else ()),
}
