"""A file's bytes, whatever it is packed in: plain, gzip, zip, tar, tar.gz."""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import IO, Any, cast

from mqdiag.errors import InputError
from mqdiag.text import say

CHUNK = 1 << 20
MAX_MEMBERS = 2_000
"""files read out of one archive"""
SKIPPED_SUFFIXES = (".hprof", ".jar", ".class", ".png", ".jpg", ".so", ".jfr")


def open_members(path: str) -> Iterator[tuple[str, Iterator[bytes]]]:
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
            raise InputError(path, say("is a directory, a file is expected"), hint=say("name the dumps in it"))
        refuse_device(path)
        with open(path, "rb") as stream:
            yield from _unpack(path, stream) if stream.seekable() else _unpack_pipe(path, stream)
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(path, say("no such file")) from None
    except PermissionError:
        raise InputError(path, say("may not be read"), hint=say("check its owner and mode")) from None
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
        raise InputError(label, say("is empty"))
    stream.seek(0)
    if head.startswith(b"PK\x03\x04"):
        yield from _zip_members(label, stream)
    elif head.startswith(b"\x1f\x8b"):
        inner = next(_inflated(stream), b"")
        stream.seek(0)
        if inner[257:262] == b"ustar":
            yield from _tar_members(label, cast("IO[bytes]", _Joined(b"", _inflated(stream))))
        else:
            yield label, _gzip_chunks(label, stream)
    elif head[257:262] == b"ustar":
        yield from _tar_members(label, stream)
    else:
        yield label, _stream_chunks(stream)


def _stream_chunks(stream: IO[bytes]) -> Iterator[bytes]:
    while chunk := stream.read(CHUNK):
        yield chunk


def _member_chunks(stream: IO[bytes]) -> Iterator[bytes]:
    """Chunks of an archive's member as far as they go: what is cut shows as a cut dump."""
    while True:
        try:
            chunk = stream.read(CHUNK >> 4)
        except (zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error, OSError):
            return
        if not chunk:
            return
        yield chunk


def _inflated(stream: IO[bytes]) -> Iterator[bytes]:
    """All members of gzip data, as far as they can be inflated: what is cut shows as a cut dump."""
    inflater: Any = zlib
    with contextlib.suppress(ImportError):
        from isal import isal_zlib as inflater
    inflate = inflater.decompressobj(31)
    while raw := stream.read(CHUNK >> 2):
        while raw:
            try:
                out = inflate.decompress(raw, CHUNK)
            except Exception:
                # isal and zlib raise errors of their own classes; the data is damaged from here on
                return
            if out:
                yield out
            if inflate.eof:
                # the next member, or zeros that fill up a tape's block
                raw = inflate.unused_data.lstrip(b"\0")
                inflate = inflater.decompressobj(31)
            else:
                raw = inflate.unconsumed_tail


def _gzip_chunks(label: str, stream: IO[bytes]) -> Iterator[bytes]:
    """Chunks of gzip data.

    Raises:
        InputError: not one byte can be inflated.
    """
    seen = False
    for chunk in _inflated(stream):
        seen = True
        yield chunk
    if not seen:
        raise InputError(label, say("is damaged gzip data"))


def _zip_members(label: str, stream: IO[bytes]) -> Iterator[tuple[str, Iterator[bytes]]]:
    try:
        archive = zipfile.ZipFile(stream)
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise InputError(label, say("is a damaged zip file: {error}", error=str(error))) from None
    members = [info for info in archive.infolist() if not info.is_dir() and _wanted(info.filename)]
    for info in members[:MAX_MEMBERS]:
        inner = f"{label}!{info.filename}"
        if info.flag_bits & 1:
            raise InputError(inner, say("is encrypted"), hint=say("unpack it first"))
        with archive.open(info) as member:
            yield from _member(inner, member)


def _tar_members(label: str, stream: IO[bytes]) -> Iterator[tuple[str, Iterator[bytes]]]:
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            count = 0
            for info in archive:
                if not info.isfile() or not info.size or not _wanted(info.name):
                    continue
                count += 1
                if count > MAX_MEMBERS:
                    return
                member = archive.extractfile(info)
                if member is not None:
                    yield from _member(f"{label}!{info.name}", member)
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise InputError(label, say("is a damaged tar file: {error}", error=str(error))) from None


def _member(label: str, member: IO[bytes]) -> Iterator[tuple[str, Iterator[bytes]]]:
    chunks = _member_chunks(member)
    first = next(chunks, b"")
    if first.startswith(b"\x1f\x8b"):
        yield label, _gzip_chunks(label, cast("IO[bytes]", _Joined(first, chunks)))
    elif first:
        yield label, chain((first,), chunks)
    else:
        yield label, _nothing(label)


def _nothing(label: str) -> Iterator[bytes]:
    """A member of which not one byte can be read; said when it is read, so that the next ones follow."""
    for _ in (label,):
        raise InputError(label, say("is damaged or empty"))
    yield b""


class _Joined(io.RawIOBase):
    """A stream of chunks whose beginning was read already; members of an archive cannot seek."""

    def __init__(self, first: bytes, rest: Iterator[bytes]) -> None:
        self._first = first
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        taken = self._first or next(self._rest, b"")
        taken, self._first = taken[: len(buffer)], taken[len(buffer) :]
        buffer[: len(taken)] = taken
        return len(taken)


def _wanted(name: str) -> bool:
    return not name.lower().endswith(SKIPPED_SUFFIXES) and "__MACOSX" not in name
