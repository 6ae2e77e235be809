"""What the page shows after the findings: one file for each kind of evidence, in the order of `_ORDER`."""

from __future__ import annotations

from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.html.page.parts import Section
from mqdiag.render.html.sections.consumers import consumers_section
from mqdiag.render.html.sections.heap import heap_section
from mqdiag.render.html.sections.heap_threads import heap_threads_section
from mqdiag.render.html.sections.inputs import inputs_section
from mqdiag.render.html.sections.logs import logs_section
from mqdiag.render.html.sections.stacks import stacks_section
from mqdiag.render.html.sections.unchecked import unchecked_section

_ORDER = (
    heap_section,
    consumers_section,
    heap_threads_section,
    stacks_section,
    logs_section,
    inputs_section,
    unchecked_section,
)


def sections(report: Report, view: View) -> list[Section]:
    """All sections that this report has something for."""
    return [section for make in _ORDER if (section := make(report, view)) is not None]
