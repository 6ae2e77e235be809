"""Archives to files, one level deep: zip, tar in any packing, single squeezed files.

Member names are labels and never become paths.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO

import msgspec

from mqdiag.errors import InputError, Lack
from mqdiag.files import fits
from mqdiag.read.foreign_form import foreign_form, is_unread_evidence, lack_of
from mqdiag.read.open.archives import Entry, tar_entries
from mqdiag.read.open.door import Chunks, read_from
from mqdiag.read.open.limits import MAX_MEMBERS, MAX_UNPACKED, Limits, TooMuchError
from mqdiag.read.open.squeezed import inflated
from mqdiag.read.sniff import HEAD_BYTES, SQUEEZED, Content, content_of, is_java_member
from mqdiag.text import Text, say

_CHUNK = 1 << 20


class Budget(Limits):
    """What one run may unpack in all.

    Args:
        folder: where members are written.
        check: asked before each write; raises an InputError where the run may not go on.
        most_bytes: that are written.
        most_members: files of archives that are opened.
    """

    def __init__(
        self,
        folder: Path,
        check: Callable[[], None] = lambda: None,
        *,
        most_bytes: int = MAX_UNPACKED,
        most_members: int = MAX_MEMBERS,
    ) -> None:
        super().__init__(most_members)
        self.folder = folder
        self._check = check
        self._files = 0
        self._left = most_bytes

    def take(self, label: str, size: int) -> None:
        """Account for bytes that are about to be written.

        Raises:
            InputError: that is more than the run may unpack, or than comes out of so many bytes, or than the disk
                holds.
        """
        self._check()
        super().take(label, size)
        self._left -= size
        if self._left < 0:
            raise TooMuchError(
                label, say("unpacks to more than one run may take"), hint=say("unpack it, and name the folder")
            )
        if not fits(self.folder, size):
            raise TooMuchError(
                label,
                say("there is no room to unpack it in {folder}", folder=str(self.folder)),
                hint=say("set TMPDIR to a folder with room"),
                lack="no-room",
            )

    def next_file(self, label: str) -> Path:
        """Where the next member is written.

        Raises:
            InputError: there were too many.
        """
        self.take_member(label)
        self._files += 1
        return self.folder / f"{self._files:06}"


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
        content: a zip or tar archive, or squeezed data that may hold a tar archive.
        budget: what may still be unpacked.
        keeps: whether a member of this name is unpacked whatever is in it.
        given: it lies under a path that was given, and not in another archive.
    """
    try:
        with open(path, "rb") as opened:
            file = budget.counting(opened) if given else opened
            for name, entry in _entries(path, label, file, content, budget):
                yield _write(name, entry, budget, kept=bool(entry.name) and keeps(entry.name))
    except InputError as error:
        yield Member(name=error.path, problem=error.without_path, lack=error.lack)


def _entries(
    path: str, label: str, file: IO[bytes], content: Content, budget: Budget
) -> Iterator[tuple[str, Entry]]:
    """(what a person calls it, the file)."""
    if content is Content.ZIP:
        from mqdiag.read.open.zip_files import zip_entries  # see there

        found = zip_entries(label, file)
    elif content is Content.TAR:
        found = tar_entries(label, file.read, budget)
    else:
        assert content in SQUEEZED
        packed = iter(lambda: file.read(_CHUNK), b"")
        chunks = Chunks(inflated(label, packed, content, again=partial(read_from, path)))
        if content_of(chunks.head(HEAD_BYTES)) is not Content.TAR:
            yield label, Entry("", chunks.all())
            return
        found = tar_entries(label, chunks.read, budget)
    for entry in found:
        yield f"{label}!{entry.name}", entry


def _write(name: str, entry: Entry, budget: Budget, *, kept: bool) -> Member:
    """Unpack one member; what is cut keeps its beginning, junk is read over and not written."""
    chunks = Chunks(entry.chunks)
    try:
        head = chunks.head(HEAD_BYTES)
    except TooMuchError:
        raise
    except InputError as error:
        return Member(name=name, problem=error.without_path, lack=error.lack)
    content = content_of(head)
    junk = content in (Content.BINARY, Content.JAVA_ARCHIVE, Content.EMPTY)
    skipped = why_no_evidence(content, head) if junk else None
    if junk and not kept and content is Content.BINARY and is_unread_evidence(entry.name, head):
        return Member(name=name, inner=entry.name, problem=skipped, lack=lack_of(head))
    if junk and not kept:
        return Member(name=name, inner=entry.name, skipped=skipped)
    path = budget.next_file(name)
    problem = None
    rest = chunks.all()
    with open(path, "wb") as file:
        while True:
            try:
                piece = next(rest, b"")
            except TooMuchError:
                raise
            except InputError as error:
                problem = error.without_path
                break
            if not piece:
                break
            if kept and not piece.strip(b"\0"):
                # the end of a store's file, which was never written
                budget.take(name, 0)
                file.seek(len(piece), os.SEEK_CUR)
            else:
                budget.take(name, len(piece))
                file.write(piece)
        file.truncate(file.tell())
    return Member(name=name, inner=entry.name, path=path, skipped=skipped, problem=problem)


_DIRECTORY = b"PK\x01\x02"
_END_OF_DIRECTORY = b"PK\x05\x06"
_LONGEST_END = (1 << 16) + 22


def is_zip_behind_program(path: str) -> bool:
    """Whether a program or script that unpacks itself has a zip archive behind it, and no Java archive."""
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        begin = file.seek(max(size - _LONGEST_END, 0))
        tail = file.read(_LONGEST_END)
        at = tail.rfind(_END_OF_DIRECTORY)
        if at < 0:
            return False
        file.seek(max(begin + at - int.from_bytes(tail[at + 12 : at + 16], "little"), 0))
        first = file.read(64)
    return first.startswith(_DIRECTORY) and not is_java_member(first[46:])


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


def form_without_evidence(content: Content, head: bytes) -> str | None:
    """The name of a form that is no evidence, whatever its file is called; None where evidence may be in the file."""
    if content is Content.JAVA_ARCHIVE:
        return str(content)
    form = foreign_form(head)
    return None if form is None or form.can_hold_any else form.name.template
