"""What a file is, by its first bytes: names lie, and incidents come as folders full of everything."""

from __future__ import annotations

import bz2
import enum
import io
import lzma
import zlib
from typing import Any

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.encoding import encoding_of
from mqdiag.read.unpacked import MOST_XZ_MEMORY

HEAD_BYTES = 64 << 10
"""as many of a file's first bytes tell what it is"""


class Content(enum.StrEnum):
    """Forms of file that are told apart before any reader is asked."""

    EMPTY = "empty"
    HEAP_DUMP = "heap dump"
    GZIP = "gzip data"
    BZIP2 = "bzip2 data"
    XZ = "xz data"
    TAR = "tar archive"
    ZIP = "zip archive"
    JAVA_ARCHIVE = "Java archive"
    TEXT = "text"
    JSON = "JSON text"
    BINARY = "binary data"


_STARTS: tuple[tuple[bytes, Content], ...] = (
    (b"JAVA PROFILE 1.0", Content.HEAP_DUMP),
    (b"\x1f\x8b", Content.GZIP),
    (b"BZh", Content.BZIP2),
    (b"\xfd7zXZ\0", Content.XZ),
    (b"PK\x03\x04", Content.ZIP),
    (b"PK\x05\x06", Content.ZIP),
)
_JAVA_MEMBER = lazy_pattern(rb"META-INF/|BOOT-INF/|WEB-INF/")
_JSON_START = lazy_pattern(rb'\s*[\[{]\s*["\]}{\[]')
_CONTROLS = bytes(value for value in range(32) if value not in (0, 8, 9, 10, 12, 13, 27))


def content_of(head: bytes) -> Content:
    """What begins like this; packed data is told as packed, not as what is in it."""
    if not head:
        return Content.EMPTY
    for start, content in _STARTS:
        if head.startswith(start):
            if content is Content.ZIP and _JAVA_MEMBER.match(head[30:46]):
                return Content.JAVA_ARCHIVE
            return content
    if head[257:262] == b"ustar":
        return Content.TAR
    # Here, not above: dumps and packed files are told before.
    from mqdiag.read.foreign_form import foreign_form

    if foreign_form(head) is not None or not _is_text(head):
        return Content.BINARY
    return Content.JSON if _JSON_START.match(head) else Content.TEXT


def unpacked_head(head: bytes) -> bytes:
    """The first bytes of what is packed, as many as the packed ones give; nothing when they are damaged."""
    content = content_of(head)
    unpack: Any
    if content is Content.GZIP:
        unpack = zlib.decompressobj(31)
    elif content is Content.BZIP2:
        unpack = bz2.BZ2Decompressor()
    elif content is Content.XZ:
        unpack = lzma.LZMADecompressor(memlimit=MOST_XZ_MEMORY)
    else:
        return head
    out = io.BytesIO()
    try:
        # in small steps, so that the bytes before damage stay
        for at in range(0, len(head), 512):
            out.write(unpack.decompress(head[at : at + 512], HEAD_BYTES))
            if out.tell() >= HEAD_BYTES or unpack.eof:
                break
    except (zlib.error, OSError, lzma.LZMAError, EOFError):
        pass
    return out.getvalue()


def _is_text(head: bytes) -> bool:
    """Text of any encoding; a log that was truncated while it was written begins with zeros."""
    probe = head.lstrip(b"\0")[:4096] if not head[:64].strip(b"\0") else head[:4096]
    if not probe:
        return False
    if encoding_of(probe).startswith("utf-16"):
        return True
    zeros = probe.count(0)
    controls = sum(map(probe.count, (bytes([value]) for value in _CONTROLS)))
    return zeros <= len(probe) // 100 and controls <= len(probe) // 20
