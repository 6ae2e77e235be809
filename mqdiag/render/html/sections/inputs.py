"""The files that were given, and how far each could be read."""

from __future__ import annotations

from mqdiag.facts.inputs import Input
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.html.page.parts import Cell, Column, Section, Table
from mqdiag.render.wording.sizes import size
from mqdiag.text import say


def inputs_section(report: Report, view: View) -> Section | None:
    """One row for each input."""
    table = Table(
        name="inputs",
        caption=say("Files"),
        columns=(
            Column(head=say("file")),
            Column(head=say("kind")),
            Column(head=say("size"), number=True),
            Column(head=say("taken")),
            Column(head=say("read")),
        ),
        rows=[
            (
                given.path,
                ", ".join(filter(None, (given.kind, given.format))),
                Cell(size(given.bytes), -1 if given.bytes is None else given.bytes),
                given.captured_at or given.captured_at_local or "",
                _read(given),
            )
            for given in report.inputs
        ],
    )
    return Section(name="inputs", title=say("Inputs"), parts=[table])


def _read(given: Input) -> str:
    if given.error is not None:
        return say("no: {error}", error=given.error)
    if given.complete:
        return say("whole")
    where = (
        ""
        if given.stopped_at_byte is None
        else say(" to byte {stopped_at_byte:count}", stopped_at_byte=given.stopped_at_byte)
    )
    return say("in part{where}: {problem}", where=where, problem=given.problem or say("it is not complete"))
