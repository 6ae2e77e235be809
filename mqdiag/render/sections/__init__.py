"""What a report shows: each module makes the sections of one subject, once for all formats.

A maker takes the report and the view, and yields sections; the order is the one of `_MAKERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import Section
from mqdiag.render.sections.answer import answer_section
from mqdiag.render.sections.broker_card import broker_section
from mqdiag.render.sections.broker_logs import broker_logs_section
from mqdiag.render.sections.chain_of_causes import chain_section
from mqdiag.render.sections.consumer_table import consumers_section
from mqdiag.render.sections.finding_cards import findings_section
from mqdiag.render.sections.gc_logs import gc_logs_section
from mqdiag.render.sections.heap_summary import heap_section
from mqdiag.render.sections.heap_threads import heap_threads_section
from mqdiag.render.sections.heap_waste import waste_section
from mqdiag.render.sections.input_files import inputs_section
from mqdiag.render.sections.largest_classes import classes_section
from mqdiag.render.sections.log_events import log_events_section
from mqdiag.render.sections.log_files import log_files_section
from mqdiag.render.sections.memory_holders import memory_section
from mqdiag.render.sections.message_holders import message_holders_section
from mqdiag.render.sections.missing_evidence import missing_evidence_section
from mqdiag.render.sections.queue_table import queues_section
from mqdiag.render.sections.shown_object import shown_sections
from mqdiag.render.sections.thread_samples import stacks_section
from mqdiag.render.sections.unchecked_rules import unchecked_section

Maker = Callable[[Report, View], Iterator[Section]]

PROCESS: tuple[Maker, ...] = (
    heap_section,
    broker_section,
    consumers_section,
    queues_section,
    message_holders_section,
    memory_section,
    waste_section,
    classes_section,
    heap_threads_section,
    stacks_section,
)
"""what is shown of each JVM"""

_MAKERS: tuple[Maker, ...] = (
    answer_section,
    chain_section,
    findings_section,
    inputs_section,
    *PROCESS,
    log_files_section,
    log_events_section,
    broker_logs_section,
    gc_logs_section,
    unchecked_section,
    missing_evidence_section,
)


def sections_of(report: Report, view: View) -> list[Section]:
    """All sections of a report in their order."""
    makers = _MAKERS if report.show is None else (shown_sections,)
    return [section for make in makers for section in make(report, view)]
