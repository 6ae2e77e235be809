"""Logs of clients, brokers, applications and collectors, and excerpts of them without times."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mqdiag.config import Settings
from mqdiag.diagnose.logs import NamedLog, read_logs
from mqdiag.diagnose.sort.kind import Collected, EvidenceKind
from mqdiag.diagnose.sort.piece import Piece
from mqdiag.progress import Progress
from mqdiag.read.crash import begins_as_crash_report
from mqdiag.read.logs.shape import SAMPLE_LINES, has_records, shape_of
from mqdiag.read.logs.stamps import StampReader
from mqdiag.read.stacks.endpoint import is_endpoint_json
from mqdiag.read.stacks.patterns import is_dump_file

LEAST_SHARE = 0.05
"""of the first lines that begin something: those that have a time"""
LEAST_LINES = 2
_CONTINUES = re.compile(rb"\s|$|Caused by: |at ")
"""a blank line, or one of a stack trace, of which an error may have dozens"""
_DUMP = b"Full thread dump"
_DUMP_HEAD = 400


def _recognise(piece: Piece) -> bool:
    if not piece.is_text:
        return False
    head = piece.inner_head.lstrip(b"\0")
    text = head.decode(errors="replace")
    if is_dump_file(head) or is_endpoint_json(text) or begins_as_crash_report(text):
        return False
    if shape_of(head, piece.name).form != "plain":
        return True
    lines = [line for line in head.split(b"\n", SAMPLE_LINES)[:SAMPLE_LINES] if not _CONTINUES.match(line)]
    stamps = StampReader()
    dated = sum(1 for line in lines if stamps.of_line(line) is not None)
    if _DUMP in head[:_DUMP_HEAD]:
        # jstack prints a date above its dump
        return dated > LEAST_LINES
    if dated >= min(LEAST_LINES, len(lines)) and dated >= LEAST_SHARE * len(lines) and dated > 0:
        return True
    # an excerpt whose times were cut off
    return has_records(head)


def _read(pieces: Sequence[Piece], settings: Settings, progress: Progress) -> Collected:
    named = [NamedLog(path=piece.path, name=piece.name) for piece in pieces]
    evidence = read_logs(named, utc_offset_minutes=settings.utc_offset_minutes, progress=progress)
    shared: dict[str, object] = {} if evidence.facts is None else {"logs": evidence.facts}
    return Collected(inputs=evidence.inputs, shared=shared)


KIND = EvidenceKind(name="log", recognise=_recognise, read=_read)
