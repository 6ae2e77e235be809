"""Archives to files: zip, tar in any packing, single packed files, each within limits of room and number.

Member names are labels and never become paths. What is found is handed out one member after the other, so a
damaged archive gives all that stands before the damage.
"""

from __future__ import annotations

import bz2
import contextlib
import io
import lzma
import os
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import IO, Any, Self, cast

import msgspec

from mqdiag.errors import InputError, Lack, first_line
from mqdiag.files import fits
from mqdiag.read.foreign_form import foreign_form
from mqdiag.read.sniff import HEAD_BYTES, Content, content_of
from mqdiag.read.stacks.gzip_chunks import Joined
from mqdiag.read.unpacked import MOST_XZ_MEMORY, Unpacked, allowed
from mqdiag.text import Text, say

CHUNK = 1 << 20
MAX_DEPTH = 4
"""archives inside archives that are opened"""
MAX_MEMBERS = 20_000
MAX_UNPACKED = 64 << 30
MAX_ZIP_DIRECTORY = 64 << 20
ZIP_HEADER = 30
"""least bytes before the data of a member"""
MAX_TAR_HEADER = 64 << 20
"""bytes between two members of a tar file; long names and attributes take a few KiB"""
_DAMAGE = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError, NotImplementedError,
    RuntimeError, ValueError,
)  # fmt: skip


class Budget(msgspec.Struct):
    """What one run may unpack in all."""

    folder: Path
    """where members are written"""
    bytes: int = MAX_UNPACKED
    members: int = MAX_MEMBERS
    written: int = 0
    counts: Unpacked = msgspec.field(default_factory=Unpacked)
    """of the archives that were given: what is inside them is what came out of them"""
    check: Callable[[], None] = lambda: None
    """asked before each write; raises an InputError where the run may not go on"""

    def take(self, label: str, size: int) -> None:
        """Account for bytes that are about to be written.

        Raises:
            InputError: that is more than the run may unpack, or than comes out of so many bytes, or than the disk
                holds.
        """
        self.check()
        self.counts.take(label, size)
        self.bytes -= size
        if self.bytes < 0:
            raise InputError(
                label, say("unpacks to more than one run may take"), hint=say("unpack it, and name the folder")
            )
        if not fits(self.folder, size):
            raise InputError(
                label,
                say("there is no room to unpack it in {folder}", folder=str(self.folder)),
                hint=say("set TMPDIR to a folder with room"),
                lack="no-room",
            )

    def take_member(self, label: str) -> Path:
        """The path of the next member.

        Raises:
            InputError: there were too many.
        """
        if self.members <= 0:
            raise InputError(
                label,
                say("holds more than {most:count} files", most=MAX_MEMBERS),
                hint=say("unpack what matters"),
            )
        self.members -= 1
        self.written += 1
        return self.folder / f"{self.written:06}"


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """One file of an archive: unpacked, or why it was not."""

    name: str
    """as a person would find it: archive!member"""
    inner: str = ""
    """its name within the archive"""
    path: Path | None = None
    skipped: Text | None = None
    """why it is of no use by itself; with a path where it was unpacked all the same"""
    problem: Text | None = None
    """why it could not be unpacked, or only in part"""
    lack: Lack | None = None
    """what was lacking where the archive itself is not at fault"""


def unpack(
    path: str,
    label: str,
    content: Content,
    budget: Budget,
    keeps: Callable[[str], bool] = lambda _: False,
    *,
    given: bool = True,
) -> Iterator[Member]:
    """All files of an archive.

    Args:
        path: the archive.
        label: what the user calls it.
        content: a zip or tar archive, or packed data that may hold a tar archive.
        budget: what may still be unpacked.
        keeps: whether a member of this name is unpacked whatever is in it.
        given: it lies under a path that was given, and not in another archive.
    """
    files = 0
    try:
        with open(path, "rb") as opened:
            file = budget.counts.counting(opened) if given else opened
            if content is Content.ZIP:
                found = _zip(label, file, budget, keeps)
            elif content is Content.TAR:
                found = _tar(label, TarFeed(file, label), budget, keeps)
            else:
                found = _packed(label, file, content, budget, keeps)
            for member in found:
                yield member
                files += 1
    except InputError as error:
        yield Member(name=error.path, problem=error.without_path, lack=error.lack)
    except _DAMAGE as error:
        damaged = (
            say("is damaged behind {files:count} {files:file|files}, and what follows is missing", files=files)
            if files
            else say("is damaged")
        )
        yield Member(name=label, problem=say("{damaged}: {reason}", damaged=damaged, reason=_reason(error)))


