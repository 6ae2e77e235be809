"""What a file is, by its first bytes: names lie, and incidents come as folders full of everything."""

from __future__ import annotations

import enum

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.encoding import is_wide

HEAD_BYTES = 64 << 10
"""as many of a file's first bytes tell what it is"""


class Content(enum.StrEnum):
    """Forms of file that are told apart before any reader is asked."""

    EMPTY = "empty"
    HEAP_DUMP = "heap dump"
    RECORDING = "flight recording"
    GZIP = "gzip data"
    BZIP2 = "bzip2 data"
    XZ = "xz data"
    ZSTD = "zstd data"
    TAR = "tar archive"
    ZIP = "zip archive"
    JAVA_ARCHIVE = "Java archive"
    TEXT = "text"
    JSON = "JSON text"
    BINARY = "binary data"


DUMP_MAGIC = b"JAVA PROFILE"
RECORDING_MAGIC = b"FLR\0"
SQUEEZED = (Content.GZIP, Content.BZIP2, Content.XZ, Content.ZSTD)
"""one file each, without a name of its own"""
ARCHIVES = (Content.ZIP, Content.TAR)
PACKING_NAMES = {
    Content.GZIP: "gzip",
    Content.BZIP2: "bzip2",
    Content.XZ: "xz",
    Content.ZSTD: "zstd",
    Content.ZIP: "zip",
    Content.TAR: "tar",
}
"""as reports name them"""
_PACKINGS: tuple[tuple[bytes, Content], ...] = (
    (b"\x1f\x8b", Content.GZIP),
    (b"BZh", Content.BZIP2),
    (b"\xfd7zXZ\0", Content.XZ),
    (b"\x28\xb5\x2f\xfd", Content.ZSTD),
    (b"PK\x03\x04", Content.ZIP),
    (b"PK\x05\x06", Content.ZIP),
)
_TAR_MAGIC, _TAR_MAGIC_AT = b"ustar", 257
PACKING_HEAD_BYTES = 512
"""as many of a file's first bytes tell how it is packed"""
_JAVA_MEMBER = lazy_pattern(rb"META-INF/|BOOT-INF/|WEB-INF/")
_JSON_START = lazy_pattern(rb'\s*[\[{]\s*["\]}{\[]')
_CONTROLS = bytes(value for value in range(32) if value not in (0, 8, 9, 10, 12, 13, 27))


def packing_of(head: bytes) -> Content | None:
    """How what begins like this is packed; None where it is not."""
    for start, content in _PACKINGS:
        if head.startswith(start):
            return content
    if head.startswith(_TAR_MAGIC, _TAR_MAGIC_AT):
        return Content.TAR
    return None


def is_java_member(name: bytes) -> bool:
    """Whether the first member of a zip archive is one of a Java archive, by the beginning of its name."""
    return _JAVA_MEMBER.match(name) is not None


def content_of(head: bytes) -> Content:
    """What begins like this; packed data is told as packed, not as what is in it."""
    if not head:
        return Content.EMPTY
    if head.startswith(DUMP_MAGIC + b" 1.0"):
        return Content.HEAP_DUMP
    if head.startswith(RECORDING_MAGIC):
        return Content.RECORDING
    packing = packing_of(head)
    if packing is Content.ZIP and is_java_member(head[30:46]):
        return Content.JAVA_ARCHIVE
    if packing is not None:
        return packing
    # Here, not above: dumps and packed files are told before.
    from mqdiag.read.foreign_form import foreign_form

    if foreign_form(head) is not None or not _is_text(head):
        return Content.BINARY
    return Content.JSON if _JSON_START.match(head) else Content.TEXT


def _is_text(head: bytes) -> bool:
    """Text of any encoding; a log that was truncated while it was written begins with zeros."""
    probe = head.lstrip(b"\0")[:4096] if not head[:64].strip(b"\0") else head[:4096]
    if not probe:
        return False
    if is_wide(probe):
        return True
    zeros = probe.count(0)
    controls = sum(map(probe.count, (bytes([value]) for value in _CONTROLS)))
    return zeros <= len(probe) // 100 and controls <= len(probe) // 20
