"""What `mqdiag capture` notes down beside its files: whose they are."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from mqdiag.config import Settings
from mqdiag.diagnose.sort.kind import Captured, Collected, EvidenceKind
from mqdiag.diagnose.sort.piece import Piece
from mqdiag.facts import Input
from mqdiag.progress import Progress
from mqdiag.read.capture_manifest import MOST_BYTES, START
from mqdiag.text import Text, say

_EVIDENCE = ("thread dump", "heap dump", "log")
"""what the names of steps begin with whose files rules read"""


class _Process(msgspec.Struct, frozen=True):
    pid: int | None = None
    inner_pid: int | None = None
    command: tuple[str, ...] = ()


class _Step(msgspec.Struct, frozen=True):
    what: str = ""
    result: str | None = None
    file: str | None = None


class _Manifest(msgspec.Struct, frozen=True):
    """What is needed of a manifest."""

    mqdiag_capture: int
    host: str | None = None
    started_at: str | None = None
    complete: bool = True
    process: _Process = _Process()
    steps: tuple[_Step, ...] = ()


def _recognise(piece: Piece) -> bool:
    return START.match(piece.inner_head) is not None and not piece.packed and piece.size_bytes <= MOST_BYTES


def _read(pieces: Sequence[Piece], settings: Settings, progress: Progress) -> Collected:
    found = Collected()
    for piece in pieces:
        try:
            manifest = msgspec.json.decode(Path(piece.path).read_bytes(), type=_Manifest)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            reason = str(error).replace("`", "")
            problem = say("is not a manifest of a capture: {reason}", reason=reason)
            found.inputs.append(Input(path=piece.name, kind="capture", complete=False, error=problem))
            continue
        own = manifest.process
        folder = piece.name[: max(piece.name.rfind("/"), piece.name.rfind("!")) + 1]
        began = _instant(manifest.started_at)
        pid = own.inner_pid or own.pid
        found.captures.append(
            Captured(
                folder=folder,
                host=manifest.host,
                pid=pid,
                at=began,
                command=own.command,
                manifest=piece.name,
                promised=_promised(manifest),
            )
        )
        lacks = _lacks(manifest)
        found.inputs.append(
            piece.read_as(
                "capture", "whole" if manifest.complete else "cut short", lacks, captured_at=manifest.started_at
            )
        )
    return found


def _lacks(manifest: _Manifest) -> Text | None:
    """What a capture was to take and did not; None if it has all that rules read."""
    if not manifest.complete:
        return say(
            "it ended before all was taken, after {steps:count} {steps:step|steps}",
            steps=len(manifest.steps),
        )
    done = {one.what for one in manifest.steps if one.result == "done"}
    wanted = (one for one in manifest.steps if one.what.startswith(_EVIDENCE))
    # a second way to take it may have succeeded
    failed = next((one for one in wanted if one.what not in done), None)
    if failed is None:
        return None
    return say("it lacks the {what}: {result}", what=failed.what, result=failed.result or "it was not done")


def _promised(manifest: _Manifest) -> tuple[tuple[str, str], ...]:
    return tuple(
        (one.what, one.file)
        for one in manifest.steps
        if one.file and one.result == "done" and one.what.startswith(_EVIDENCE)
    )


def with_lost(inputs: Sequence[Input], captures: Sequence[Captured], given: Collection[str]) -> list[Input]:
    """The inputs, with manifests that name files which are not there marked as incomplete.

    Args:
        inputs: those of shared evidence, manifests among them.
        captures: what the manifests say.
        given: names of all files of the run; a packed file is named by its own name and more.
    """
    lost = {own.manifest: reason for own in captures if (reason := _lost(own, given)) is not None}
    return [
        msgspec.structs.replace(one, complete=False, problem=lost[one.path])
        if one.kind == "capture" and one.complete and one.path in lost
        else one
        for one in inputs
    ]


def _lost(own: Captured, given: Collection[str]) -> Text | None:
    """What lacks of the files that a capture took; a file may have another name now, and be packed."""
    by_folder: dict[str, list[tuple[str, str]]] = {}
    for what, file in own.promised:
        by_folder.setdefault(file[: file.rfind("/") + 1], []).append((what, file))
    lost: list[tuple[str, str]] = []
    for folder, taken in by_folder.items():
        there = [name for name in given if name.startswith(own.folder + folder)]
        missing = len(taken) - len(there)
        if missing > 0:
            unseen = [one for one in taken if not any(name.startswith(own.folder + one[1]) for name in there)]
            lost += unseen[:missing]
    if not lost:
        return None
    what, file = lost[0]
    return say(
        "{files:count} {files:file that it took is|files that it took are} not there, the first is {file} ({what})",
        files=len(lost),
        file=file,
        what=what,
    )


def _instant(text: str | None) -> str | None:
    """A time with its zone; None for any other text."""
    try:
        return text if text is not None and datetime.fromisoformat(text).tzinfo is not None else None
    except ValueError:
        return None


KIND = EvidenceKind(name="capture", recognise=_recognise, read=_read, sole=True)
