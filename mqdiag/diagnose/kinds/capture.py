"""The manifest of `mqdiag capture`: no evidence itself, it says whether what lies beside it is whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from mqdiag.config import Settings
from mqdiag.diagnose.judge import unreadable
from mqdiag.diagnose.sort.kind import Collected, EvidenceKind
from mqdiag.diagnose.sort.piece import Piece
from mqdiag.errors import InputError
from mqdiag.facts import Input
from mqdiag.progress import Progress

MOST_BYTES = 16 << 20
_START = re.compile(rb'\s*\{\s*"mqdiag_capture"\s*:\s*\d+\s*,')


class _Manifest(msgspec.Struct):
    complete: bool = False
    started_at: str | None = None
    steps: list[dict[str, object]] = []


def _recognise(piece: Piece) -> bool:
    return piece.is_text and not piece.packed and _START.match(piece.head) is not None


def _read(pieces: Sequence[Piece], settings: Settings, progress: Progress) -> Collected:
    found = Collected()
    for piece in pieces:
        try:
            with Path(piece.path).open("rb") as file:
                manifest = msgspec.json.decode(file.read(MOST_BYTES), type=_Manifest)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            found.inputs.append(
                unreadable(piece.name, "capture", InputError(piece.name, f"is no manifest: {error}"))
            )
            continue
        failed = sum(1 for step in manifest.steps if str(step.get("result", "")).startswith("failed"))
        told = (
            "the manifest of a whole capture" if manifest.complete else "the manifest of a capture that was cut"
        )
        if failed:
            told += f", {failed} of {len(manifest.steps)} steps failed"
        found.inputs.append(
            Input(
                path=piece.name,
                kind="capture",
                bytes=piece.size_bytes,
                captured_at=manifest.started_at,
                skipped=f"is {told}",
            )
        )
    return found


KIND = EvidenceKind(name="capture", recognise=_recognise, read=_read)
