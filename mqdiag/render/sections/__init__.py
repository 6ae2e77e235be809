"""What a report shows: each module makes the sections of one subject, once for all formats.

A maker takes the report and the view, and yields sections. Makers are imported only for the evidence that a report
has, so that thread dumps are shown without the tables of heaps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from mqdiag.facts import HeapFacts, LogsFacts
from mqdiag.facts.fleet import FleetFacts
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import Section
from mqdiag.render.sections.answer import answer_section
from mqdiag.render.sections.finding_cards import findings_section
from mqdiag.render.sections.input_files import inputs_section
from mqdiag.render.sections.unchecked_rules import unchecked_section

Maker = Callable[[Report, View], Iterator[Section]]


def sections_of(report: Report, view: View) -> list[Section]:
    """All sections of a report in their order: what a reader acts on, then the tables that it rests on.

    Where evidence of several kinds was joined, the short form leaves the tables out, and a page folds them.
    """
    if report.show is not None:
        from mqdiag.render.sections.shown_object import shown_sections

        return [*shown_sections(report, view)]
    if report.secrets is not None:
        from mqdiag.render.sections.found_secrets import secrets_sections

        return [*secrets_sections(report, view)]
    first = [section for make in _first_makers(report) for section in make(report, view)]
    joined = report.verdict is not None
    tables = [
        msgspec.structs.replace(section, paper=False, wide=section.wide or joined, folded=joined)
        for make in _table_makers(report)
        for section in make(report, view)
    ]
    return [*first, *tables]


def _first_makers(report: Report) -> Iterator[Maker]:
    """What the report is about, the answer, what follows from it, and what it cannot tell."""
    from mqdiag.render.sections.report_head import head_section

    yield head_section
    yield answer_section
    if report.diff is not None:
        from mqdiag.render.sections.differences import differences_section

        yield differences_section
    if report.verdict is not None:
        from mqdiag.render.sections.chain_of_causes import chain_section

        yield chain_section
    if report.fleet is not None:
        yield from _fleet_makers(report.fleet)
    yield findings_section
    yield inputs_section
    yield unchecked_section
    if report.verdict is not None:
        from mqdiag.render.sections.missing_evidence import missing_evidence_section

        yield missing_evidence_section


def _fleet_makers(fleet: FleetFacts) -> Iterator[Maker]:
    """What is wrong where; the findings follow, as their cards are long."""
    if fleet.one_service:
        from mqdiag.render.sections.fleet_service import fleet_service

        yield fleet_service
        return
    from mqdiag.render.sections.fleet_overview import fleet_overview
    from mqdiag.render.sections.fleet_tables import fleet_tables

    yield from (fleet_overview, fleet_tables)


def _table_makers(report: Report) -> Iterator[Maker]:
    """Everything that was read, by the kind of evidence."""
    if report.verdict is not None:
        from mqdiag.render.sections.evidence_times import evidence_times_section

        yield evidence_times_section
    if report.recordings is not None:
        from mqdiag.render.sections.recordings import recordings_section

        yield recordings_section
    if report.profiles is not None:
        from mqdiag.render.sections.profiles import profiles_section

        yield profiles_section
    yield from _process_makers(report)
    if report.other_processes:
        yield _other_processes
    if report.logs is not None:
        yield from _log_makers(report.logs)
    if report.crash is not None:
        from mqdiag.render.sections.crash_report import crash_section

        yield crash_section
    if report.stores is not None:
        from mqdiag.render.sections.store_folders import store_folders_section

        yield store_folders_section
    if report.admin is not None:
        from mqdiag.render.sections.mqadmin_output import mqadmin_sections

        yield mqadmin_sections
    if report.services is not None:
        from mqdiag.render.sections.services import services_section

        yield services_section


def _process_makers(report: Report) -> Iterator[Maker]:
    """What is shown of each JVM."""
    if report.heap is not None:
        yield from _heap_makers(report.heap)
    if report.stacks is not None:
        from mqdiag.render.sections.call_tree import call_tree_section
        from mqdiag.render.sections.thread_samples import stacks_section

        yield from (stacks_section, call_tree_section)


def _of_process(report: Report, view: View) -> Iterator[Section]:
    return (section for make in _process_makers(report) for section in make(report, view))


def _other_processes(report: Report, view: View) -> Iterator[Section]:
    from mqdiag.render.sections.processes import process_sections

    return process_sections(report, view, _of_process)


def _heap_makers(heap: HeapFacts) -> Iterator[Maker]:
    from mqdiag.render.sections.heap_summary import heap_section
    from mqdiag.render.sections.heap_threads import heap_threads_section
    from mqdiag.render.sections.heap_waste import waste_section
    from mqdiag.render.sections.largest_classes import classes_section
    from mqdiag.render.sections.memory_holders import memory_section

    yield heap_section
    if heap.broker is not None:
        from mqdiag.render.sections.broker_card import broker_section

        yield broker_section
    if heap.proxy is not None or heap.raft_members:
        from mqdiag.render.sections.proxy_card import proxy_section, raft_section

        yield from (proxy_section, raft_section)
    if heap.consumers:
        from mqdiag.render.sections.consumer_table import consumers_section

        yield consumers_section
    if heap.queues:
        from mqdiag.render.sections.queue_table import queues_section

        yield queues_section
    if heap.message_holders:
        from mqdiag.render.sections.message_holders import message_holders_section

        yield message_holders_section
    if heap.sending is not None:
        from mqdiag.render.sections.sending import sending_section

        yield sending_section
    yield from (memory_section, waste_section, classes_section, heap_threads_section)


def _log_makers(logs: LogsFacts) -> Iterator[Maker]:
    from mqdiag.render.sections.broker_logs import broker_logs_section
    from mqdiag.render.sections.gc_logs import gc_logs_section
    from mqdiag.render.sections.level_lines import level_lines_section
    from mqdiag.render.sections.log_events import log_events_section
    from mqdiag.render.sections.log_files import log_files_section

    yield from (log_files_section, log_events_section)
    if logs.offset_resets or logs.not_matched:
        from mqdiag.render.sections.log_offsets import log_offsets_section

        yield log_offsets_section
    if logs.quoted:
        from mqdiag.render.sections.quoted_statements import quoted_statements_section

        yield quoted_statements_section
    yield from (level_lines_section, broker_logs_section, gc_logs_section)
