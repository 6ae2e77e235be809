"""Logs and answers of databases, access logs of gateways, and lists of sockets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mqdiag.config import Settings
from mqdiag.diagnose.judge import unreadable
from mqdiag.diagnose.kinds.logs import is_excerpt
from mqdiag.diagnose.sort.kind import Collected, EvidenceKind, within_budget
from mqdiag.diagnose.sort.piece import CRASH_HEADS, Piece
from mqdiag.errors import InputError
from mqdiag.facts.services import ServicesFacts
from mqdiag.progress import Progress
from mqdiag.read.encoding import encoding_of
from mqdiag.read.healing import healed
from mqdiag.read.open.door import as_far_as_they_go, members
from mqdiag.read.services.reader import ServiceText, kind_of, may_be_one, read_services, together
from mqdiag.read.stacks.decode import TextPieces
from mqdiag.read.stacks.reader import MARKS
from mqdiag.text import Text, say

NOTHING = say("looks like an answer of a database, but no row of it could be read")
_ANSWERS = ("disks and memory", "sockets", "database sessions")
"""what a tool answers, below which the answer of another one may stand"""
MOST_CHARACTERS = 512 << 20
"""characters that are read of one file"""


def _recognise(piece: Piece) -> bool:
    return (
        piece.is_text
        and not piece.has_admin_output
        and may_be_one(piece.inner_head)
        and _kind_of(piece) is not None
    )


def _kind_of(piece: Piece) -> ServiceText | None:
    """What it is with its own lines, or without what a paste adds: rows of a table can be as wide as a terminal."""
    head = piece.inner_head
    return kind_of(head.decode(encoding_of(head), errors="replace")) or kind_of(piece.text)


def _read(pieces: Sequence[Piece], settings: Settings, progress: Progress) -> Collected:
    found = Collected()
    parts: list[ServicesFacts] = []
    for piece in within_budget(pieces, "service", progress, found):
        kind = _kind_of(piece)
        if kind is None:  # of a long head its reader has the beginning only
            found.inputs.append(piece.read_as("service", skipped=NOTHING))
            continue
        problems: list[Text] = []
        try:
            told = read_services(piece.name, kind, _lines(piece, problems))
        except InputError as error:
            found.inputs.append(unreadable(piece.name, "service", error))
            continue
        parts.append(told.facts)
        problem = problems[0] if problems else told.problem
        found.inputs.append(piece.read_as("service", kind, problem, may_be_quoted=told.may_be_quoted))
    if parts:
        found.shared["services"] = together(parts)
    return found


def _lines(piece: Piece, problems: list[Text]) -> Iterator[str]:
    """Its lines as far as they go; why there are no more goes to the problems."""

    def note(problem: Text, _: int) -> None:
        problems.append(problem)

    seen = 0
    for label, chunks in members(piece.path):
        for text in TextPieces(label, healed(as_far_as_they_go(chunks, note))):
            seen += len(text)
            yield from text.split("\n")
            if seen > MOST_CHARACTERS:
                return


def _shares(piece: Piece) -> bool:
    """Whether words of a process, its threads or its crash stand below what a tool answers."""
    return _kind_of(piece) in _ANSWERS and (is_excerpt(piece) or piece.holds(MARKS) or piece.holds(CRASH_HEADS))


KIND = EvidenceKind(name="service", recognise=_recognise, read=_read, sole=True, shares=_shares)
