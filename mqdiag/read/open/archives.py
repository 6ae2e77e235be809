"""The members of zip and tar files, one level deep: imported where evidence is packed, as both readers take 3 ms.

Member names are labels and never become paths. What is found is handed out one member after the other, so a
damaged archive gives all that stands before the damage.
"""

from __future__ import annotations

import io
import lzma
import os
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any, NamedTuple, Self

from mqdiag.errors import InputError, first_line
from mqdiag.read.open.limits import MAX_TAR_HEADER, MAX_ZIP_DIRECTORY, Limits, TooMuchError, allowed
from mqdiag.text import Text, say

_CHUNK = 64 << 10
"""bytes: so many of a cut member are lost at most"""
_ZIP_HEADER = 30
"""least bytes before the data of a member"""
_DAMAGE = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError, NotImplementedError,
    RuntimeError, ValueError,
)  # fmt: skip


class Entry(NamedTuple):
    """One file of an archive."""

    name: str
    """within the archive"""
    chunks: Iterator[bytes]
    """as far as they go; an InputError at their end says why there are no more"""


def zip_entries(label: str, file: IO[bytes]) -> Iterator[Entry]:
    """Every file in a zip file; each one's chunks must be read before the next.

    Raises:
        InputError: it is damaged, or lists what no honest archive does.
    """
    try:
        size = _check_directory(label, file)
        archive = zipfile.ZipFile(file)
    except _DAMAGE as error:
        raise InputError(
            label,
            say("begins like a zip file, and is damaged: {error}", error=_reason(error)),
            hint=say("copy it again, or pack the files again"),
        ) from None
    with archive:
        _check_overlaps(label, archive)
        for info in archive.infolist():
            if not info.is_dir():
                yield Entry(info.filename, _zip_chunks(f"{label}!{info.filename}", archive, info, size))


def _zip_chunks(name: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo, size: int) -> Iterator[bytes]:
    problem = _unfit(info, size)
    if problem is not None:
        raise InputError(name, problem)
    try:
        stream = archive.open(info)
    except _DAMAGE as error:
        raise InputError(name, say("is damaged: {reason}", reason=_reason(error))) from None
    with stream:
        yield from _chunks(name, stream.read)


def _unfit(info: zipfile.ZipInfo, archive_bytes: int) -> Text | None:
    """Why a member of a zip file is not unpacked, by what its header says."""
    if info.flag_bits & 1:
        return say("is encrypted; unpack it first")
    if info.compress_type == zipfile.ZIP_LZMA:
        # the data itself asks for the memory, and `zipfile` gives it any
        return say("is packed with LZMA; unpack it first")
    if not allowed(info.file_size, archive_bytes):
        return say("says that it unpacks to {size:bytes}; if you trust it, unpack it", size=info.file_size)
    return None


def _check_overlaps(label: str, archive: zipfile.ZipFile) -> None:
    """Refuse members that overlap: the same bytes would be unpacked again and again."""
    members = sorted(archive.infolist(), key=lambda info: info.header_offset)
    ends = [*(info.header_offset for info in members[1:]), archive.start_dir]
    for info, end in zip(members, ends, strict=True):
        if info.header_offset + _ZIP_HEADER + info.compress_size > end:
            raise InputError(label, say("is a damaged zip file: its members overlap"))


def _check_directory(label: str, file: IO[bytes]) -> int:
    """Refuse a directory of contents that would not fit into memory; `zipfile` reads it whole.

    Returns:
        the bytes of the whole file.
    """
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - (1 << 16) - 22))
    tail = file.read()
    at = tail.rfind(b"PK\x05\x06")
    directory = int.from_bytes(tail[at + 12 : at + 16], "little") if at >= 0 else 0
    if directory == 0xFFFFFFFF:
        at64 = tail.rfind(b"PK\x06\x06")
        directory = int.from_bytes(tail[at64 + 40 : at64 + 48], "little") if at64 >= 0 else 0
    if min(directory, size) > MAX_ZIP_DIRECTORY:
        raise InputError(label, say("lists too many files to be read"), hint=say("unpack what matters"))
    file.seek(0)
    return size


