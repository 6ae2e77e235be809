"""Collapsed stacks of async-profiler and of tools that write its form."""

from __future__ import annotations

from collections.abc import Sequence

from mqdiag.config import Settings
from mqdiag.diagnose.judge import unreadable
from mqdiag.diagnose.sort.kind import Collected, EvidenceKind, within_budget
from mqdiag.diagnose.sort.lines_of import lines_of
from mqdiag.diagnose.sort.piece import Piece
from mqdiag.errors import InputError
from mqdiag.facts import ProfilesFacts
from mqdiag.facts.profiles import Profile
from mqdiag.progress import Progress
from mqdiag.read.collapsed import Collapsed, is_collapsed, read_collapsed
from mqdiag.text import Text, say


def _recognise(piece: Piece) -> bool:
    return piece.is_text and is_collapsed(piece.text)


def _read(pieces: Sequence[Piece], settings: Settings, progress: Progress) -> Collected:
    # Here, not above: what stacks mean is needed for these files and dumps alone.
    from mqdiag.recordings.profiles import profile_of

    found = Collected()
    profiles: list[Profile] = []
    for piece in within_budget(pieces, "profile", progress, found):
        problems: list[Text] = []
        try:
            read = read_collapsed(lines_of(piece, problems))
        except InputError as error:
            found.inputs.append(unreadable(piece.name, "profile", error))
            continue
        profiles.append(profile_of(piece.name, read))
        problem = problems[0] if problems else _problem(read)
        found.inputs.append(piece.read_as("profile", "collapsed", problem))
    if profiles:
        found.shared["profiles"] = ProfilesFacts(profiles=tuple(sorted(profiles, key=lambda one: one.path)))
    return found


def _problem(read: Collapsed) -> Text | None:
    if read.first_bad_line is not None:
        return say(
            "line {line:count} has another form than collapsed stacks; expected frames with semicolons between them, a"
            " space and a count",
            line=read.first_bad_line,
        )
    if read.left_out:
        return say(
            "it has more distinct stacks than are kept; {samples:count} samples were left out",
            samples=read.left_out,
        )
    return None


KIND = EvidenceKind(name="profile", recognise=_recognise, read=_read, sole=True)
