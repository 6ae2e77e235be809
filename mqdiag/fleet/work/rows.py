"""A report as rows of the fleet's tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from mqdiag.errors import Lack
from mqdiag.facts import HeapFacts, Input
from mqdiag.facts.heap import ConsumerFacts
from mqdiag.facts.heap_threads import HeapThread
from mqdiag.facts.processes import ProcessFacts
from mqdiag.facts.recordings import Recording
from mqdiag.facts.vocabulary import LossKind
from mqdiag.findings import Finding, Report
from mqdiag.fleet.tables.schemas import (
    CLASSES,
    CONSUMERS,
    FINDINGS,
    INCIDENTS,
    INPUTS,
    LOCKS,
    PEERS,
    QUEUES,
    THREADS,
    Table,
)
from mqdiag.fleet.work.refuting import kinds_that_it_hides, refuting_rules, shown_by
from mqdiag.language import english
from mqdiag.report_json import finding_values, text_values
from mqdiag.text import Text

FRAMES = 30
LONGEST_TEXT = 8000
"""characters of a text column: names come from evidence, and that any length"""

_DOCUMENTS = ('{"rule":', '{"template":')
"""how columns begin that hold JSON, which is of no use when it is cut"""

Row = dict[str, Any]
Rows = dict[str, list[Row]]


def report_rows(report: Report, *, classes: int) -> Rows:
    """The rows of one incident, without the leading columns and the row of `incidents`."""
    # The evidence of one host can be of several processes.
    processes = _processes(report)
    heaps = [one.heap for one in processes if one.heap is not None]
    recordings = () if report.recordings is None else report.recordings.recordings
    rows: Rows = {
        "inputs": [_input(given) for given in report.inputs],
        "findings": [_finding(place, found) for place, found in enumerate(report.findings)],
        "consumers": [_consumer(one, heap) for heap in heaps for one in heap.consumers],
        "queues": [_columns(queue, QUEUES) for heap in heaps for queue in heap.queues],
        "classes": [_columns(row, CLASSES) for heap in heaps for row in heap.classes[:classes]],
        "threads": [
            *(row for heap in heaps for row in _heap_threads(heap)),
            *(
                {"source": "stacks", **_columns(thread, THREADS)}
                for one in processes
                for thread in (() if one.stacks is None else one.stacks.threads)
            ),
        ],
        "recording_peers": [
            {
                **_recorded(recording),
                **_columns(call, PEERS),
                "longest_at": datetime.fromisoformat(call.longest_at),
                "consumer_groups": list(call.groups),
            }
            for recording in recordings
            for call in recording.calls
        ],
        "recording_locks": [
            {**_recorded(recording), **_columns(lock, LOCKS), "consumer_groups": list(lock.groups)}
            for recording in recordings
            for lock in recording.locks
        ],
        "failures": [
            failure_row(given.path, _kind_of_loss(given.lack), reason, given.bytes, kinds_that_it_hides(given))
            for given in report.inputs
            if (reason := why_lost(given, report)) is not None
        ],
    }
    return _bounded(rows)


def _recorded(recording: Recording) -> Row:
    return {"recording": recording.path, "recorded_seconds": recording.seconds}


def failure_row(
    path: str | None, kind: LossKind, reason: Text, size: int | None, keeps_open: Sequence[str] = ()
) -> Row:
    """A row of `failures`."""
    return {
        "path": path,
        "kind": kind,
        "reason": english()(reason),
        "bytes": size,
        "keeps_open": list(keeps_open),
        "document": msgspec.json.encode(text_values(reason)).decode(),
    }


def _kind_of_loss(lack: Lack | None) -> LossKind:
    if lack is None or lack == "folder" or lack == "access" or lack == "reader":
        return "unreadable"
    return lack


def why_lost(given: Input, report: Report) -> Text | None:
    """Why a file gave nothing.

    One that is no evidence is lost only where nothing else is there, or where its name says that it should be some:
    what a proxy answers instead of a dump is stored under the name of the dump.
    """
    if given.error is not None:
        return given.error
    if given.skipped is not None and kinds_that_it_hides(given):
        return given.skipped
    if given.skipped is None or any(other.skipped is None for other in report.inputs):
        return None
    return given.skipped


def _processes(report: Report) -> tuple[Report | ProcessFacts, ...]:
    return report, *report.other_processes


def incident_row(report: Report, lost_files: Iterable[str] = ()) -> Row:
    """What `incidents` says about the result.

    Args:
        report: of the files that were read.
        lost_files: names of the others.
    """
    lost = sum(why_lost(given, report) is not None for given in report.inputs)
    if lost == len(report.inputs):
        status = "failed"
    elif lost or not all(given.complete for given in report.inputs):
        status = "incomplete"
    else:
        status = "ok"
    heap = next((one.heap for one in _processes(report) if one.heap is not None), None)
    return {
        "status": status,
        "mqdiag": report.mqdiag,
        "kinds": sorted({given.kind for given in report.inputs if given.kind and given.was_read}),
        "checked": list(report.checked),
        "refutes": refuting_rules(report, lost_files),
        "lowered": list(report.lowered),
        "findings": len(report.findings),
        "worst": report.findings[0].severity.value if report.findings else None,
        **({} if heap is None else _columns(heap, INCIDENTS)),
    }


def _columns(source: msgspec.Struct, table: Table) -> Row:
    """The columns of a table that are fields of these facts, under the same name."""
    fields = source.__struct_fields__
    return {
        column.name: getattr(source, name)
        for column in table.own
        if (name := column.field or column.name) in fields
    }


def _input(given: Input) -> Row:
    captured = given.captured_at
    return {
        **_columns(given, INPUTS),
        "captured_at": None if captured is None else datetime.fromisoformat(captured),
    }


def _finding(place: int, found: Finding) -> Row:
    return {
        **_columns(found, FINDINGS),
        **_columns(found.subject, FINDINGS),
        "severity": found.severity.value,
        "severity_rank": found.severity.rank,
        "confidence": found.confidence.value,
        "position": place,
        "caused_by": list(found.caused_by),
        "shown_by": shown_by(found),
        "document": msgspec.json.encode(finding_values(found)).decode(),
    }


def _consumer(one: ConsumerFacts, heap: HeapFacts) -> Row:
    lags = [queue.lag for queue in heap.queues if queue.group == one.group and queue.lag is not None]
    threshold, threshold_mib = (
        value if isinstance(value := one.config.get(key), int) else None
        for key in ("pullThresholdForQueue", "pullThresholdSizeForQueue")
    )
    return {
        **_columns(one, CONSUMERS),
        "lag": sum(lags) if lags else None,
        "heap_bytes": heap.heap_bytes,
        "threshold": threshold,
        "threshold_mib": threshold_mib,
        "settings": {key: _text(value) for key, value in one.config.items() if value is not None},
        "subscriptions": sorted(topic for topic in one.topic_queues if not topic.startswith("%RETRY%")),
    }


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _heap_threads(heap: HeapFacts) -> Iterator[Row]:
    for thread in heap.threads:
        yield {
            "source": "heap",
            **_columns(thread, THREADS),
            **_call(thread),
            "frames": list(thread.frames[:FRAMES]),
        }


def _call(thread: HeapThread) -> Row:
    row: Row = {}
    if thread.message is not None:
        row = {
            "consumer_group": thread.message.group,
            "message_topic": thread.message.topic,
            "message_queue_id": thread.message.queue_id,
            "message_offset": thread.message.offset,
            "message_age_ms": thread.message.age_ms,
        }
    if thread.call is not None:
        row |= {"doing": thread.call.doing, "frame": thread.call.frame, "listener": thread.call.listener}
    return row


def _bounded(rows: Rows) -> Rows:
    return {
        table: [{key: _short(value) for key, value in row.items()} for row in of] for table, of in rows.items()
    }


def _short(value: Any) -> Any:
    """What Parquet can hold: words in English, as UTF-8, and not endless."""
    if isinstance(value, Text):
        value = english()(value)
    if isinstance(value, str):
        if not value.isascii():
            value = value.encode("utf-8", errors="backslashreplace").decode()
        return (
            value if len(value) <= LONGEST_TEXT or value.startswith(_DOCUMENTS) else value[:LONGEST_TEXT] + "…"
        )
    if isinstance(value, list):
        return [_short(item) for item in value]
    if isinstance(value, Mapping):
        return {_short(key): _short(item) for key, item in value.items()}
    return value