def _packed(
    label: str, file: IO[bytes], content: Content, budget: Budget, keeps: Callable[[str], bool]
) -> Iterator[Member]:
    with closing(_opened(file, content)) as inner:
        if content_of(inner.peek(512)[:512]) is Content.TAR:
            yield from _tar(label, TarFeed(inner, label), budget, keeps)
        else:
            yield _write(label, inner, budget, "")


def _opened(file: IO[bytes], content: Content) -> io.BufferedReader:
    import gzip

    if content is Content.BZIP2:
        return io.BufferedReader(cast("Any", bz2.BZ2File(file)))
    if content is Content.XZ:
        return io.BufferedReader(Joined(b"", _xz_chunks(file)))
    return io.BufferedReader(cast("Any", gzip.GzipFile(fileobj=file)))


def _xz_chunks(file: IO[bytes]) -> Iterator[bytes]:
    """All streams of xz data; `lzma.LZMAFile` would give each the memory that it asks for."""
    unpacking = lzma.LZMADecompressor(memlimit=MOST_XZ_MEMORY)
    while packed := file.read(CHUNK):
        while packed or not (unpacking.needs_input or unpacking.eof):
            yield unpacking.decompress(packed, CHUNK)
            packed = b""
            if unpacking.eof:
                packed = unpacking.unused_data.lstrip(b"\0")
                unpacking = lzma.LZMADecompressor(memlimit=MOST_XZ_MEMORY)


def _zip(label: str, file: IO[bytes], budget: Budget, keeps: Callable[[str], bool]) -> Iterator[Member]:
    size = _check_zip_directory(label, file)
    with zipfile.ZipFile(file) as archive:
        check_zip_members(label, archive)
        for info in archive.infolist():
            name = f"{label}!{info.filename}"
            if info.is_dir():
                continue
            problem = unfit(info, size)
            if problem is not None:
                yield Member(name=name, problem=problem)
                continue
            try:
                with archive.open(info) as stream:
                    yield _write(name, stream, budget, info.filename, kept=keeps(info.filename))
            except _DAMAGE as error:
                yield Member(name=name, problem=say("is damaged: {reason}", reason=_reason(error)))


def unfit(info: zipfile.ZipInfo, archive_bytes: int) -> Text | None:
    """Why a member of a zip file is not unpacked, by what its header says."""
    if info.flag_bits & 1:
        return say("is encrypted; unpack it first")
    if info.compress_type == zipfile.ZIP_LZMA:
        # the data itself asks for the memory, and `zipfile` gives it any
        return say("is packed with LZMA; unpack it first")
    if not allowed(info.file_size, archive_bytes):
        return say("says that it unpacks to {size:bytes}; if you trust it, unpack it", size=info.file_size)
    return None


def check_zip_members(label: str, archive: zipfile.ZipFile) -> None:
    """Refuse members that overlap: the same bytes would be unpacked again and again."""
    members = sorted(archive.infolist(), key=lambda info: info.header_offset)
    ends = [*(info.header_offset for info in members[1:]), archive.start_dir]
    for info, end in zip(members, ends, strict=True):
        if info.header_offset + ZIP_HEADER + info.compress_size > end:
            raise InputError(label, say("is a damaged zip file: its members overlap"))


def _check_zip_directory(label: str, file: IO[bytes]) -> int:
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


class EndOfArchiveError(OSError):
    """A reader goes on reading behind the end."""


