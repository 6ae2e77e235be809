"""Chunks of a file to blocks of whole lines, in whatever encoding and with whatever junk in between."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from itertools import chain

from mqdiag.errors import InputError
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.encoding import PROBE, encoding_of, is_chinese, is_wide
from mqdiag.read.healing import healed
from mqdiag.read.paste import MAX_BYTES, tidied
from mqdiag.text import NOTHING, say

MAX_LINE = 1 << 20
"""bytes after which text without a line end is cut, so that memory stays bounded"""
_LONGEST_RECORD = 64 << 10
"""bytes before the end of a chunk in which the beginning of its last record is looked for"""
_BEGINNINGS = (*(b"%d" % digit for digit in range(10)), b"[", b"{", b"<")
"""first bytes of records: a time, a bracket or a brace; a stack, its exception and its causes begin with other signs"""
_TEXT_CONTROLS = bytes((7, 8, 9, 10, 11, 12, 13, 27))
_CONTROLS = bytes(code for code in range(32) if code not in _TEXT_CONTROLS)
_BINARY_SHARE = 0.02
_BEYOND_ASCII = lazy_pattern(rb"[\x80-\xff]")
_MAGICS = {
    b"JAVA PROFILE": (say("is a heap dump, not a log"), say("mqdiag heap reads it")),
    b"\x7fELF": (say("is a program, not a log"), NOTHING),
    b"\xca\xfe\xba\xbe": (say("is a Java class, not a log"), NOTHING),
    b"FLR\0": (say("is a flight recording, not a log"), NOTHING),
}


def blocks(
    label: str, chunks: Iterator[bytes], begins: tuple[bytes, ...] = (), whole: tuple[bytes, ...] = ()
) -> Iterator[bytes]:
    """Blocks that end at a line end, but for the last and for lines that are too long.

    Where records are told by their beginnings, a block ends before one, so that no stack is apart from its record.

    In a short text, wrapped and quoted lines are made whole again.

    Args:
        label: what messages call it.
        chunks: the bytes.
        begins: beginnings of messages, which continue no other line although time and level were cut off.
        whole: beginnings of lines that no other line continues.

    Raises:
        InputError: the data is no text.
    """
    plain = _as_utf8(_plain(label, chunks))
    head: list[bytes] = []
    for chunk in plain:
        head.append(chunk)
        if sum(map(len, head)) > MAX_BYTES:
            break
    else:
        # one block: packed, the same text comes in pieces, and a paste has no line end behind its last line
        text = tidied(b"".join(head), begins, whole)
        head = [text if text.endswith(b"\n") else text + b"\n"]
        plain = iter(())
    rest = b""
    for chunk, is_last in _with_the_last_marked(healed(chain(head, plain), keeps_times=True)):
        end = (not is_last and _end_of_records(chunk)) or chunk.rfind(b"\n") + 1
        if not end:
            rest += chunk
            if len(rest) >= MAX_LINE:
                yield rest
                rest = b""
            continue
        yield b"".join((rest, memoryview(chunk)[:end]))
        rest = chunk[end:]
    if rest:
        yield rest


def _with_the_last_marked(chunks: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Each chunk, and whether no other follows it."""
    ahead = next(chunks, None)
    while ahead is not None:
        chunk, ahead = ahead, next(chunks, None)
        yield chunk, ahead is None


def _end_of_records(chunk: bytes) -> int:
    """Where the last record of a chunk begins; 0 where no line near the end begins one."""
    first = max(len(chunk) - _LONGEST_RECORD, 0)
    at = chunk.rfind(b"\n", first)
    while at >= 0:
        if chunk.startswith(_BEGINNINGS, at + 1):
            return at + 1
        at = chunk.rfind(b"\n", first, at)
    return 0


def _plain(label: str, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """UTF-16 and UTF-32 become UTF-8; a log that was truncated while it was written is full of NUL bytes: they go."""
    decoder: codecs.IncrementalDecoder | None = None
    first = True
    for chunk in chunks:
        if first:
            stripped = chunk.lstrip(b"\0")
            if not stripped:
                continue
            first = False
            if is_wide(chunk):
                decoder = codecs.getincrementaldecoder(encoding_of(chunk))(errors="replace")
            else:
                chunk = stripped.removeprefix(codecs.BOM_UTF8)
                _refuse_binary(label, chunk)
        if decoder is not None:
            chunk = decoder.decode(chunk).removeprefix("\ufeff").encode(errors="replace")
        elif b"\0" in chunk:
            chunk = chunk.replace(b"\0", b"")
        yield chunk


def _as_utf8(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """GB18030 becomes UTF-8; the first text beyond ASCII decides for the whole file, however late it comes."""
    chinese: bool | None = None
    decoder = codecs.getincrementaldecoder("gb18030")(errors="replace")
    for chunk in chunks:
        if chinese is None and not chunk.isascii():
            found = _BEYOND_ASCII.search(chunk)
            assert found is not None
            chinese = is_chinese(chunk[found.start() : found.start() + PROBE])
        if not chinese or (chunk.isascii() and not decoder.getstate()[0]):
            yield chunk
        else:
            yield decoder.decode(chunk).encode(errors="replace")
    if rest := decoder.decode(b"", final=True):
        yield rest.encode(errors="replace")


def _refuse_binary(label: str, chunk: bytes) -> None:
    for magic, (problem, hint) in _MAGICS.items():
        if chunk.startswith(magic):
            raise InputError(label, problem, hint=hint)
    head = chunk[: 64 << 10].replace(b"\0", b"")
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if not head or controls > _BINARY_SHARE * len(head):
        raise InputError(label, say("is not text: a log was expected"))
