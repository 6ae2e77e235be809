"""The bytes of a log, streamed: plain, gzip, bzip2, xz; a pipe as it comes; archives through their own reader."""

from __future__ import annotations

import bz2
import lzma
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, Any

from mqdiag.errors import InputError, empty_file, forbidden_file, given_folder, missing_file
from mqdiag.read.stacks.source import CUT, open_members, refuse_device, refuse_endless, was_cut
from mqdiag.read.unpacked import MOST_XZ_MEMORY, Unpacked
from mqdiag.text import Text, say

CHUNK = 1 << 20
_PACKED = 256 << 10
_ARCHIVES = (b"PK\x03\x04", b"PK\x05\x06")

Note = Callable[[Text, int], None]
"""told once what is wrong with packed data, and how many bytes were unpacked before it"""


def open_log(path: str, note: Note) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Every log that the path holds, as (label, chunks); a plain file is its own only member.

    Raises:
        InputError: missing, unreadable, a directory, empty, or a damaged archive.
    """
    if path == "-":
        if sys.stdin is None:
            raise InputError(path, say("standard input is closed"))
        refuse_endless(path, sys.stdin.buffer)
        yield path, _unpacked(path, sys.stdin.buffer, note)
        return
    try:
        if Path(path).is_dir():
            raise given_folder(path)
        refuse_device(path)
        with open(path, "rb") as stream:
            head = stream.read(512)
            if not head:
                raise empty_file(path)
            if not _is_archive(head) and not _is_packed_tar(stream, head):
                yield path, _unpacked(path, stream, note, head)
                return
        yield from open_members(path)
    except InputError:
        raise
    except FileNotFoundError:
        raise missing_file(path) from None
    except PermissionError:
        raise forbidden_file(path) from None
    except (OSError, ValueError) as error:
        raise InputError(
            path, say("cannot be read: {reason}", reason=str(getattr(error, "strerror", None) or error))
        ) from None


def compression_of(path: str) -> str | None:
    """How a file is packed, by its first bytes; None for plain text and pipes."""
    try:
        if not Path(path).is_file():
            return None  # opening a pipe once more would wait for somebody who writes
        with open(path, "rb") as stream:
            head = stream.read(8)
    except OSError:
        return None
    starts = ((b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"\xfd7zXZ\0", "xz"), (b"PK\x03\x04", "zip"))
    return next((name for start, name in starts if head.startswith(start)), None)


def _is_archive(head: bytes) -> bool:
    return head.startswith(_ARCHIVES) or head[257:262] == b"ustar"


def _is_packed_tar(stream: IO[bytes], head: bytes) -> bool:
    """A tar file inside gzip; the stream stands behind the head again afterwards."""
    if not head.startswith(b"\x1f\x8b") or not stream.seekable():
        return False
    at = stream.tell()
    try:
        inner = zlib.decompressobj(31).decompress(head + stream.read(_PACKED), 512)
    except zlib.error:
        inner = b""
    stream.seek(at)
    return inner[257:262] == b"ustar"


def _unpacked(label: str, stream: IO[bytes], note: Note, head: bytes = b"") -> Iterator[bytes]:
    head = head or stream.read(512)
    raw = chain((head,), iter(lambda: stream.read(CHUNK), b""))
    if head.startswith(b"\x1f\x8b"):
        yield from _inflated(label, raw, _gzip, note)
    elif head.startswith(b"BZh"):
        yield from _inflated(label, raw, bz2.BZ2Decompressor, note)
    elif head.startswith(b"\xfd7zXZ\0"):
        yield from _inflated(label, raw, partial(lzma.LZMADecompressor, memlimit=MOST_XZ_MEMORY), note)
    else:
        # the head is joined to what follows, so that the first block tells what the log is
        first = next(raw)
        size_before = os.fstat(stream.fileno()).st_size
        done = 0
        for chunk in chain((first + next(raw, b""),), raw):
            yield chunk
            done += len(chunk)
        if was_cut(stream, size_before):
            note(CUT, done)


def _gzip() -> Any:
    from isal import igzip_lib

    return igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_GZIP)


def _inflated(label: str, raw: Iterator[bytes], start: Callable[[], Any], note: Note) -> Iterator[bytes]:
    """All streams one after the other, as far as they go; in steps, for a few bytes can hold gigabytes."""
    unpack = start()
    counts = Unpacked()
    done = 0
    began = False
    try:
        for packed in raw:
            counts.read(len(packed))
            while packed or (began and not unpack.needs_input and not unpack.eof):
                out = unpack.decompress(packed, CHUNK)
                began, packed = True, b""
                counts.take(label, len(out))
                done += len(out)
                if out:
                    yield out
                if unpack.eof:
                    # the next stream, or zeros that fill up a tape's block
                    packed = unpack.unused_data.lstrip(b"\0")
                    unpack, began = start(), False
    except InputError as error:
        note(error.without_path, done)
        return
    except Exception as error:
        # each library raises errors of its own classes
        if (
            isinstance(error, OSError | EOFError | ValueError | lzma.LZMAError)
            or "Error" in type(error).__name__
        ):
            if not done:
                raise InputError(label, say("is damaged packed data: {error}", error=str(error))) from None
            note(say("the packed data is damaged ({reason})", reason=str(error)), done)
            return
        raise
    if began:
        if not done:
            raise InputError(label, say("is packed data that ends before its first byte"))
        note(say("the packed data ends in the middle: the file is cut"), done)
