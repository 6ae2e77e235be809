"""A file that is a crash report as a whole: nothing in it is other evidence.

Its environment, options, names of threads and texts of exceptions stand there as they are, with line ends in them.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from mqdiag.diagnose.sort.lines_of import lines_of
from mqdiag.diagnose.sort.piece import Piece
from mqdiag.errors import InputError
from mqdiag.read.crash.recognise import end_of_whole
from mqdiag.read.open.to_files import Budget
from mqdiag.read.parts import CRASH
from mqdiag.read.sniff import HEAD_BYTES

REST = "behind the crash report"
MOST_CHARACTERS = 64 << 20


class WholeCrash(msgspec.Struct, frozen=True):
    """A text taken apart."""

    report: Piece
    rest: Path | None = None
    """a copy of what stands behind the report"""


def whole_crash(piece: Piece, budget: Budget) -> WholeCrash | None:
    """The report that a text begins with, and what follows; None for any other text.

    Args:
        piece: a text, packed or not.
        budget: what may still be written.
    """
    if not piece.is_text or end_of_whole(piece.text) is None:
        return None
    lines: list[str] = []
    left = MOST_CHARACTERS
    try:
        for line in lines_of(piece, []):
            lines.append(line)
            left -= len(line)
            if left < 0:
                return None  # it has more behind the report than is copied
    except InputError:
        return None  # its reader tells
    text = "\n".join(lines)
    end = end_of_whole(text)
    if end is None or not text[end:].strip():
        return WholeCrash(msgspec.structs.replace(piece, only="crash"))
    copies = []
    for part in (text[:end] + "\n", text[end:]):
        copies.append(budget.next_file(piece.name))
        copies[-1].write_bytes(part.encode())
    report, rest = copies
    size = report.stat().st_size
    with report.open("rb") as file:
        head = file.read(HEAD_BYTES)
    own = Piece(
        name=f"{piece.name}!{CRASH}",
        path=str(report),
        size_bytes=size,
        head=head,
        given=piece.given,
        only="crash",
    )
    return WholeCrash(own, rest)
