"""Whether a file that does not begin as a log goes on as one: behind zeros, one long line, or a page of other text."""

from __future__ import annotations

from pathlib import Path

from mqdiag.read.healing import heal
from mqdiag.read.logs.recognise import is_log
from mqdiag.read.sniff import HEAD_BYTES, Content, content_of

BLOCKS = 8
"""parts of a file that are looked at, the last bytes among them"""
_BLOCK_BYTES = 32 << 10
MOST_ZEROS = 256 << 20
"""bytes that a file may begin with before its first text is no longer searched for"""
_STEP_BYTES = 1 << 20


def is_log_further_on(path: str, size_bytes: int) -> bool:
    """Whether parts of a plain file, each from the begin of a line on, are those of a log."""
    block_bytes = min(_BLOCK_BYTES, size_bytes // 2)
    last = size_bytes - block_bytes
    places = {last * block // BLOCKS for block in range(1, BLOCKS + 1)}
    with open(path, "rb") as file:
        for place in sorted(places):
            file.seek(place)
            if is_part_of_log(file.read(block_bytes), Path(path).name):
                return True
    return False


def is_part_of_log(block: bytes, name: str) -> bool:
    """Whether bytes out of the middle of a file are those of a log, from the begin of a line on."""
    text = heal(block.partition(b"\n")[2])
    return content_of(text) in (Content.TEXT, Content.JSON) and is_log(text, name)


def head_behind_zeros(path: str) -> bytes:
    """The first bytes behind the zeros that a file begins with; nothing where there are too many.

    A log begins with zeros where it was truncated while its writer went on, or where the machine lost its power.
    """
    read = 0
    with open(path, "rb") as file:
        while read <= MOST_ZEROS and (chunk := file.read(_STEP_BYTES)):
            read += len(chunk)
            text = chunk.lstrip(b"\0")
            if text:
                return (text + file.read(HEAD_BYTES))[:HEAD_BYTES]
    return b""