class TarFeed(io.RawIOBase):
    """What a tar reader reads from: bounds what it takes between two members, and so its memory and time.

    The reader skips a member by reading as many bytes as its header declares, whether there are any left or not: a
    header that declares 2^62 bytes kept it busy for ever. So it is told once that the file has ended, and stopped when
    it asks again.
    """

    def __init__(self, inner: Any, label: str) -> None:
        self._inner = inner
        self._label = label
        self._left = MAX_TAR_HEADER
        self._ended = False

    def readable(self) -> bool:
        """Always."""
        return True

    def read(self, size: int = -1) -> bytes:
        """So many bytes, or fewer.

        Raises:
            EndOfArchiveError: the reader was told before that there is nothing more.
            InputError: it has read too much without a piece of a member.
        """
        data: bytes = self._inner.read(min(size, CHUNK) if size >= 0 else CHUNK)
        if not data:
            if self._ended:
                raise EndOfArchiveError("it ends inside this member")
            self._ended = True
        self._left -= len(data)
        if self._left < 0:
            raise InputError(self._label, say("is a damaged tar file: a header without end"))
        return data

    def allow(self) -> None:
        """A piece of a member was read, which is bounded elsewhere."""
        self._left = MAX_TAR_HEADER


def forget_headers(archive: tarfile.TarFile) -> None:
    """For each member: the reader keeps every header that it has seen, and copies global ones into each."""
    archive.members.clear()  # type: ignore[attr-defined]
    archive.pax_headers.clear()  # type: ignore[attr-defined]


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


def _tar(label: str, feed: TarFeed, budget: Budget, keeps: Callable[[str], bool]) -> Iterator[Member]:
    with (
        contextlib.suppress(EndOfArchiveError),
        tarfile.open(fileobj=feed, mode="r|", tarinfo=_EndTold) as archive,
    ):
        for info in archive:
            forget_headers(archive)
            if not info.isreg():
                continue
            if info.issparse():
                # holes are read as zeros, however long a header says they are
                budget.take(f"{label}!{info.name}", info.size)
            stream = archive.extractfile(info)
            if stream is None:
                continue
            yield _write(f"{label}!{info.name}", stream, budget, info.name, feed, kept=keeps(info.name))
        _check_ending(archive)


def _write(
    name: str, stream: Any, budget: Budget, inner: str, feed: TarFeed | None = None, *, kept: bool = False
) -> Member:
    """Unpack one member; what is cut keeps its beginning, junk is read over and not written."""
    head = b""
    try:
        head = stream.read(HEAD_BYTES)
    except _DAMAGE as error:
        return Member(name=name, problem=say("is damaged: {reason}", reason=_reason(error)))
    content = content_of(head)
    junk = content in (Content.BINARY, Content.JAVA_ARCHIVE, Content.EMPTY)
    skipped = why_no_evidence(content, head) if junk else None
    if junk and not kept:
        while feed is not None and stream.read(CHUNK):
            feed.allow()
        return Member(name=name, inner=inner, skipped=skipped)
    path = budget.take_member(name)
    problem = None
    with open(path, "wb") as file:
        piece = head
        while piece:
            if kept and not piece.strip(b"\0"):
                # the end of a store's file, which was never written
                budget.take(name, 0)
                file.seek(len(piece), os.SEEK_CUR)
            else:
                budget.take(name, len(piece))
                file.write(piece)
            if feed is not None:
                feed.allow()
            try:
                piece = stream.read(CHUNK)
            except _DAMAGE as error:
                problem = say("is cut or damaged: {reason}", reason=_reason(error))
                break
        file.truncate(file.tell())
    return Member(name=name, inner=inner, path=path, skipped=skipped, problem=problem)


def why_no_evidence(content: Content, head: bytes) -> Text:
    """Why a file that no reader is asked about is left alone."""
    if content is Content.EMPTY:
        return say("is empty")
    if content is Content.JAVA_ARCHIVE:
        return say("is a Java archive")
    form = foreign_form(head)
    if form is None:
        return say("is binary data of no known form")
    if not form.way_out:
        return say("is {form}", form=form.name)
    return say("is {form}; {way_out}", form=form.name, way_out=form.way_out)


def _reason(error: BaseException) -> str:
    return first_line(error)[:200]
