"""The encoding of a text by its first bytes: UTF-8, UTF-16 and UTF-32 of PowerShell, GBK of Chinese Windows."""

from __future__ import annotations

import codecs
from collections import Counter

PROBE = 64 << 10
_UTF16_SHARE = 0.4
"""share of zero bytes in ASCII text as UTF-16 is one half"""
_UTF32_SHARE = 0.7
"""the same as UTF-32 is three quarters"""
_LEAST_CHINESE = 0.8
"""share of common characters among those beyond ASCII; other encodings read as GB18030 give rare ones, UTF-8 too"""
_FEWEST_CHARACTERS = 2


def encoding_of(head: bytes) -> str:
    """Name of a Python codec that decodes text which begins like this."""
    if head.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    wide = _wide_without_mark(head[:4096])
    if wide is not None:
        return wide
    probe = head[:PROBE]
    return "gb18030" if not _decodes(probe, "utf-8") and _decodes(probe, "gb18030") else "utf-8"


def is_chinese(sample: bytes) -> bool | None:
    """Whether text is GB18030, as consoles of Chinese Windows write it; None where the sample has too little to tell.

    Args:
        sample: text from a character on; one that is damaged or cut does not matter. PROBE bytes of it are looked at.
    """
    sample = sample[:PROBE]
    if sample.isascii():
        return None
    if _decodes(sample, "utf-8"):
        return False
    counts = Counter(character for character in sample.decode("gb18030", "replace") if character > "\x7f")
    if counts.total() < _FEWEST_CHARACTERS:
        return None
    return sum(counts[one] for one in counts if _is_common(one)) >= _LEAST_CHINESE * counts.total()


def _is_common(character: str) -> bool:
    """Whether it is Chinese punctuation, or one of the 3,755 characters of GB 2312's first level."""
    code = character.encode("gb2312", "ignore")
    return bool(code) and (code[0] in (0xA1, 0xA3) or 0xB0 <= code[0] <= 0xD7)


def is_wide(head: bytes) -> bool:
    """Whether text that begins like this has zero bytes in each of its characters."""
    return encoding_of(head).startswith(("utf-16", "utf-32"))


def _wide_without_mark(probe: bytes) -> str | None:
    zeros = probe.count(0)
    if zeros < _UTF16_SHARE * len(probe) or len(probe) < 8:
        return None
    if zeros >= _UTF32_SHARE * len(probe):
        first, last = probe[0::4].count(0), probe[3::4].count(0)
        if last > 9 * max(first, 1):
            return "utf-32-le"
        return "utf-32-be" if first > 9 * max(last, 1) else None
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
