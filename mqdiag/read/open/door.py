"""Every file that a path holds, whatever it is packed in and however deep: plain, squeezed, archives, nested ones."""

from __future__ import annotations

import os
import stat
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterator
from functools import partial
from pathlib import Path
from typing import IO

from mqdiag.errors import InputError, empty_file, forbidden_file, given_folder, missing_file
from mqdiag.read.open.limits import MAX_DEPTH, MOST_ZEROS, Limits, TooMuchError, nested_too_deep
from mqdiag.read.open.squeezed import inflated
from mqdiag.read.sniff import PACKING_HEAD_BYTES, PACKING_NAMES, SQUEEZED, Content, packing_of
from mqdiag.text import Text, say

PLAIN_CHUNK = 256 << 10
"""bytes: while they are read, they stay in the processor's cache"""
SKIPPED_SUFFIXES = (".hprof", ".jar", ".class", ".png", ".jpg", ".so", ".jfr")

Members = Generator[tuple[str, Iterator[bytes]], None, None]


def may_be_text(name: str) -> bool:
    """Whether a member of an archive is worth a look by a reader of text, by its name."""
    return not name.lower().endswith(SKIPPED_SUFFIXES) and "__MACOSX" not in name


def members(
    path: str,
    limits: Limits | None = None,
    *,
    chunk_bytes: int = 0,
    step_bytes: int = 0,
    wanted: Callable[[str], bool] = may_be_text,
) -> Members:
    """Every file that a path holds, as (label, chunks); a plain file is its own only member.

    The chunks of one are read before the next one is asked for. Where they end early, an InputError says why behind the
    last of them; the members that follow are not lost.

    Args:
        path: a file or a pipe; "-" is standard input.
        limits: what may come out; those of one path where None.
        chunk_bytes: read at once; as many as suit the processor's cache where 0.
        step_bytes: most that come out of squeezed data at once; a suitable number where 0.
        wanted: asked of the names in archives; other members are left out.

    Raises:
        InputError: the path is missing, unreadable or empty; or an archive is damaged, behind its last good member.
    """
    opening = _Opening(limits or Limits(), chunk_bytes or PLAIN_CHUNK, step_bytes or 1 << 20, wanted)
    if path == "-":
        if sys.stdin is None:
            raise InputError(path, say("standard input is closed"))
        refuse_endless(path, sys.stdin.buffer)
        yield from opening.of_stream(path, sys.stdin.buffer)
        return
    if not path:
        raise InputError(path, say("is not a file name"))
    try:
        if Path(path).is_dir():
            raise given_folder(path)
        refuse_device(path)
        with open(path, "rb") as stream:
            yield from opening.of_stream(path, stream)
    except InputError:
        raise
    except FileNotFoundError:
        raise missing_file(path) from None
    except PermissionError:
        raise forbidden_file(path) from None
    except (OSError, ValueError) as error:
        reason = str(getattr(error, "strerror", None) or error)
        raise InputError(path, say("cannot be read: {reason}", reason=reason)) from None


def as_far_as_they_go(
    chunks: Iterator[bytes], note: Callable[[Text, int], None], step: Callable[[], None] = lambda: None
) -> Iterator[bytes]:
    """The chunks of a member without the error at their end.

    Args:
        chunks: of `members`.
        note: told why there are no more, and how many bytes came.
        step: called before each chunk; it raises InputError if reading is to end.

    Raises:
        InputError: not one byte can be read.
    """
    done = 0
    while True:
        try:
            chunk = next(chunks, b"")
            if chunk:
                step()
        except InputError as error:
            if not done:
                raise
            note(error.without_path, done)
            return
        if not chunk:
            return
        yield chunk
        done += len(chunk)


def first_of(path: str, most_bytes: int) -> tuple[str, bytes]:
    """(label, first bytes) of the first member of a packed file; no bytes where nothing of it can be read."""
    found = members(path, step_bytes=most_bytes)
    try:
        for label, chunks in found:
            return label, next(chunks, b"")[:most_bytes]
    except InputError:
        pass  # its reader tells
    finally:
        found.close()
    return path, b""


def packing_name(path: str) -> str | None:
    """How a file is packed, by its first bytes; None for plain text and pipes."""
    try:
        if not Path(path).is_file():
            return None  # opening a pipe once more would wait for somebody who writes
        with open(path, "rb") as stream:
            packing = packing_of(stream.read(PACKING_HEAD_BYTES))
    except OSError:
        return None
    return None if packing is None else PACKING_NAMES[packing]


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


