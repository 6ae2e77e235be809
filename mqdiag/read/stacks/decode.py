"""Bytes to text with plain line ends, piece by piece."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from mqdiag.errors import InputError
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.encoding import encoding_of
from mqdiag.read.stacks import patterns
from mqdiag.text import say

MAX_LINE = 16 << 20
"""characters after which text without a line end is cut, so that memory stays bounded"""
_TAGS = lazy_pattern(
    r"</?(?:pre|p|div|span|code|html|body|head|b|i|tt|font|a|li|ul|td|tr|table)\b[^>]{0,200}>", re.I
)
_BREAKS = lazy_pattern(r"<br ?/?>\n?", re.I)


def text_pieces(label: str, chunks: Iterator[bytes]) -> Iterator[str]:
    """Decode; every piece but the last ends at a line end.

    Raises:
        InputError: the data is no text: a heap dump, an archive, any binary file.
    """
    decoder: codecs.IncrementalDecoder | None = None
    rest = ""
    escaped = False
    for chunk in chunks:
        if decoder is None:
            # a log that was truncated while it was written begins with a run of NUL bytes
            chunk = chunk.lstrip(b"\0") if chunk[:64].count(0) == len(chunk[:64]) else chunk
            if not chunk:
                continue
            encoding = _encoding(label, chunk)
            decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
        text = decoder.decode(chunk)
        end = text.rfind("\n")
        if end < 0:
            rest += text
            if len(rest) > MAX_LINE:
                yield _plain(rest) + "\n"
                rest = ""
            continue
        piece = rest + text[: end + 1] if rest else text[: end + 1]
        rest = text[end + 1 :]
        piece = _plain(piece)
        escaped = escaped or _is_escaped(piece)
        yield _unescape(piece) if escaped else piece
    if decoder is not None:
        rest += decoder.decode(b"", final=True)
    if rest:
        piece = _plain(rest)
        yield _unescape(piece) if escaped or _is_escaped(piece) else piece


def _plain(text: str) -> str:
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "")
    if "\xa0" in text:
        text = text.replace("\xa0", " ")
    if "﻿" in text:
        text = text.replace("﻿", "")
    return text


def _is_escaped(piece: str) -> bool:
    """A paste out of a web page: quotes of headers are entities."""
    return "&" in piece and any(mark in piece for mark in patterns.HTML_MARKS)


def _unescape(piece: str) -> str:
    import html  # its table of entities takes time, and only pages have them

    return html.unescape(_TAGS.sub("", _BREAKS.sub("\n", piece))).replace("\xa0", " ")


def _encoding(label: str, head: bytes) -> str:
    if head.startswith(patterns.HEAP_MAGIC):
        raise InputError(label, say("is a heap dump, not a thread dump"), hint=say("use: mqdiag heap"))
    encoding = encoding_of(head)
    if encoding.startswith("utf-16"):
        return encoding
    probe = head[:4096]
    zeros = probe.count(0)
    controls = sum(probe.count(value) for value in range(32) if value not in (0, 8, 9, 10, 12, 13, 27))
    if zeros > len(probe) // 100 or controls > len(probe) // 20:
        raise InputError(
            label, say("is binary data, not a thread dump"), hint=say("give the text that jstack wrote")
        )
    return encoding
