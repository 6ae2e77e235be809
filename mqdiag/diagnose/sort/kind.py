"""A kind of evidence: how it is recognised, and what reads it. One module of `mqdiag.diagnose.kinds` each."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import msgspec

import mqdiag.diagnose.kinds as package
from mqdiag.config import Settings
from mqdiag.diagnose.judge import unreadable
from mqdiag.diagnose.sort.piece import Piece
from mqdiag.errors import InputError
from mqdiag.facts import HeapFacts, Input, StacksFacts
from mqdiag.facts.vocabulary import InputKind
from mqdiag.progress import Progress
from mqdiag.read.stacks.records import Sample


class OfProcess(msgspec.Struct, frozen=True, kw_only=True):
    """Evidence that is of one JVM: a heap dump, or a series of thread dumps."""

    inputs: tuple[Input, ...]
    heap: HeapFacts | None = None
    stacks: StacksFacts | None = None
    pid: int | None = None
    """where the evidence names it"""
    saved: bool = False
    """it comes from a saved report"""


class Captured(msgspec.Struct, frozen=True, kw_only=True):
    """A folder whose files are of one process, by the word of what took them."""

    folder: str
    """beginning of the names of its files"""
    host: str | None = None
    pid: int | None = None
    at: str | None = None
    """when it began, with its zone"""
    command: tuple[str, ...] = ()
    """the command line of the process, without secrets"""
    manifest: str = ""
    """the name of the file that says so"""
    promised: tuple[tuple[str, str], ...] = ()
    """what it took that rules read, and the file that it wrote it to"""


class Collected(msgspec.Struct, kw_only=True):
    """What the readers of one kind made of its pieces."""

    inputs: list[Input] = msgspec.field(default_factory=list)
    """files that gave nothing, and those of shared evidence"""
    processes: list[OfProcess] = msgspec.field(default_factory=list)
    shared: dict[str, object] = msgspec.field(default_factory=dict)
    """facts that are not of one process, by their field of `Facts`"""
    captures: list[Captured] = msgspec.field(default_factory=list)
    """folders that are known to be of one process each"""
    samples: list[Sample] = msgspec.field(default_factory=list)
    """thread dumps, which are sorted by JVM when all kinds were read"""
    sample_inputs: dict[str, Input] = msgspec.field(default_factory=dict)
    """by the source of the samples"""
    crashes: list[BaseException] = msgspec.field(default_factory=list)
    """faults of the reader, which the inputs tell too"""


Recognise = Callable[[Piece], bool]
Read = Callable[[Sequence[Piece], Settings, Progress], Collected]


def _no_piece(_: Piece) -> bool:
    return False


def _no_folder(_: Path) -> bool:
    return False


def _no_member(_: str) -> bool:
    return False


def within_budget(
    pieces: Sequence[Piece], kind: InputKind, progress: Progress, found: Collected
) -> Iterator[Piece]:
    """The pieces, as long as the run may go on; each of the others becomes an input that says why it was not read."""
    for piece in pieces:
        try:
            progress.check()
        except InputError as error:
            found.inputs.append(unreadable(piece.name, kind, error))
        else:
            yield piece


class EvidenceKind(msgspec.Struct, frozen=True, kw_only=True):
    """How one kind of evidence is told and read.

    A piece may be of several kinds: a console log with thread dumps in it is logs and stacks.
    """

    name: InputKind
    """as `Input.kind` has it"""
    recognise: Recognise
    """whether a piece is, or holds, such evidence"""
    read: Read
    """all pieces of the kind at once; a broken one becomes an input that says so"""
    takes_rest: Recognise = _no_piece
    """whether it reads a piece that is of no kind"""
    sole: bool = False
    """what is of this kind is of no other: its lines may have times, and it is no log"""
    shares: Recognise = _no_piece
    """whether a piece of such a kind holds other evidence too: somebody put answers of tools and a log together"""
    is_folder: Callable[[Path], bool] = _no_folder
    """whether a folder is such evidence as a whole"""
    keeps: Callable[[str], bool] = _no_member
    """whether a member of an archive may be part of such a folder, by its name"""


@cache
def all_kinds() -> tuple[EvidenceKind, ...]:
    """Every kind, by name; a module of the package holds exactly one, as `KIND`."""
    found = []
    for module in sorted(info.name for info in pkgutil.iter_modules(package.__path__)):
        if module.startswith("_"):
            continue
        kind = getattr(importlib.import_module(f"{package.__name__}.{module}"), "KIND", None)
        if not isinstance(kind, EvidenceKind):
            raise TypeError(f"{package.__name__}.{module} has no EvidenceKind named KIND")
        found.append(kind)
    return tuple(found)
