"""Bytes to text with plain line ends, piece by piece."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator

from mqdiag.errors import InputError
from mqdiag.read.encoding import encoding_of, is_wide
from mqdiag.read.healing import of_page
from mqdiag.read.stacks import patterns
from mqdiag.text import say

MAX_LINE = 16 << 20
"""characters after which text without a line end is cut, so that memory stays bounded"""


class TextPieces:
    """Decoded text; every piece but the last ends at a line end.

    Raises:
        InputError: the data is no text: a heap dump, an archive, any binary file.
    """

    def __init__(self, label: str, chunks: Iterator[bytes]) -> None:
        self._label = label
        self._chunks = chunks
        self._ahead: bytes | None = None
        """the chunk behind the one that is decoded"""
        self._decoder: codecs.IncrementalDecoder | None = None
        self._is_utf8 = False
        self._rest = ""
        self._escaped = False

    def __iter__(self) -> Iterator[str]:
        """The pieces, as far as they are not taken undecoded."""
        while chunk := self._next_chunk():
            if self._decoder is None:
                # a log that was truncated while it was written begins with a run of NUL bytes
                chunk = chunk.lstrip(b"\0") if chunk[:64].count(0) == len(chunk[:64]) else chunk
                if not chunk:
                    continue
                chunk = self._choose_decoder(chunk)
            assert self._decoder is not None
            text = self._decoder.decode(chunk)
            end = text.rfind("\n")
            if end < 0:
                self._rest += text
                if len(self._rest) > MAX_LINE:
                    rest, self._rest = self._rest, ""
                    yield _plain(rest) + "\n"
                continue
            piece, self._rest = self._rest + text[: end + 1], text[end + 1 :]
            yield self._cleaned(piece)
        if self._decoder is not None:
            self._rest += self._decoder.decode(b"", final=True)
        if self._rest:
            rest, self._rest = self._rest, ""
            yield self._cleaned(rest)

    @property
    def ended(self) -> bool:
        """Whether the piece that was given is the last one."""
        return not (self._ahead or self._rest or (self._decoder and self._decoder.getstate()[0]))

    @property
    def is_plain(self) -> bool:
        """Whether the bytes that follow are UTF-8, and not of a web page."""
        return self._is_utf8 and not self._escaped

    def give_undecoded(self, before: str, take: Callable[[bytes], int]) -> None:
        """Hand the bytes that follow to `take` for as long as it takes some; the others come as pieces.

        Args:
            before: text of earlier pieces that comes again before them.
            take: gets bytes from the beginning of a line on, and gives how many of them it took.
        """
        assert self._decoder is not None
        data = (before + self._rest).encode() + self._decoder.getstate()[0]
        self._decoder.reset()
        while chunk := self._next_chunk():
            data += chunk
            taken = take(data)
            data = data[taken:]
            if not taken:
                break
        self._rest = self._decoder.decode(data)

    def _next_chunk(self) -> bytes:
        """The next chunk; empty at the end."""
        chunk = next(self._chunks, b"") if self._ahead is None else self._ahead
        self._ahead = next(self._chunks, b"") if chunk else b""
        return chunk

    def _choose_decoder(self, head: bytes) -> bytes:
        """Choose the decoder by the first bytes; gives them without the mark of UTF-8."""
        encoding = _encoding(self._label, head)
        self._is_utf8 = encoding in ("utf-8", "utf-8-sig")
        self._decoder = codecs.getincrementaldecoder("utf-8" if self._is_utf8 else encoding)(errors="replace")
        return head.removeprefix(codecs.BOM_UTF8) if self._is_utf8 else head

    def _cleaned(self, piece: str) -> str:
        piece = _plain(piece)
        self._escaped = self._escaped or _is_escaped(piece)
        return of_page(piece) if self._escaped else piece


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


def _encoding(label: str, head: bytes) -> str:
    if head.startswith(patterns.HEAP_MAGIC):
        raise InputError(label, say("is a heap dump, not a thread dump"), hint=say("use: mqdiag heap"))
    encoding = encoding_of(head)
    if is_wide(head):
        return encoding
    probe = head[:4096]
    zeros = probe.count(0)
    controls = sum(probe.count(value) for value in range(32) if value not in (0, 8, 9, 10, 12, 13, 27))
    if zeros > len(probe) // 100 or controls > len(probe) // 20:
        raise InputError(
            label,
            say("is binary data, not a thread dump"),
            hint=say("give the text that jstack wrote"),
            lack="reader",
        )
    return encoding
