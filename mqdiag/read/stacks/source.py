"""A file's bytes, whatever it is packed in: plain, gzip, zip, tar, tar.gz."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import IO, cast

from mqdiag.errors import InputError, empty_file, forbidden_file, given_folder, missing_file
from mqdiag.read.stacks.gzip_chunks import Joined, gzip_chunks, inflated
from mqdiag.read.unpacked import Unpacked
from mqdiag.text import say

_PLAIN_CHUNK = 256 << 10
"""bytes: while they are read, they stay in the processor's cache"""
CUT = say("was cut while it was read; copy it first, and read the copy")


def open_members(path: str) -> Generator[tuple[str, Iterator[bytes]], None, None]:
    """Every file that the path holds, as (label, chunks); a plain file is its own only member.

    Raises:
        InputError: the file is missing, unreadable, empty, or a damaged archive without any readable member.
    """
    if path == "-":
        if sys.stdin is None:
            raise InputError(path, say("standard input is closed"))
        refuse_endless(path, sys.stdin.buffer)
        yield from _unpack_pipe(path, sys.stdin.buffer)
        return
    if not path:
        raise InputError(path, say("is no file name"))
    try:
        if Path(path).is_dir():
            raise given_folder(path)
        refuse_device(path)
        with open(path, "rb") as stream:
            yield from _unpack(path, stream) if stream.seekable() else _unpack_pipe(path, stream)
    except InputError:
        raise
    except FileNotFoundError:
        raise missing_file(path) from None
    except PermissionError:
        raise forbidden_file(path) from None
    except OSError as error:
        raise InputError(path, say("cannot be read: {reason}", reason=str(error.strerror or error))) from None


def refuse_device(path: str) -> None:
    """Refuse a disk, /dev/zero and their like, which may never end; a terminal is one that a person can end.

    Raises:
        InputError: it is one.
        OSError: it is not there.
    """
    mode = os.stat(path).st_mode
    is_terminal = os.path.realpath(path).startswith(("/dev/pts", "/dev/tty"))
    if stat.S_ISBLK(mode) or (stat.S_ISCHR(mode) and not is_terminal):
        raise InputError(path, say("is a device, a file is expected"), hint=say("- reads standard input"))


def refuse_endless(label: str, pipe: IO[bytes]) -> None:
    """Refuse standard input that is a device without an end; /dev/null has one.

    Raises:
        InputError: it is one.
    """
    info = os.fstat(pipe.fileno())
    is_device = stat.S_ISBLK(info.st_mode) or (stat.S_ISCHR(info.st_mode) and not pipe.isatty())
    if is_device and info.st_rdev != os.stat(os.devnull).st_rdev:
        raise InputError(label, say("is a device, a file is expected"))


def _unpack_pipe(label: str, pipe: IO[bytes]) -> Iterator[tuple[str, Iterator[bytes]]]:
    from mqdiag.read.spool import spooled  # pipes alone need it

    # archives are read from their end, and a pipe has none
    with spooled(label, pipe) as spool:
        yield from _unpack(label, spool)


def _unpack(label: str, stream: IO[bytes]) -> Iterator[tuple[str, Iterator[bytes]]]:
    head = stream.read(512)
    if not head:
        raise empty_file(label)
    stream.seek(0)
    counts = Unpacked()
    packed = counts.counting(stream)
    if head.startswith(b"PK\x03\x04"):
        from mqdiag.read.stacks.archive_members import zip_members

        yield from zip_members(label, packed, counts)
    elif head.startswith(b"\x1f\x8b"):
        inner = next(inflated(label, packed, Unpacked()), b"")
        packed.seek(0)
        if inner[257:262] == b"ustar":
            unpacked = cast("IO[bytes]", Joined(b"", inflated(label, packed, counts)))
            yield from _tar_members(label, unpacked, counts)
        else:
            yield label, gzip_chunks(label, packed, counts)
    elif head[257:262] == b"ustar":
        yield from _tar_members(label, packed, counts)
    else:
        yield label, _stream_chunks(label, stream)


def _tar_members(label: str, stream: IO[bytes], counts: Unpacked) -> Iterator[tuple[str, Iterator[bytes]]]:
    from mqdiag.read.stacks.archive_members import tar_members

    yield from tar_members(label, stream, counts)


def _stream_chunks(label: str, stream: IO[bytes]) -> Iterator[bytes]:
    size_before = os.fstat(stream.fileno()).st_size
    while chunk := stream.read(_PLAIN_CHUNK):
        yield chunk
    if was_cut(stream, size_before):
        raise InputError(label, CUT)


def was_cut(stream: IO[bytes], size_before: int) -> bool:
    """Whether a file has become shorter since; a pipe has no size."""
    return os.fstat(stream.fileno()).st_size < size_before
