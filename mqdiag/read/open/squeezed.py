"""The bytes of squeezed files: gzip, bzip2, xz and zstd, each one file without a name of its own."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Callable, Iterator
from typing import Any, cast

from mqdiag.errors import InputError, first_line
from mqdiag.read.open.limits import MOST_DICTIONARY
from mqdiag.read.sniff import HEAD_BYTES, SQUEEZED, Content, packing_of
from mqdiag.text import say

STEP = 1 << 20
"""bytes that come out at once: a few packed ones can hold gigabytes of the same"""
_CAREFUL = 4 << 10
_GZIP_WINDOW = 31
"""zlib's window bits for a gzip header and trailer"""


def start(packing: Content) -> tuple[Any, type[Exception]]:
    """(an object that unpacks one stream, as those of `bz2` and `lzma` do; what it raises at damage).

    Each library is imported where there is such data.
    """
    if packing is Content.GZIP:
        from isal import igzip_lib

        damage = cast("type[Exception]", igzip_lib.IsalError)  # its stub calls the class an instance
        return igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_GZIP), damage
    if packing is Content.BZIP2:
        import bz2

        return bz2.BZ2Decompressor(), OSError
    if packing is Content.XZ:
        import lzma

        return lzma.LZMADecompressor(memlimit=MOST_DICTIONARY), lzma.LZMAError
    from mqdiag.read.open.zstd import ZstdError, decompressor

    return decompressor(MOST_DICTIONARY), ZstdError


def inflated(
    label: str,
    raw: Iterator[bytes],
    packing: Content,
    step: int = STEP,
    again: Callable[[int], Iterator[bytes]] | None = None,
) -> Iterator[bytes]:
    """All streams of squeezed data one after the other, as far as they go; in steps.

    Args:
        label: what the user calls it.
        raw: its packed bytes.
        packing: how it is squeezed.
        step: most bytes of a piece.
        again: gives the packed bytes from a place on once more, so that not a byte before damage is lost.

    Raises:
        InputError: behind the last piece where the data is damaged or cut.
    """
    unpack, damage = start(packing)
    read = begin = given = done = 0
    began = False
    for packed in raw:
        read += len(packed)
        while packed or (began and not unpack.needs_input):
            if not began:
                packed = packed.lstrip(b"\0")  # zeros fill up a tape's block
                if not packed:
                    break
                began, begin, given = True, read - len(packed), 0
            try:
                out = unpack.decompress(packed, step)
            except damage as error:
                if again is not None and packing is Content.GZIP:
                    for out in _salvage(again(begin), given):
                        done += len(out)
                        yield out
                raise _damaged(label, begin, read, error, done) from None
            packed = b""
            given += len(out)
            done += len(out)
            if out:
                yield out
            if unpack.eof:
                packed, began = unpack.unused_data, False
                unpack, damage = start(packing)
    if began:
        raise InputError(
            label,
            say("the packed data ends in the middle: the file is cut")
            if done
            else say("is packed data that ends before its first byte"),
            hint=say("compare its size and checksum with the original and copy it again"),
        )


def unpacked_head(head: bytes) -> bytes:
    """The first bytes of what is squeezed, as many as the packed ones give; nothing when they are damaged."""
    packing = packing_of(head)
    if packing is None or packing not in SQUEEZED:
        return head
    out = b""
    try:
        # in small steps, so that the bytes before damage stay
        for piece in inflated(
            "", (head[at : at + 512] for at in range(0, len(head), 512)), packing, HEAD_BYTES
        ):
            out += piece
            if len(out) >= HEAD_BYTES:
                break
    except InputError:
        pass  # the head is cut, and may be damaged
    return out


def _damaged(label: str, begin: int, read: int, error: Exception, done: int) -> InputError:
    if not done:
        return InputError(label, say("is damaged packed data: {error}", error=first_line(error)))
    return InputError(
        label,
        say(
            "the packed data is damaged between bytes {first} and {last} of the file ({reason})",
            first=begin,
            last=read,
            reason=first_line(error),
        ),
    )


def _salvage(raw: Iterator[bytes], skip: int) -> Iterator[bytes]:
    """What a damaged gzip stream holds beyond its first `skip` bytes.

    zlib's state can be copied, so no byte is lost.
    """
    expander = zlib.decompressobj(_GZIP_WINDOW)
    for chunk in raw:
        for at in range(0, len(chunk), _CAREFUL):
            piece = chunk[at : at + _CAREFUL]
            before = expander.copy()
            try:
                out, damaged = expander.decompress(piece), False
            except zlib.error:
                out, damaged = b"", True
                with contextlib.suppress(zlib.error):
                    for byte in piece:
                        out += before.decompress(bytes([byte]))
            if out[skip:]:
                yield out[skip:]
            skip = max(skip - len(out), 0)
            if damaged:
                return
