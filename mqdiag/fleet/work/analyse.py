"""The analysis of one incident inside the worker child."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from mqdiag.config import Settings
from mqdiag.facts import HeapFacts
from mqdiag.findings import Report
from mqdiag.fleet.faults import FAULT, rule_reason
from mqdiag.fleet.work.rows import Rows, failure_row, incident_row, report_rows


@dataclass(frozen=True, kw_only=True)
class Request:
    """What to analyse."""

    paths: Mapping[str, str]
    """URI by path on this machine"""
    settings: Settings
    classes: int
    scratch: str
    redact: bool = False


def analyse(request: Request) -> Rows:
    """Diagnose the files as one incident and give its rows, the one of `incidents` included."""
    from mqdiag.diagnose.incident import diagnose_incident

    tempfile.tempdir = request.scratch
    if request.settings.team is not None:
        request.settings.team.use()
    report = diagnose_incident(list(request.paths), request.settings, names=dict(request.paths)).report
    if request.redact:
        report = _redacted(report)
    rows = report_rows(report, classes=request.classes)
    for failed in report.failed:
        rows["failures"].append(failure_row(None, FAULT, rule_reason(failed), None))
    rows["incidents"] = [incident_row(report)]
    return rows


def _redacted(report: Report) -> Report:
    """The report as `--redact` shows it, less the settings that it has replaced.

    Placeholders are numbered within one report: two instances with the same address would seem to differ, and two
    with different ones to agree.
    """
    from mqdiag.redact.report import redact_report

    redacted = redact_report(report)
    changes: dict[str, Any] = {}
    if redacted.heap is not None and report.heap is not None:
        changes["heap"] = _plain_settings(redacted.heap, report.heap)
    changes["other_processes"] = tuple(
        hidden
        if hidden.heap is None or shown.heap is None
        else msgspec.structs.replace(hidden, heap=_plain_settings(hidden.heap, shown.heap))
        for hidden, shown in zip(redacted.other_processes, report.other_processes, strict=True)
    )
    return msgspec.structs.replace(redacted, **changes)


def _plain_settings(redacted: HeapFacts, shown: HeapFacts) -> HeapFacts:
    consumers = tuple(
        msgspec.structs.replace(
            hidden,
            config={key: value for key, value in hidden.config.items() if value == plain.config.get(key)},
        )
        for hidden, plain in zip(redacted.consumers, shown.consumers, strict=True)
    )
    return msgspec.structs.replace(redacted, consumers=consumers)


def warm() -> None:
    """Have the kernels compiled, by one process of a node; the others wait for it."""
    from mqdiag.kernel.ahead import compile_ahead
    from mqdiag.progress import Silent

    compile_ahead(Silent(), "heap")
