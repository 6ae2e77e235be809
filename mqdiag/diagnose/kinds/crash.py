"""Crash reports of the JVM, and the head of one in a log."""

from __future__ import annotations

from collections.abc import Sequence

from mqdiag.config import Settings
from mqdiag.diagnose.judge import unreadable
from mqdiag.diagnose.sort.kind import Collected, EvidenceKind, within_budget
from mqdiag.diagnose.sort.lines_of import lines_of
from mqdiag.diagnose.sort.piece import Piece
from mqdiag.errors import InputError
from mqdiag.facts import CrashFacts
from mqdiag.facts.crash import CrashReport
from mqdiag.progress import Progress
from mqdiag.read.crash.reader import read_crash
from mqdiag.read.crash.recognise import HEADS, is_crash_report
from mqdiag.text import Text, say

NOTHING = say("looks like a crash report of the JVM, but no line of it could be read")
_HEADS = tuple(head.encode() for head in HEADS)


def _recognise(piece: Piece) -> bool:
    return piece.is_text and (is_crash_report(piece.text) or piece.holds(_HEADS))


def _read(pieces: Sequence[Piece], settings: Settings, progress: Progress) -> Collected:
    found = Collected()
    reports: list[CrashReport] = []
    for piece in within_budget(pieces, "crash", progress, found):
        try:
            problems: list[Text] = []
            own = read_crash(piece.name, lines_of(piece, problems))
        except InputError as error:
            found.inputs.append(unreadable(piece.name, "crash", error))
            continue
        if not own:
            found.inputs.append(piece.read_as("crash", skipped=NOTHING))
            continue
        reports += own
        found.inputs.append(
            piece.read_as(
                "crash",
                "hs_err",
                problems[0] if problems else None,
                pasted=sum(report.pasted for report in own),
            )
        )
    reports = [report for report in reports if not report.pasted] or reports
    if reports:
        found.shared["crash"] = CrashFacts(reports=tuple(reports))
    return found


KIND = EvidenceKind(name="crash", recognise=_recognise, read=_read)
