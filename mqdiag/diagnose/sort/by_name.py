"""A text with lines of several pods or containers as one file for each, as far as it is one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from mqdiag.diagnose.sort.piece import Piece
from mqdiag.errors import InputError, Lack
from mqdiag.read.named_lines import MOST_NAMES, chunks_of, names_in
from mqdiag.read.open.squeezed import unpacked_head
from mqdiag.read.open.to_files import Budget
from mqdiag.text import Text, say

TOO_MANY = say(
    "holds lines of more than {most:count} pods or containers, which are not told apart; give the lines of those that"
    " matter",
    most=MOST_NAMES,
)
_MOST_KEPT = 16 << 20
"""bytes that wait to be written"""


class ByName(msgspec.Struct):
    """What a text came to."""

    files: dict[str, Path] = msgspec.field(default_factory=dict)
    """by name of the process, in the order in which they begin"""
    problem: Text | None = None
    """why it was not told apart, or not all of it"""
    lack: Lack | None = None


def by_name(piece: Piece, budget: Budget) -> ByName:
    """The lines of each process as a file; none for any other text.

    Args:
        piece: a text, packed or not.
        budget: what may still be written.
    """
    try:
        names = names_in(piece.path, unpacked_head(piece.head))
    except InputError:
        names = None  # its reader tells
    if names is None:
        return ByName()
    if names.are_too_many:
        return ByName(problem=TOO_MANY)
    found = ByName()

    def note(problem: Text, _: int) -> None:
        found.problem = problem

    waiting: dict[str, list[bytes]] = {}
    kept = 0
    try:
        for name, line in names.parted(_counted(piece.path, budget, note)):
            waiting.setdefault(name, []).append(line)
            kept += len(line)
            if kept > _MOST_KEPT:
                _write(piece, waiting, found.files, budget)
                kept = 0
        _write(piece, waiting, found.files, budget)
    except InputError as error:
        found.problem, found.lack = error.without_path, error.lack
    return found


def _counted(path: str, budget: Budget, note: Callable[[Text, int], None]) -> Iterator[bytes]:
    for chunk in chunks_of(path, note):
        budget.read(len(chunk))
        yield chunk


def _write(piece: Piece, waiting: dict[str, list[bytes]], files: dict[str, Path], budget: Budget) -> None:
    """Write what waits behind what was written.

    Raises:
        InputError: that is more than the run may write.
    """
    for name, lines in waiting.items():
        label = f"{piece.name}!{name}"
        data = b"".join(lines)
        budget.take(label, len(data))
        if name not in files:
            files[name] = budget.next_file(label)
        with files[name].open("ab") as file:
            file.write(data)
    waiting.clear()
