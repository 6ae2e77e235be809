"""Logs of clients, brokers, applications and collectors, and excerpts of them without times."""

from __future__ import annotations

from collections.abc import Sequence

from mqdiag.config import Settings
from mqdiag.diagnose.logs import NamedLog, read_logs
from mqdiag.diagnose.sort.kind import Collected, EvidenceKind
from mqdiag.diagnose.sort.piece import Piece
from mqdiag.progress import Progress
from mqdiag.read.logs.recognise import is_log


def _recognise(piece: Piece) -> bool:
    return piece.is_text and is_log(piece.inner_head, piece.name)


def _read(pieces: Sequence[Piece], settings: Settings, progress: Progress) -> Collected:
    named = [NamedLog(path=piece.path, name=piece.name) for piece in pieces]
    evidence = read_logs(named, utc_offset_minutes=settings.utc_offset_minutes, progress=progress)
    shared: dict[str, object] = {} if evidence.facts is None else {"logs": evidence.facts}
    return Collected(inputs=evidence.inputs, shared=shared)


KIND = EvidenceKind(name="log", recognise=_recognise, read=_read)
