"""A file that begins with crash reports: nothing in them is other evidence, and what follows is a piece of its own.

The environment, options, names of threads and texts of exceptions stand in them as they are, with line ends in them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import msgspec

from mqdiag.diagnose.sort.lines_of import lines_of
from mqdiag.diagnose.sort.piece import Piece
from mqdiag.errors import InputError
from mqdiag.read.crash.recognise import begins_with_head, end_of_reports
from mqdiag.read.open.to_files import Budget
from mqdiag.read.parts import CRASH
from mqdiag.read.sniff import HEAD_BYTES

REST = "behind the crash report"
MOST_CHARACTERS = 64 << 20
"""in which reports end that a text begins with"""
_LINES_AT_ONCE = 10_000


class WholeCrash(msgspec.Struct, frozen=True):
    """A text taken apart."""

    report: Piece
    rest: Path | None = None
    """a copy of what stands behind the report"""


def whole_crash(piece: Piece, budget: Budget) -> WholeCrash | None:
    """The reports that a text begins with, and what follows; None for any other text.

    Args:
        piece: a text, packed or not.
        budget: what may still be written.
    """
    if not piece.is_text or not begins_with_head(piece.text):
        return None
    try:
        return _taken_apart(piece, budget)
    except InputError:
        return None  # its reader tells


def _taken_apart(piece: Piece, budget: Budget) -> WholeCrash | None:
    """The same of a text that begins with the head of a report.

    Raises:
        InputError: it cannot be opened, is no text, or has more than the run may write.
    """
    budget.read(piece.size_bytes)
    lines = lines_of(piece, [])
    first: list[str] = []
    left = MOST_CHARACTERS
    for line in lines:
        first.append(line)
        left -= len(line)
        if left < 0:
            break
    text = "\n".join(first)
    end = end_of_reports(text)
    if end is None:
        return None
    if left >= 0 and not text[end:].strip():
        return WholeCrash(msgspec.structs.replace(piece, only="crash"))
    report = _copied(iter([text[:end], ""]), piece.name, budget)
    rest = _copied(_joined(text[end:], lines), piece.name, budget)
    with report.open("rb") as file:
        head = file.read(HEAD_BYTES)
    own = Piece(
        name=f"{piece.name}!{CRASH}",
        path=str(report),
        size_bytes=report.stat().st_size,
        head=head,
        given=piece.given,
        only="crash",
    )
    return WholeCrash(own, rest)


def _joined(first: str, lines: Iterator[str]) -> Iterator[str]:
    """Texts that stand on lines of their own."""
    yield first
    while more := list(islice(lines, _LINES_AT_ONCE)):
        yield "\n".join(more)


def _copied(texts: Iterator[str], label: str, budget: Budget) -> Path:
    """A file with texts, each below the one before."""
    path = budget.next_file(label)
    with path.open("wb") as file:
        for place, text in enumerate(texts):
            data = f"\n{text}".encode() if place else text.encode()
            budget.take(label, len(data))
            file.write(data)
    return path
