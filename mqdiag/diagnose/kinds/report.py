"""Reports that mqdiag saved as JSON: their facts stand in for dumps that are not at hand any more."""

from __future__ import annotations

from collections.abc import Sequence

from mqdiag.config import Settings
from mqdiag.diagnose.judge import unreadable
from mqdiag.diagnose.sort.kind import Collected, EvidenceKind, OfProcess, within_budget
from mqdiag.diagnose.sort.piece import Piece
from mqdiag.errors import InputError
from mqdiag.facts import Input
from mqdiag.progress import Progress
from mqdiag.read.report import is_report, read_report
from mqdiag.text import say

NO_FACTS = say("is a report of mqdiag without facts to diagnose")


def _recognise(piece: Piece) -> bool:
    return is_report(piece.inner_head)


def _read(pieces: Sequence[Piece], settings: Settings, progress: Progress) -> Collected:
    found = Collected()
    for piece in within_budget(pieces, "report", progress, found):
        try:
            report = read_report(piece.path, piece.name)
        except InputError as error:
            found.inputs.append(unreadable(piece.name, "report", error))
            continue
        given = Input(
            path=piece.name,
            kind="report",
            format=f"mqdiag {report.mqdiag}",
            bytes=piece.size_bytes,
            complete=all(one.complete for one in report.inputs),
        )
        if report.heap is None and report.stacks is None and report.logs is None:
            found.inputs.append(piece.read_as("report", skipped=NO_FACTS))
            continue
        if report.heap is not None or report.stacks is not None:
            pid = None if report.process is None else report.process.pid
            found.processes.append(
                OfProcess(inputs=(given,), heap=report.heap, stacks=report.stacks, pid=pid, saved=True)
            )
        else:
            found.inputs.append(given)
        found.processes += [
            OfProcess(inputs=(given,), heap=other.heap, stacks=other.stacks, pid=other.pid, saved=True)
            for other in report.other_processes
        ]
        if report.logs is not None:
            found.shared["logs"] = report.logs
    return found


KIND = EvidenceKind(name="report", recognise=_recognise, read=_read, sole=True)
