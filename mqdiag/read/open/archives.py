"""The members of tar files, one level deep, and what zip files share with them: imported where evidence is packed.

Member names are labels and never become paths. What is found is handed out one member after the other, so a
damaged archive gives all that stands before the damage.
"""

from __future__ import annotations

import io
import lzma
import tarfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Self

from mqdiag.errors import InputError, first_line
from mqdiag.read.open.limits import MAX_TAR_HEADER, Limits, TooMuchError
from mqdiag.read.open.links import Links
from mqdiag.text import say

_CHUNK = 64 << 10
"""bytes: so many of a cut member are lost at most"""
DAMAGE = (tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError, RuntimeError, ValueError)
"""what readers of archives raise where one is damaged"""


class Entry(NamedTuple):
    """One file of an archive."""

    name: str
    """within the archive"""
    chunks: Iterator[bytes]
    """as far as they go; an InputError at their end says why there are no more"""


def tar_entries(label: str, read: Callable[[int], bytes], limits: Limits) -> Iterator[Entry]:
    """Every file in a tar file, and at the end every link out of it; what is left of one is read over before the next.

    Args:
        label: what the user calls it.
        read: gives so many of its bytes or fewer, none at the end.
        limits: to which a hole counts: it is read as zeros, however long a header says that it is.

    Raises:
        InputError: behind the last member where the archive is damaged or cut, or a header has no end.
    """
    feed = _TarFeed(label, read)
    links = Links()
    files = 0
    try:
        with tarfile.open(fileobj=feed, mode="r|", tarinfo=_EndTold) as archive:
            for info in archive:
                # The reader keeps every header that it has seen, and copies global ones into each.
                archive.members.clear()  # type: ignore[attr-defined]
                archive.pax_headers.clear()  # type: ignore[attr-defined]
                if info.issym():
                    links.add_symbolic(info.name, info.linkname)
                elif info.islnk():
                    links.add_link(info.name, info.linkname)
                else:
                    links.add(info.name)
                if not info.isreg() or (stream := archive.extractfile(info)) is None:
                    continue
                name = f"{label}!{info.name}"
                if info.issparse():
                    limits.take(name, info.size)
                chunks = chunks_of(name, stream.read, feed.allow)
                yield Entry(info.name, chunks)
                _read_over(chunks)
                files += 1
            _check_ending(archive)
        yield from (Entry(*lost) for lost in links.lost(label))
    except TooMuchError:
        raise
    except (*DAMAGE, InputError) as error:
        if limits.are_exceeded:
            return  # the reader of the last member was told
        damaged = (
            say("is damaged behind {files:count} {files:file|files}, and what follows is missing", files=files)
            if files
            else say("is damaged")
        )
        reason = error.problem if isinstance(error, InputError) else reason_of(error)
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


def chunks_of(
    name: str,
    read: Any,
    allow: Callable[[], None] = lambda: None,
    damage: tuple[type[Exception], ...] = DAMAGE,
) -> Iterator[bytes]:
    """What a member gives, as far as it goes.

    Args:
        name: of the member, for messages.
        read: gives so many of its bytes or fewer, none at the end.
        allow: called for each piece.
        damage: what is raised where the member is damaged.

    Raises:
        InputError: at the end of what could be read.
    """
    begun = False
    caught: tuple[type[Exception], ...] = (InputError, *damage)
    while True:
        try:
            chunk = read(_CHUNK)
        except TooMuchError:
            raise
        except caught as error:
            reason = error.problem if isinstance(error, InputError) else reason_of(error)
            what = "is cut or damaged: {reason}" if begun else "is damaged: {reason}"
            raise InputError(name, say(what, reason=reason)) from None
        if not chunk:
            return
        allow()
        begun = True
        yield chunk


def reason_of(error: BaseException) -> str:
    """The first line of an error of a reader."""
    return first_line(error)[:200]
