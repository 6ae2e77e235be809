"""Heap dumps, plain and gzip: each is of a process of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mqdiag.config import Settings
from mqdiag.diagnose.judge import unreadable
from mqdiag.diagnose.sort.kind import Collected, EvidenceKind, OfProcess
from mqdiag.diagnose.sort.piece import Piece
from mqdiag.errors import InputError
from mqdiag.progress import Progress
from mqdiag.read.sniff import Content


def _recognise(piece: Piece) -> bool:
    return piece.content is Content.HEAP_DUMP


def _read(pieces: Sequence[Piece], settings: Settings, progress: Progress) -> Collected:
    # Here, not above: this import takes numba and numpy with it.
    from mqdiag.diagnose.heap_facts import read_heap

    found = Collected()
    for piece in pieces:
        try:
            given, heap = read_heap(Path(piece.path), settings, quick=False, name=piece.name, progress=progress)
        except InputError as error:
            found.inputs.append(unreadable(piece.name, "heap", error))
        else:
            found.processes.append(OfProcess(inputs=(given,), heap=heap))
    return found


KIND = EvidenceKind(name="heap", recognise=_recognise, read=_read)
