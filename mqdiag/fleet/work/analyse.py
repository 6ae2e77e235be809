"""The analysis of one incident inside the worker child."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from mqdiag.config import Settings
from mqdiag.facts import HeapFacts, Input
from mqdiag.findings import Report
from mqdiag.fleet.faults import FAULT, rule_reason
from mqdiag.fleet.work.rows import Rows, failure_row, incident_row, report_rows

if TYPE_CHECKING:
    from mqdiag.diagnose.incident import Evidence


@dataclass(frozen=True, kw_only=True)
class Request:
    """What to analyse."""

    paths: Mapping[str, str]
    """URI by path on this machine"""
    settings: Settings
    classes: int
    scratch: str
    redact: bool = False
    kept: str | None = None
    """file with facts that were read before: the paths are not read again"""
    keep: str | None = None
    """file for the facts that are read"""
    lost: tuple[str, ...] = ()
    """URIs of the incident's files that could not be analysed"""


def analyse(request: Request) -> Rows:
    """Diagnose the files as one incident and give its rows, the one of `incidents` included."""
    from mqdiag.diagnose.incident import judge_incident, read_incident
    from mqdiag.fleet.work.kept_facts import packed_facts, unpacked_facts

    tempfile.tempdir = request.scratch
    if request.settings.team is not None:
        request.settings.team.use()
    if request.kept is not None:
        evidence = unpacked_facts(Path(request.kept).read_bytes())
    else:
        evidence, crashes = read_incident(list(request.paths), request.settings, names=dict(request.paths))
        # What a fault or want of memory left out may be there the next time.
        lacked = {given.lack for given in _inputs(evidence)} - {None, "reader"}
        if request.keep is not None and not crashes and not lacked:
            Path(request.keep).write_bytes(packed_facts(evidence))
    report = judge_incident(evidence, request.settings).report
    if request.redact:
        report = _redacted(report)
    rows = report_rows(report, classes=request.classes)
    for failed in report.failed:
        rows["failures"].append(failure_row(None, FAULT, rule_reason(failed), None))
    rows["incidents"] = [incident_row(report, request.lost)]
    return rows


def _inputs(evidence: Evidence) -> Iterator[Input]:
    return itertools.chain(evidence.inputs, *(one.inputs for one in evidence.processes))


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