class Chunks:
    """Chunks that can be read by number of bytes, or all of them; their errors come where they stand."""

    def __init__(self, source: Iterator[bytes]) -> None:
        self._source = source
        self._ahead: deque[bytes] = deque()
        self._at = 0
        """bytes of the first chunk ahead that were read"""
        self._error: InputError | None = None

    def head(self, size: int) -> bytes:
        """The first bytes, which are read again afterwards; fewer where an error or the end comes before them.

        Raises:
            InputError: there is none.
        """
        have = sum(map(len, self._ahead))
        while have < size and self._error is None:
            try:
                chunk = next(self._source, b"")
            except InputError as error:
                if not have:
                    raise
                self._error = error
                break
            if not chunk:
                break
            self._ahead.append(chunk)
            have += len(chunk)
        return b"".join(self._ahead)[:size]

    def all(self) -> Iterator[bytes]:
        """All chunks that nobody has read."""
        while chunk := self._next():
            yield chunk

    def read(self, size: int) -> bytes:
        """So many bytes, or fewer; none at the end."""
        if not self._ahead:
            chunk = self._next()
            if len(chunk) <= size:
                return chunk
            self._ahead.append(chunk)
        first, at = self._ahead[0], self._at
        self._at += size
        if self._at >= len(first):
            self._ahead.popleft()
            self._at = 0
        return first[at : at + size]

    def _next(self) -> bytes:
        if self._ahead:
            chunk, at, self._at = self._ahead.popleft(), self._at, 0
            return chunk[at:]
        if self._error is not None:
            error, self._error = self._error, None
            raise error
        return next(self._source, b"")


class _Opening:
    """One walk through a path, down to the files that are packed no more."""

    def __init__(
        self, limits: Limits, chunk_bytes: int, step_bytes: int, wanted: Callable[[str], bool]
    ) -> None:
        self._limits = limits
        self._chunk_bytes = chunk_bytes
        self._step_bytes = step_bytes
        self._wanted = wanted

    def of_stream(self, label: str, stream: IO[bytes]) -> Members:
        head = stream.read(PACKING_HEAD_BYTES)
        if not head:
            raise empty_file(label)
        is_file = stream.seekable()
        packing = packing_of(head)
        if packing is Content.ZIP and is_file:
            yield from self._of_zip(label, self._limits.counting(stream), 0)
            return
        # of a plain text the head is joined to what follows, so that the first chunk tells what it is
        first = head if packing is not None else head + stream.read(self._chunk_bytes)
        again = partial(read_from, label) if is_file else None
        yield from self._of_chunks(label, self._read(label, first, stream), again=again)

    def _read(self, label: str, first: bytes, stream: IO[bytes]) -> Iterator[bytes]:
        """The chunks of a file or a pipe; a pipe of zeros has no end."""
        is_file = stream.seekable()
        size_before = os.fstat(stream.fileno()).st_size
        zeros = 0 if is_file or first.strip(b"\0") else MOST_ZEROS
        chunk = first
        while chunk:
            self._limits.read(len(chunk))
            yield chunk
            chunk = stream.read(self._chunk_bytes)
            if zeros:
                zeros = 0 if chunk.strip(b"\0") else max(zeros - len(chunk), 1)
                if zeros == 1:
                    raise InputError(label, say("only zero bytes come out of it"))
        if is_file and os.fstat(stream.fileno()).st_size < size_before:
            raise InputError(label, say("was cut while it was read; copy it first, and read the copy"))

    def _of_chunks(
        self,
        label: str,
        chunks: Iterator[bytes],
        depth: int = 0,
        again: Callable[[int], Iterator[bytes]] | None = None,
    ) -> Members:
        given = Chunks(chunks)
        try:
            first = given.head(PACKING_HEAD_BYTES)
        except InputError as error:
            yield label, _refused(error)
            return
        packing = packing_of(first)
        if not first:
            yield label, _refused(empty_file(label))
        elif packing is None:
            yield label, given.all()
        elif depth >= MAX_DEPTH:
            yield label, _refused(InputError(label, nested_too_deep()))
        elif packing in SQUEEZED:
            out = inflated(label, given.all(), packing, self._step_bytes, again)
            yield from self._of_chunks(label, self._taken(label, out), depth + 1)
        elif packing is Content.ZIP:
            from mqdiag.read.open.spool import kept

            # archives are read from their end, and a stream has none
            with kept(label, given.all()) as file:
                yield from self._of_zip(label, file, depth)
        else:
            from mqdiag.read.open.archives import tar_entries

            for name, inner in tar_entries(label, given.read, self._limits):
                if self._wanted(name):
                    yield from self._of_member(f"{label}!{name}", inner, depth)

    def _of_zip(self, label: str, file: IO[bytes], depth: int) -> Members:
        from mqdiag.read.open.zip_files import zip_entries

        for name, inner in zip_entries(label, file):
            if self._wanted(name):
                inner_label = f"{label}!{name}"
                yield from self._of_member(inner_label, self._taken(inner_label, inner), depth)

    def _of_member(self, label: str, chunks: Iterator[bytes], depth: int) -> Members:
        self._limits.take_member(label)
        try:
            yield from self._of_chunks(label, chunks, depth + 1)
        except TooMuchError:
            raise
        except InputError as error:
            # of an archive in the archive, whose other members may be whole
            yield error.path, _refused(error)

    def _taken(self, label: str, chunks: Iterator[bytes]) -> Iterator[bytes]:
        for chunk in chunks:
            self._limits.take(label, len(chunk))
            yield chunk


def _refused(error: InputError) -> Iterator[bytes]:
    """A member of which not one byte can be read; said when it is read, so that the next ones follow."""
    yield from ()
    raise error


def read_from(path: str, at: int) -> Iterator[bytes]:
    """The bytes of a file from a place on, in pieces."""
    with open(path, "rb") as file:
        file.seek(at)
        while chunk := file.read(PLAIN_CHUNK):
            yield chunk
