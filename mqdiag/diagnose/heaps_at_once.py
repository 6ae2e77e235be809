"""Small heap dumps, several at once, each in a process of its own: one core is enough for each of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mqdiag.config import Settings
from mqdiag.diagnose.read_heaps import read_heaps
from mqdiag.diagnose.sort.piece import Piece
from mqdiag.errors import InputError
from mqdiag.facts import HeapFacts, Input
from mqdiag.kernel import folder
from mqdiag.kernel.ahead import compile_ahead
from mqdiag.progress import Progress, Steps
from mqdiag.read.available_memory import available_bytes
from mqdiag.read.cores import LEAST_BYTES
from mqdiag.text import say
from mqdiag.workers import Died, Step, read_in_workers

if TYPE_CHECKING:
    from mqdiag.knowledge.team import Team

Found = list[tuple[Input, HeapFacts]] | InputError | Died
MEMORY_OF_WORKER = 512 << 20
"""more than a small dump takes: one of 1.5 million objects, 48 MB, took 160 MB"""
USUAL_INFLATION = 5
"""bytes of a dump for each of its packed ones"""
_WORK = f"{__name__}.heaps_of"
"""what a worker calls for each path"""


def read_at_once(pieces: Sequence[Piece], settings: Settings, progress: Progress) -> dict[int, Found]:
    """What small dumps say, by their places; a place is missing if the caller is to read the dump itself.

    Args:
        pieces: heap dumps.
        settings: how many processes read at once, the heap's limit, and what a team knows.
        progress: who listens.
    """
    sizes = [_size(piece) for piece in pieces]
    jobs = settings.jobs
    available = available_bytes()
    if available is not None:
        jobs = min(jobs, available // MEMORY_OF_WORKER)
    if jobs < 2 or sum(map(bool, sizes)) < 2:
        return {}
    compile_ahead(progress, "heap")
    if not folder.is_ready(("heap",)):
        return {}  # each process would compile for itself
    progress.phase(say("reading records"))
    words = settings.heap_limit, settings.cache_bytes, settings.team
    return read_in_workers(
        _WORK, [(piece.path, piece.name, *words) for piece in pieces], sizes, jobs, progress.advance
    )


def heaps_of(
    path: str, name: str, heap_limit: int | None, cache_bytes: int | None, team: Team | None, step: Step
) -> list[tuple[Input, HeapFacts]] | InputError:
    """For workers: what each dump of a file says, or why nothing of it can be read."""
    if team is not None:
        team.use()
    settings = Settings(heap_limit=heap_limit, cache_bytes=cache_bytes)
    try:
        return read_heaps(Path(path), settings, quick=False, name=name, progress=Steps(step))
    except InputError as error:
        return error


def _size(piece: Piece) -> int:
    """Bytes of a small dump, or a guess of that; 0 of a large one, which is worth all cores."""
    size = piece.size_bytes * USUAL_INFLATION if piece.packed else piece.size_bytes
    return size if size < LEAST_BYTES else 0
