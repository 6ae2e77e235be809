"""Whether a file that was given to one reader is for others: people give a paste to the command that they know."""

from __future__ import annotations

import sys
from io import BufferedReader
from pathlib import Path

from mqdiag.diagnose.sort.kind import all_kinds
from mqdiag.diagnose.sort.piece import Piece
from mqdiag.diagnose.sort.walk import STANDARD_INPUT
from mqdiag.read.parts import MAX_BYTES, parts_of
from mqdiag.read.paste import decoded
from mqdiag.read.sniff import HEAD_BYTES, Content

_OF_ANY_COMMAND = {"admin", "crash"}
"""kinds of text that have no command of their own"""


def needs_sorting(path: str, own: str) -> bool:
    """Whether `mqdiag diagnose` reads a file better than the reader of one kind.

    Args:
        path: a file; "-" is standard input, of which only what is there already is looked at.
        own: name of the kind of evidence that the file was given as.
    """
    head, size = _beginning(path)
    piece = Piece(name=path, path=path, size_bytes=size, head=head)
    if not head or piece.packed or not piece.is_text:
        return False
    if path == STANDARD_INPUT:
        piece = Piece(name=path, path=path, size_bytes=len(head), head=head)
    kinds = {kind.name for kind in all_kinds() if kind.recognise(piece)}
    if kinds & _OF_ANY_COMMAND or (own == "log" and kinds == {"stacks"}):
        return True
    return piece.content is Content.TEXT and size <= MAX_BYTES and bool(parts_of(decoded(_whole(path, head))))


def _beginning(path: str) -> tuple[bytes, int]:
    """First bytes of a file and its size; nothing of what cannot be read, which its reader tells."""
    if path == STANDARD_INPUT:
        stream = None if sys.stdin is None else sys.stdin.buffer
        head = stream.peek(HEAD_BYTES)[:HEAD_BYTES] if isinstance(stream, BufferedReader) else b""
        return head, len(head)
    try:
        if not Path(path).is_file():
            return b"", 0
        with open(path, "rb") as file:
            return file.read(HEAD_BYTES), Path(path).stat().st_size
    except (OSError, ValueError):
        return b"", 0


def _whole(path: str, head: bytes) -> bytes:
    return head if path == STANDARD_INPUT else Path(path).read_bytes()
