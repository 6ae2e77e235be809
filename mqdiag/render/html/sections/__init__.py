"""What the page shows around the findings: one file for each kind of evidence."""

from __future__ import annotations

from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.html.page.parts import Section
from mqdiag.render.html.sections.broker import broker_section
from mqdiag.render.html.sections.consumers import consumers_section
from mqdiag.render.html.sections.diff import diff_section
from mqdiag.render.html.sections.fleet import fleet_section
from mqdiag.render.html.sections.heap import heap_section
from mqdiag.render.html.sections.heap_threads import heap_threads_section
from mqdiag.render.html.sections.inputs import inputs_section
from mqdiag.render.html.sections.logs import logs_section
from mqdiag.render.html.sections.processes import process_sections
from mqdiag.render.html.sections.sending import sending_section
from mqdiag.render.html.sections.stacks import stacks_section
from mqdiag.render.html.sections.stores import admin_section, stores_section
from mqdiag.render.html.sections.unchecked import unchecked_section
from mqdiag.render.html.sections.verdict import surer_section, verdict_section
from mqdiag.render.html.sections.waste import waste_section

_STORY = (verdict_section, diff_section, fleet_section)
_FIRST = (
    heap_section,
    broker_section,
    consumers_section,
    sending_section,
    waste_section,
    heap_threads_section,
    stacks_section,
    logs_section,
    stores_section,
    admin_section,
)
_LAST = (surer_section, inputs_section, unchecked_section)


def story_sections(report: Report, view: View) -> list[Section]:
    """What joins the evidence, and stands before the single findings."""
    return [section for make in _STORY if (section := make(report, view)) is not None]


def evidence_sections(report: Report, view: View) -> list[Section]:
    """What the findings rest on, and what is missing."""
    first = [section for make in _FIRST if (section := make(report, view)) is not None]
    last = [section for make in _LAST if (section := make(report, view)) is not None]
    return [*first, *process_sections(report, view), *last]
