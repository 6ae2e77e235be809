"""Files of control groups and of /proc, one by one or as `mqdiag capture` puts them together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from mqdiag.config import Settings
from mqdiag.diagnose.sort.kind import Collected, EvidenceKind, within_budget
from mqdiag.diagnose.sort.piece import Piece
from mqdiag.facts import Input
from mqdiag.facts.resources import ProcessResources, ResourceReading, ResourcesFacts
from mqdiag.progress import Progress
from mqdiag.read.resources.reader import MOST_BYTES, is_resources, read_resources
from mqdiag.text import say


def _recognise(piece: Piece) -> bool:
    return piece.is_text and not piece.packed and piece.size_bytes <= MOST_BYTES and is_resources(piece.text)


def _read(pieces: Sequence[Piece], settings: Settings, progress: Progress) -> Collected:
    found = Collected()
    readings: dict[str, list[ResourceReading]] = defaultdict(list)
    for piece in within_budget(pieces, "resources", progress, found):
        try:
            text = Path(piece.path).read_bytes()[:MOST_BYTES].decode("utf-8", "replace")
        except OSError as error:
            reason = say("cannot be read: {strerror}", strerror=str(error.strerror or error))
            found.inputs.append(Input(path=piece.name, kind="resources", complete=False, error=reason))
            continue
        readings[piece.name[: piece.name.rfind("/") + 1]].append(read_resources(text, piece.name))
        found.inputs.append(piece.read_as("resources"))
    if readings:
        processes = [_process(sorted(own, key=lambda one: one.path)) for own in readings.values()]
        found.shared["resources"] = ResourcesFacts(processes=tuple(processes))
    return found


def _process(readings: list[ResourceReading]) -> ProcessResources:
    return ProcessResources(first=readings[0], last=readings[-1])


KIND = EvidenceKind(name="resources", recognise=_recognise, read=_read, sole=True)
