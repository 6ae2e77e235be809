"""Folders that came out of an archive, laid out again for evidence that is a folder as a whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from mqdiag.diagnose.sort.piece import Piece
from mqdiag.read.open.to_files import Member

LONGEST_PART = 200
MOST_PARTS = 32


def folders_of(
    label: str, members: Sequence[Member], room: Path, is_evidence: Callable[[Path], bool]
) -> Iterator[tuple[Piece, frozenset[str]]]:
    """Each folder of an archive that is evidence as a whole, with the names of the members that it takes.

    Args:
        label: what the user calls the archive.
        members: all that was unpacked.
        room: an empty folder to lay them out in; member names become paths below it and nowhere else.
        is_evidence: asked of each folder.
    """
    placed: dict[str, str] = {}
    for member in members:
        parts = _safe_parts(member.inner)
        if member.path is None or len(parts) < 2:
            continue
        place = room.joinpath(*parts)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            os.link(member.path, place)
        except OSError:
            continue  # a name that is a folder elsewhere in the same archive, or comes twice
        placed[str(place)] = member.name
    for folder, below, _ in os.walk(room):
        below.sort()
        if placed and is_evidence(Path(folder)):
            below.clear()
            inside = os.path.relpath(folder, room)
            name = label if inside == "." else f"{label}!{inside}"
            taken = frozenset(member for place, member in placed.items() if place.startswith(folder + os.sep))
            whole = os.path.realpath(room)
            yield Piece(name=name, path=folder, size_bytes=0, head=b"", folder=True, within=whole), taken


def _safe_parts(inner: str) -> list[str]:
    """The parts of a member's name, without those that lead elsewhere; none where they are absurd."""
    parts = [part for part in inner.replace("\\", "/").split("/") if part not in ("", ".")]
    if len(parts) > MOST_PARTS or any(
        part == ".." or "\0" in part or len(part) > LONGEST_PART for part in parts
    ):
        return []
    return parts
