"""The encoding of a text by its first bytes: UTF-8, UTF-16 as PowerShell writes it, GBK of Chinese Windows."""

from __future__ import annotations

import codecs

PROBE = 64 << 10
_UTF16_SHARE = 0.4
"""share of zero bytes in ASCII text as UTF-16 is one half"""


def encoding_of(head: bytes) -> str:
    """Name of a Python codec that decodes text which begins like this."""
    if head.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    wide = _utf16_without_mark(head[:4096])
    if wide is not None:
        return wide
    probe = head[:PROBE]
    return "gb18030" if not _decodes(probe, "utf-8") and _decodes(probe, "gb18030") else "utf-8"


def _utf16_without_mark(probe: bytes) -> str | None:
    if probe.count(0) < _UTF16_SHARE * len(probe) or len(probe) < 8:
        return None
    even, odd = probe[0::2].count(0), probe[1::2].count(0)
    if odd > 9 * max(even, 1):
        return "utf-16-le"
    return "utf-16-be" if even > 9 * max(odd, 1) else None


def _decodes(probe: bytes, encoding: str) -> bool:
    """Whether all bytes fit, but for a last character that the probe cuts."""
    try:
        codecs.getincrementaldecoder(encoding)().decode(probe)
    except UnicodeDecodeError:
        return False
    return True
