"""Heap dumps, plain and gzip, and class histograms: each is of a process of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from mqdiag.config import Settings
from mqdiag.diagnose.judge import unreadable
from mqdiag.diagnose.read_heaps import is_histogram, read_heaps
from mqdiag.diagnose.sort.kind import Collected, EvidenceKind, OfProcess
from mqdiag.diagnose.sort.piece import Piece
from mqdiag.errors import InputError
from mqdiag.facts import HeapFacts, Input
from mqdiag.progress import Progress
from mqdiag.read.sniff import Content
from mqdiag.text import say
from mqdiag.workers import Died

if TYPE_CHECKING:
    from mqdiag.diagnose.heaps_at_once import Found

_BESIDE_A_DUMP = say("is a class histogram beside a heap dump, which shows more")


def _recognise(piece: Piece) -> bool:
    return piece.content is Content.HEAP_DUMP or is_histogram(piece.inner_head)


def _read(pieces: Sequence[Piece], settings: Settings, progress: Progress) -> Collected:
    found = Collected()
    seen: dict[tuple[str | None, int | None, int | None], str] = {}
    dumps = [piece for piece in pieces if piece.content is Content.HEAP_DUMP]
    folders = {Path(piece.name).parent for piece in dumps}
    at_once: dict[str, Found] = {}
    if len(dumps) > 1:
        # Here, not above: most incidents have one dump.
        from mqdiag.diagnose.heaps_at_once import read_at_once

        at_once = {dumps[place].path: one for place, one in read_at_once(dumps, settings, progress).items()}
    for piece in pieces:
        if piece.content is not Content.HEAP_DUMP and Path(piece.name).parent in folders:
            found.inputs.append(piece.read_as("histogram", skipped=_BESIDE_A_DUMP))
            continue
        try:
            read = _heaps(piece, at_once.get(piece.path), settings, progress)
        except InputError as error:
            found.inputs.append(unreadable(piece.name, "heap", error))
        else:
            for given, heap in read:
                other = seen.get(_identity(heap))
                if heap.captured_at is None or other is None:
                    found.processes.append(OfProcess(inputs=(given,), heap=heap))
                else:
                    reason = say("is the same dump as {path}; it is counted once", path=other)
                    found.inputs.append(msgspec.structs.replace(given, skipped=reason))
            # Only now: the dumps of one file have one time, and may have as many objects.
            seen |= {_identity(heap): given.path for given, heap in read}
    return found


def _heaps(
    piece: Piece, by_worker: Found | None, settings: Settings, progress: Progress
) -> list[tuple[Input, HeapFacts]]:
    """What a file says.

    Args:
        piece: the file.
        by_worker: what another process made of it.
        settings: of the diagnosis.
        progress: who listens.

    Raises:
        InputError: nothing of it can be read.
    """
    if isinstance(by_worker, InputError):
        raise by_worker
    if isinstance(by_worker, Died):
        raise InputError(piece.name, by_worker.reason)
    if by_worker is not None:
        return by_worker
    return read_heaps(Path(piece.path), settings, quick=False, name=piece.name, progress=progress)


def _identity(heap: HeapFacts) -> tuple[str | None, int | None, int | None]:
    """What two copies of a dump have in common, packed or not, and two dumps of one JVM have not."""
    return heap.captured_at, heap.file_objects, heap.file_shallow_bytes


KIND = EvidenceKind(name="heap", recognise=_recognise, read=_read)
