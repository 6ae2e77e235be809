"""Crash reports of the JVM, and the head of one in a log."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from mqdiag.config import Settings
from mqdiag.diagnose.judge import unreadable
from mqdiag.diagnose.sort.kind import Collected, EvidenceKind, within_budget
from mqdiag.diagnose.sort.lines_of import lines_of
from mqdiag.diagnose.sort.piece import CRASH_HEADS, Piece
from mqdiag.errors import InputError
from mqdiag.facts import CrashFacts
from mqdiag.facts.crash import CrashReport
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.application_records import is_of_an_application
from mqdiag.logs.json_records import is_in_json, is_nameless_record, unwrapped
from mqdiag.logs.process_ids import LEAST
from mqdiag.progress import Progress
from mqdiag.read.crash.reader import read_crash
from mqdiag.read.crash.recognise import begins_as_crash_report, is_crash_report
from mqdiag.read.logs.documents import is_document
from mqdiag.read.logs.levels import ANY
from mqdiag.read.logs.listings import may_hold_texts
from mqdiag.read.logs.prose import is_prose
from mqdiag.read.open.squeezed import unpacked_head
from mqdiag.text import Text, say

_PROCESS = lazy_pattern(ANY + r" +(\d{1,9}) --- \[")
"""the process that Spring Boot names in each line"""
_LONGEST_HEAD = 200
NOTHING = say("looks like a crash report of the JVM, but no line of it could be read")


class _Records(msgspec.Struct):
    """Records of an application above the head of a report; a user does not know which process writes them."""

    processes: set[int] = msgspec.field(default_factory=set)

    def is_one(self, line: str) -> bool:
        """Whether a line is such a record; no text in one of JSON begins a line."""
        raw = line.encode(errors="replace")
        text = unwrapped(raw)[0]
        if is_in_json(raw) or is_nameless_record(raw, text):
            return False
        found = _PROCESS.search(line, 0, _LONGEST_HEAD)
        if found is not None:
            self.processes.add(int(found[1]))
        return is_of_an_application(raw, text)

    def are_of(self, process: int | None) -> bool:
        """Whether all that name a process name this one."""
        return process is not None and process >= LEAST and self.processes == {process}


def _recognise(piece: Piece) -> bool:
    return piece.is_text and (is_crash_report(piece.text) or piece.holds(CRASH_HEADS))


def _read(pieces: Sequence[Piece], settings: Settings, progress: Progress) -> Collected:
    found = Collected()
    reports: list[CrashReport] = []
    for piece in within_budget(pieces, "crash", progress, found):
        try:
            problems: list[Text] = []
            records = _Records()
            is_of_texts = may_hold_texts(piece.inner_head)
            own = [
                msgspec.structs.replace(
                    one, is_message=is_of_texts or (one.is_message and not records.are_of(one.pid))
                )
                for one in read_crash(piece.name, lines_of(piece, problems), records.is_one)
            ]
        except InputError as error:
            found.inputs.append(unreadable(piece.name, "crash", error))
            continue
        if not own:
            # what is left of a report that was cut in its head; elsewhere these words may be somebody's
            is_cut = begins_as_crash_report(piece.text) and not is_prose(piece.name, piece.inner_head)
            found.inputs.append(
                piece.read_as("crash", problem=NOTHING) if is_cut else piece.read_as("crash", skipped=NOTHING)
            )
            continue
        reports += own
        in_document = is_document(unpacked_head(piece.head))
        found.inputs.append(
            piece.read_as(
                "crash",
                "hs_err",
                problems[0] if problems else None,
                pasted=len(own) if in_document else sum(report.pasted for report in own),
            )
        )
    reports = [report for report in reports if not report.pasted] or reports
    if reports:
        found.shared["crash"] = CrashFacts(reports=tuple(reports))
    return found


KIND = EvidenceKind(name="crash", recognise=_recognise, read=_read)
