"""The analysis of one incident inside the worker child."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass

from mqdiag.config import Settings
from mqdiag.fleet.faults import FAULT, rule_reason
from mqdiag.fleet.work.rows import Rows, incident_row, report_rows


@dataclass(frozen=True, kw_only=True)
class Request:
    """What to analyse."""

    paths: Mapping[str, str]
    """URI by path on this machine"""
    settings: Settings
    classes: int
    scratch: str


def analyse(request: Request) -> Rows:
    """Diagnose the files as one incident and give its rows, the one of `incidents` included."""
    from mqdiag.diagnose.incident import diagnose_incident

    tempfile.tempdir = request.scratch
    report = diagnose_incident(list(request.paths), request.settings, names=dict(request.paths)).report
    rows = report_rows(report, classes=request.classes)
    for failed in report.failed:
        rows["failures"].append(
            {
                "path": None,
                "kind": FAULT,
                "reason": rule_reason(failed),
                "bytes": None,
            }
        )
    rows["incidents"] = [incident_row(report)]
    return rows


def warm() -> None:
    """Have the kernels compiled, by one process of a node; the others wait for it."""
    from mqdiag.graph import warm as compile_all
    from mqdiag.kernel import folder

    place = folder.kernel_folder()
    if folder.is_ready():
        return
    with open(os.path.join(place, "warming"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_ready():
            compile_all()
