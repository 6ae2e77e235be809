"""Frames of a crash report: `C  [libc.so.6+0x8a7b6]  memcpy`, `J 212 C2 a.B.c()V (9 bytes) @ 0x…`, `j  a.B.c()V+3`.

Source: `os::print_register_info`, `frame::print_on_error` of HotSpot, JDK 8 to 25.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mqdiag.facts.vocabulary import FrameKind

FRAME = re.compile(r"[CVvJjA]\s+\S.*$")
_KINDS: dict[str, FrameKind] = {
    "C": "native",
    "V": "vm",
    "v": "vm-stub",
    "J": "compiled",
    "A": "compiled",
    "j": "interpreted",
}
_LIBRARY = re.compile(r"[CV]\s+\[([^\]+]{1,300})\+0x[0-9a-fA-F]+\]")
_COMPILED = re.compile(r"[JA]\s+\d+%?\s*\S*\s+(?:c[12] |C[12] )?([\w.$/]+(?:<init>|<clinit>)?)\(")
_INTERPRETED = re.compile(r"j\s+([\w.$/+]+(?:<init>|<clinit>)?)\(")


class FrameParts(NamedTuple):
    """What a frame tells."""

    kind: FrameKind | None = None
    library: str | None = None
    method: str | None = None


def parts_of(frame: str) -> FrameParts:
    """Kind, library and Java method of a frame."""
    kind = _KINDS.get(frame[:1])
    library = _LIBRARY.match(frame)
    method = _COMPILED.match(frame) or _INTERPRETED.match(frame)
    return FrameParts(
        kind, library[1] if library else None, method[1].replace("/", ".") if method is not None else None
    )
