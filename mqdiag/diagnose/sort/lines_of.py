"""The lines of a text piece, packed or not."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.diagnose.sort.piece import Piece
from mqdiag.read.healing import healed
from mqdiag.read.lines_in_names import without_lines_in_names
from mqdiag.read.open.door import as_far_as_they_go, members
from mqdiag.read.paste import decoded
from mqdiag.read.stacks.decode import TextPieces
from mqdiag.text import Text


def lines_of(piece: Piece, problems: list[Text]) -> Iterator[str]:
    """Its lines as far as they go, without those in names of threads; why there are no more goes to the problems.

    Raises:
        InputError: it cannot be opened, or is no text.
    """
    if piece.size_bytes <= len(piece.head) and not piece.packed:
        yield from decoded(b"".join(without_lines_in_names(iter([piece.head])))).split("\n")
        return

    def note(problem: Text, _: int) -> None:
        problems.append(problem)

    for label, chunks in members(piece.path):
        for text in TextPieces(label, without_lines_in_names(healed(as_far_as_they_go(chunks, note)))):
            yield from text.removesuffix("\n").split("\n")