def tar_entries(label: str, read: Callable[[int], bytes], limits: Limits) -> Iterator[Entry]:
    """Every file in a tar file; what is left of one is read over before the next.

    Args:
        label: what the user calls it.
        read: gives so many of its bytes or fewer, none at the end.
        limits: to which a hole counts: it is read as zeros, however long a header says that it is.

    Raises:
        InputError: behind the last member where the archive is damaged or cut, or a header has no end.
    """
    feed = _TarFeed(label, read)
    files = 0
    try:
        with tarfile.open(fileobj=feed, mode="r|", tarinfo=_EndTold) as archive:
            for info in archive:
                # The reader keeps every header that it has seen, and copies global ones into each.
                archive.members.clear()  # type: ignore[attr-defined]
                archive.pax_headers.clear()  # type: ignore[attr-defined]
                if not info.isreg() or (stream := archive.extractfile(info)) is None:
                    continue
                name = f"{label}!{info.name}"
                if info.issparse():
                    limits.take(name, info.size)
                chunks = _chunks(name, stream.read, feed.allow)
                yield Entry(info.name, chunks)
                _read_over(chunks)
                files += 1
            _check_ending(archive)
    except TooMuchError:
        raise
    except (*_DAMAGE, InputError) as error:
        if limits.are_exceeded:
            return  # the reader of the last member was told
        damaged = (
            say("is damaged behind {files:count} {files:file|files}, and what follows is missing", files=files)
            if files
            else say("is damaged")
        )
        reason = error.problem if isinstance(error, InputError) else _reason(error)
        raise InputError(label, say("{damaged}: {reason}", damaged=damaged, reason=reason)) from None


def _read_over(chunks: Iterator[bytes]) -> None:
    try:
        for _ in chunks:
            pass
    except TooMuchError:
        raise
    except InputError:
        return  # its own reader did not want it, and the next header tells of damage


class _EndOfArchiveError(OSError):
    """The tar reader goes on reading behind the end."""


class _TarFeed(io.RawIOBase):
    """What a tar reader reads from: bounds what it takes between two members, and so its memory and time.

    The reader skips a member by reading as many bytes as its header declares, whether there are any left or not: a
    header that declares 2^62 bytes kept it busy for ever. So it is told once that the file has ended, and stopped when
    it asks again.
    """

    def __init__(self, label: str, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._label = label
        self._left = MAX_TAR_HEADER
        self._ended = False

    def readable(self) -> bool:
        """Always."""
        return True

    def read(self, size: int = -1) -> bytes:
        """So many bytes, or fewer.

        Raises:
            _EndOfArchiveError: the reader was told before that there is nothing more.
            TooMuchError: it has read too much without a piece of a member.
        """
        data = self._read(min(size, _CHUNK) if size >= 0 else _CHUNK)
        if not data:
            if self._ended:
                raise _EndOfArchiveError("it ends inside this member")
            self._ended = True
        self._left -= len(data)
        if self._left < 0:
            raise TooMuchError(self._label, say("is a damaged tar file: a header without end"))
        return data

    def allow(self) -> None:
        """A piece of a member was read, which is bounded elsewhere."""
        self._left = MAX_TAR_HEADER


class _EndTold(tarfile.TarInfo):
    """Headers of members; the reader takes any header that it cannot read for the end, and says nothing."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        """The next header; why there is none is kept."""
        try:
            return super().fromtarfile(archive)
        except tarfile.HeaderError as error:
            archive.ending = error  # type: ignore[attr-defined]
            raise


def _check_ending(archive: tarfile.TarFile) -> None:
    """A whole archive ends with a block of zeros; tarfile gives up as quietly at a cut and at a damaged header.

    Raises:
        tarfile.ReadError: it ended otherwise.
    """
    ending = getattr(archive, "ending", None)
    if ending is None or type(ending).__name__ == "EOFHeaderError":
        return
    if type(ending).__name__ == "EmptyHeaderError":
        raise tarfile.ReadError("it ends without the zeros that close an archive")
    raise tarfile.ReadError(f"the header of the next file: {ending}")


def _chunks(name: str, read: Any, allow: Callable[[], None] = lambda: None) -> Iterator[bytes]:
    """What a member gives, as far as it goes."""
    begun = False
    while True:
        try:
            chunk = read(_CHUNK)
        except TooMuchError:
            raise
        except (*_DAMAGE, InputError) as error:
            reason = error.problem if isinstance(error, InputError) else _reason(error)
            what = "is cut or damaged: {reason}" if begun else "is damaged: {reason}"
            raise InputError(name, say(what, reason=reason)) from None
        if not chunk:
            return
        allow()
        begun = True
        yield chunk


def _reason(error: BaseException) -> str:
    return first_line(error)[:200]
