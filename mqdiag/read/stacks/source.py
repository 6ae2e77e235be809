"""A file's bytes, whatever it is packed in: plain, gzip, zip, tar, tar.gz."""

from __future__ import annotations

import io
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

from mqdiag.errors import InputError

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
        yield path, _non_empty(path, _stream_chunks(sys.stdin.buffer))
        return
    try:
        if Path(path).is_dir():
            raise InputError(path, "is a directory, a file is expected", hint="name the dumps in it")
        with open(path, "rb") as stream:
            yield from _unpack(path, stream)
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(path, "no such file") from None
    except PermissionError:
        raise InputError(path, "may not be read", hint="check its owner and mode") from None
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror or error}") from None


def _unpack(label: str, stream: IO[bytes]) -> Iterator[tuple[str, Iterator[bytes]]]:
    head = stream.read(512)
    if not head:
        raise InputError(label, "is empty")
    stream.seek(0)
    if head.startswith(b"PK\x03\x04"):
        yield from _zip_members(label, stream)
    elif head.startswith(b"\x1f\x8b"):
        inner = _gzip_head(label, stream)
        stream.seek(0)
        if inner[257:262] == b"ustar":
            yield from _tar_members(label, _open_gzip(stream))
        else:
            yield label, _gzip_chunks(label, stream)
    elif head[257:262] == b"ustar":
        yield from _tar_members(label, stream)
    else:
        yield label, _stream_chunks(stream)


def _non_empty(label: str, chunks: Iterator[bytes]) -> Iterator[bytes]:
    seen = False
    for chunk in chunks:
        seen = True
        yield chunk
    if not seen:
        raise InputError(label, "is empty")


def _stream_chunks(stream: IO[bytes]) -> Iterator[bytes]:
    while chunk := stream.read(CHUNK):
        yield chunk


def _open_gzip(stream: IO[bytes]) -> IO[bytes]:
    try:
        from isal import igzip
    except ImportError:
        import gzip

        return cast("IO[bytes]", gzip.GzipFile(fileobj=stream))
    return cast("IO[bytes]", igzip.IGzipFile(fileobj=stream))  # type: ignore[no-untyped-call]


def _gzip_head(label: str, stream: IO[bytes]) -> bytes:
    try:
        return _open_gzip(stream).read(512)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(label, f"is damaged gzip data: {error}") from None


def _gzip_chunks(label: str, stream: IO[bytes]) -> Iterator[bytes]:
    """Chunks as far as they go; a cut file gives what can be inflated, and its end is seen as a cut dump."""
    opened = _open_gzip(stream)
    seen = False
    while True:
        try:
            chunk = opened.read(CHUNK)
        except Exception as error:
            # isal and zlib raise classes of their own; all mean that the data ends or is damaged here
            if not seen:
                raise InputError(label, f"is damaged gzip data: {error}") from None
            return
        if not chunk:
            return
        seen = True
        yield chunk


def _zip_members(label: str, stream: IO[bytes]) -> Iterator[tuple[str, Iterator[bytes]]]:
    try:
        archive = zipfile.ZipFile(stream)
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise InputError(label, f"is a damaged zip file: {error}") from None
    members = [info for info in archive.infolist() if not info.is_dir() and _wanted(info.filename)]
    for info in members[:MAX_MEMBERS]:
        inner = f"{label}!{info.filename}"
        if info.flag_bits & 1:
            raise InputError(inner, "is encrypted", hint="unpack it first")
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
        raise InputError(label, f"is a damaged tar file: {error}") from None


def _member(label: str, member: IO[bytes]) -> Iterator[tuple[str, Iterator[bytes]]]:
    first = member.read(CHUNK)
    if first.startswith(b"\x1f\x8b"):
        yield label, _gzip_chunks(label, cast("IO[bytes]", _Joined(first, member)))
    elif first:
        yield label, _prefixed(first, member)


def _prefixed(first: bytes, stream: IO[bytes]) -> Iterator[bytes]:
    yield first
    yield from _stream_chunks(stream)


class _Joined(io.RawIOBase):
    """A stream whose beginning was read already; members of a tar cannot seek."""

    def __init__(self, first: bytes, rest: IO[bytes]) -> None:
        self._first = first
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._first:
            taken, self._first = self._first[: len(buffer)], self._first[len(buffer) :]
        else:
            taken = self._rest.read(len(buffer))
        buffer[: len(taken)] = taken
        return len(taken)


def _wanted(name: str) -> bool:
    return not name.lower().endswith(SKIPPED_SUFFIXES) and "__MACOSX" not in name
