"""What a report shows: each module makes the sections of one subject, once for all formats.

A maker takes the report and the view, and yields sections. Makers are imported only for the evidence that a report
has, so that thread dumps are shown without the tables of heaps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

import msgspec

from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import Section

Maker = Callable[[Report, View], Iterator[Section]]
_Rows = tuple[tuple[str, ...], ...]
"""a module with its maker, and the parts of a report of which one has to be there; none for what all reports have"""

_FIRST: _Rows = (
    ("report_head.head_section",),
    ("answer.answer_section",),
    ("differences.differences_section", "diff"),
    ("chain_of_causes.chain_section", "verdict"),
    ("fleet_service.fleet_service", "fleet.one_service"),
    ("fleet_overview.fleet_overview", "fleet"),
    ("fleet_tables.fleet_tables", "fleet"),
    ("finding_cards.findings_section",),
    ("input_files.inputs_section",),
    ("unchecked_rules.unchecked_section",),
    ("missing_evidence.missing_evidence_section", "verdict"),
)
"""what the report is about, the answer, what follows from it, and what it cannot tell"""
_OF_PROCESS: _Rows = (
    ("heap_summary.heap_section", "heap"),
    ("broker_card.broker_section", "heap.broker"),
    ("proxy_card.proxy_section", "heap.proxy", "heap.raft_members"),
    ("proxy_card.raft_section", "heap.proxy", "heap.raft_members"),
    ("consumer_table.consumers_section", "heap.consumers"),
    ("queue_table.queues_section", "heap.queues"),
    ("message_holders.message_holders_section", "heap.message_holders"),
    ("sending.sending_section", "heap.sending"),
    ("memory_holders.memory_section", "heap"),
    ("heap_waste.waste_section", "heap"),
    ("largest_classes.classes_section", "heap"),
    ("heap_threads.heap_threads_section", "heap"),
    ("thread_samples.stacks_section", "stacks"),
    ("call_tree.call_tree_section", "stacks"),
)
"""what is shown of each JVM"""
_BEFORE_PROCESSES: _Rows = (
    ("evidence_times.evidence_times_section", "verdict"),
    ("recordings.recordings_section", "recordings"),
    ("profiles.profiles_section", "profiles"),
)
_BEHIND_PROCESSES: _Rows = (
    ("log_files.log_files_section", "logs"),
    ("log_events.log_events_section", "logs"),
    ("log_offsets.log_offsets_section", "logs.offset_resets", "logs.not_matched"),
    ("quoted_statements.quoted_statements_section", "logs.quoted"),
    ("level_lines.level_lines_section", "logs"),
    ("broker_logs.broker_logs_section", "logs"),
    ("gc_logs.gc_logs_section", "logs"),
    ("crash_report.crash_section", "crash"),
    ("store_folders.store_folders_section", "stores"),
    ("mqadmin_output.mqadmin_sections", "admin"),
    ("services.services_section", "services"),
)


def sections_of(report: Report, view: View) -> list[Section]:
    """All sections of a report in their order: what a reader acts on, then the tables that it rests on.

    Where evidence of several kinds was joined, the short form leaves the tables out, and a page folds them.
    """
    if report.show is not None:
        return [*_maker("shown_object.shown_sections")(report, view)]
    if report.secrets is not None:
        return [*_maker("found_secrets.secrets_sections")(report, view)]
    joined = report.verdict is not None
    tables = [
        msgspec.structs.replace(section, paper=False, wide=section.wide or joined, folded=joined)
        for section in _tables(report, view)
    ]
    return [*_made(_FIRST, report, view), *tables]


def _tables(report: Report, view: View) -> Iterator[Section]:
    """Everything that was read, by the kind of evidence."""
    yield from _made(_BEFORE_PROCESSES, report, view)
    yield from _of_process(report, view)
    if report.other_processes:
        from mqdiag.render.sections.processes import process_sections

        yield from process_sections(report, view, _of_process)
    yield from _made(_BEHIND_PROCESSES, report, view)


def _of_process(report: Report, view: View) -> Iterator[Section]:
    return _made(_OF_PROCESS, report, view)


def _made(rows: _Rows, report: Report, view: View) -> Iterator[Section]:
    for maker, *parts in rows:
        if not parts or any(_has(report, part) for part in parts):
            yield from _maker(maker)(report, view)


def _has(report: Report, part: str) -> bool:
    """Whether a part such as `heap.queues` is there and not empty."""
    found: object = report
    for name in part.split("."):
        found = getattr(found, name, None)
    return bool(found)


def _maker(name: str) -> Maker:
    module, function = name.split(".")
    maker: Maker = getattr(import_module(f"{__name__}.{module}"), function)
    return maker
