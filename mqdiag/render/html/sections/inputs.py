"""The files that were given, and how far each could be read."""

from __future__ import annotations

from mqdiag.facts.inputs import Input
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.html.page.parts import Cell, Column, Section, Table
from mqdiag.render.wording.sizes import size


def inputs_section(report: Report, view: View) -> Section | None:
    """One row for each input."""
    table = Table(
        name="inputs",
        caption="Files",
        columns=(
            Column(head="file"),
            Column(head="kind"),
            Column(head="size", number=True),
            Column(head="taken"),
            Column(head="read"),
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
    return Section(name="inputs", title="Inputs", parts=[table])


def _read(given: Input) -> str:
    if given.error is not None:
        return f"no: {given.error}"
    if given.complete:
        return "whole"
    where = "" if given.stopped_at_byte is None else f" to byte {given.stopped_at_byte:,}"
    return f"in part{where}: {given.problem or 'it is not complete'}"
