"""Walks the given paths: every file once, whatever links, folders and archives it is found through."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext, suppress
from pathlib import Path

from mqdiag.diagnose.sort.by_name import by_name
from mqdiag.diagnose.sort.piece import STANDARD_INPUT, Piece
from mqdiag.diagnose.sort.tools import SOURCES, files_below, is_evidence, is_of_tools
from mqdiag.diagnose.sort.tree import folders_of
from mqdiag.diagnose.sort.whole_crash import REST, whole_crash
from mqdiag.errors import InputError, Lack, empty_file, forbidden_file, missing_file
from mqdiag.facts import Input
from mqdiag.read.foreign_form import is_unread_evidence, lack_of
from mqdiag.read.logs.behind_beginning import head_behind_zeros
from mqdiag.read.open.limits import MAX_DEPTH, nested_too_deep
from mqdiag.read.open.spool import spooled
from mqdiag.read.open.to_files import (
    Budget,
    form_without_evidence,
    is_zip_behind_program,
    unpack,
    why_no_evidence,
)
from mqdiag.read.parts import ADMIN, parts_of
from mqdiag.read.parts import MAX_BYTES as MAX_PASTE_BYTES
from mqdiag.read.paste import decoded
from mqdiag.read.sniff import ARCHIVES, HEAD_BYTES, SQUEEZED, Content, content_of
from mqdiag.read.stacks.pasted import goes_on_from_records, is_within_records
from mqdiag.text import NOTHING, Text, say

MAX_FILES = 100_000
MAX_FOLDER_DEPTH = 64
_PACKED = frozenset((*ARCHIVES, *SQUEEZED))
_SCRIPT = b"#!"
MOST_LOOKED_AT = 2_000
"""files in folders of tools that are looked at in one run"""
_SPECIAL = (
    (stat.S_ISFIFO, say("is a pipe")),
    (stat.S_ISSOCK, say("is a socket")),
    (stat.S_ISCHR, say("is a device")),
    (stat.S_ISBLK, say("is a device")),
)


class Walk:
    """One walk over the paths of an incident.

    Args:
        budget: what archives may unpack to.
        is_folder_evidence: asked of each folder; one that is evidence as a whole is not looked into.
        names: what the user called a path, where that is not the path.
        keeps: asked of each member's name in an archive: whether it may be part of such a folder.
    """

    def __init__(
        self,
        budget: Budget,
        is_folder_evidence: Callable[[Path], bool],
        names: Mapping[str, str] | None = None,
        keeps: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._budget = budget
        self._is_folder_evidence = is_folder_evidence
        self._names = names or {}
        self._seen: dict[tuple[int, int], str] = {}
        self._files = 0
        self._keeps = keeps
        self._trees = 0
        self._looked_at = 0
        self._roots: list[str] = []
        """the real paths of all that was given"""
        self._given = ""
        """the real path of what was given"""
        self.cut: dict[str, Text] = {}
        """why only the beginning of what was packed could be unpacked, by its name"""

    def pieces(self, paths: Iterable[str | Path]) -> Iterator[Piece | Input]:
        """Every file as a piece; what cannot be one as an input that says why."""
        given = [str(path) for path in paths]
        self._roots = [os.path.realpath(path) for path in given]
        for path, root in zip(given, self._roots, strict=True):
            self._given = root
            yield from self._path(path, self._names.get(path, path), given=True)

    def _path(self, path: str, name: str, *, given: bool, depth: int = 0) -> Iterator[Piece | Input]:
        try:
            if given and (path == STANDARD_INPUT or stat.S_ISFIFO(os.stat(path).st_mode)):
                yield from self._pipe(path, name)
                return
            info = os.stat(path)
            kind = _special(info.st_mode)
            if kind is not None:
                yield (
                    _skipped(name, kind)
                    if not given
                    else _broken(name, say("{kind}; expected a file or folder", kind=kind))
                )
                return
            if stat.S_ISDIR(info.st_mode) and os.path.islink(path) and not self._is_inside(path):
                yield _skipped(
                    name,
                    say(
                        "is a link to a folder outside of what was given; name that folder too if it belongs here"
                    ),
                )
                return
            key = (info.st_dev, info.st_ino)
            if key in self._seen:
                where = self._seen[key]
                if stat.S_ISDIR(info.st_mode):
                    yield _skipped(name, say("was seen before, as {where}", where=where))
                else:
                    yield _skipped(name, say("is the same file as {where}", where=where))
                return
            self._seen[key] = name
            if stat.S_ISDIR(info.st_mode):
                yield from self._folder(path, name, depth)
            else:
                yield from self._file(path, name, info.st_size, given=given)
        except OSError as error:
            yield _broken(name, _why(error, name, link=os.path.islink(path)))

    def _is_inside(self, link: str) -> bool:
        """Whether a link leads below what was given: an unpacked archive can bring a link to the root of the disk."""
        real = os.path.realpath(link)
        return any(real == root or real.startswith(os.path.join(root, "")) for root in self._roots)

    def _pipe(self, path: str, name: str) -> Iterator[Piece | Input]:
        """A pipe that was given, such as a shell makes of <(...): copied, for it can be read once only."""
        if path == STANDARD_INPUT and sys.stdin is None:
            yield _broken(name, say("standard input is closed"))
            return
        copy = self._budget.next_file(name)
        try:
            with (
                nullcontext(sys.stdin.buffer) if path == STANDARD_INPUT else open(path, "rb") as pipe,
                spooled(name, pipe) as spool,
                copy.open("wb") as file,
            ):
                shutil.copyfileobj(spool, file, 1 << 20)
        except InputError as error:
            yield _broken(name, error.problem, error.lack)
            return
        yield from self._file(str(copy), name, copy.stat().st_size, given=True)

    def _folder(self, path: str, name: str, depth: int) -> Iterator[Piece | Input]:
        if self._is_folder_evidence(Path(path)):
            yield Piece(name=name, path=path, size_bytes=0, head=b"", folder=True, within=self._given)
            return
        if depth >= MAX_FOLDER_DEPTH:
            yield _skipped(name, say("lies more than {count} folders deep", count=MAX_FOLDER_DEPTH))
            return
        for entry in sorted(os.listdir(path)):
            if is_of_tools(path, entry):
                yield self._left_out(os.path.join(path, entry), os.path.join(name, entry))
                continue
            yield from self._path(
                os.path.join(path, entry), os.path.join(name, entry), given=False, depth=depth + 1
            )

    def _left_out(self, folder: str, name: str) -> Input:
        """A folder of tools, which is no reason for an all-clear where evidence lies in it."""
        for path in files_below(folder):
            self._looked_at += 1
            if self._looked_at > MOST_LOOKED_AT:
                break
            with suppress(OSError):
                if is_evidence(path):
                    first = os.path.join(name, os.path.relpath(path, folder))
                    why = say(
                        "is a hidden folder or one of tools, and holds evidence ({first}); name it", first=first
                    )
                    return _broken(name, why, "reader")
        return _skipped(name, say("is a hidden folder or one of tools; name it if evidence lies in it"))

    def _file(
        self,
        path: str,
        name: str,
        size: int,
        *,
        given: bool,
        archives: int = 0,
        of_several: bool = True,
    ) -> Iterator[Piece | Input]:
        self._files += 1
        if self._files > MAX_FILES:
            if self._files == MAX_FILES + 1:
                yield _skipped(
                    name,
                    say("is beyond the first {count:count} files; so is all that follows", count=MAX_FILES),
                )
            return
        with open(path, "rb") as file:
            head = file.read(HEAD_BYTES)
        if size > len(head) and not head.strip(b"\0"):
            head = head_behind_zeros(path) or head
        piece = Piece(name=name, path=path, size_bytes=size, head=head, given=given)
        outer = content_of(head)
        if outer in _PACKED and (outer is not Content.GZIP or piece.content in _PACKED):
            yield from self._archive(piece, outer, archives)
        elif _may_be_program(piece) and is_zip_behind_program(path):
            yield from self._archive(piece, Content.ZIP, archives)
        elif piece.content in (Content.EMPTY, Content.BINARY, Content.JAVA_ARCHIVE):
            if outer is Content.GZIP and piece.content is Content.EMPTY:
                yield _broken(name, say("is damaged gzip data"))
            else:
                reason = why_no_evidence(piece.content, piece.inner_head)
                if piece.content is Content.BINARY and piece.goes_on_as_log:
                    yield _broken(name, say("{reason}, and lines of a log stand in it", reason=reason))
                    return
                if piece.content is Content.BINARY and not given and is_unread_evidence(name, piece.inner_head):
                    yield _broken(name, reason, lack_of(piece.inner_head))
                    return
                yield (
                    _skipped(name, reason)
                    if not given
                    else Input(
                        path=name,
                        format=form_without_evidence(piece.content, piece.inner_head),
                        bytes=size,
                        complete=False,
                        error=_with_hint(name, piece.content, reason),
                    )
                )
        else:
            if not given and name.lower().endswith(SOURCES) and not piece.is_mostly_records:
                yield _skipped(name, say("is the source of a program; name it if it is evidence"))
                return
            crash = whole_crash(piece, self._budget)
            if crash is None:
                yield from (of_several and self._by_name(piece)) or self._parts(piece) or (piece,)
                return
            yield crash.report
            if crash.rest is not None:
                label, size = f"{name}!{REST}", crash.rest.stat().st_size
                yield from self._file(str(crash.rest), label, size, given=given, archives=MAX_DEPTH)

    def _by_name(self, piece: Piece) -> list[Piece | Input]:
        """The lines of each pod or container as files of their own; nothing for a text of one."""
        if not piece.is_text:
            return []
        parts = by_name(piece, self._budget)
        made: list[Piece | Input] = []
        if parts.problem is not None:
            made.append(_broken(piece.name, parts.problem, parts.lack))
            if not parts.files:
                made += self._parts(piece) or (piece,)
        for name, path in parts.files.items():
            label, size = f"{piece.name}!{name}", path.stat().st_size
            made += self._file(str(path), label, size, given=piece.given, archives=MAX_DEPTH, of_several=False)
        return made

    def _parts(self, piece: Piece) -> list[Piece]:
        """The parts of a paste as files of their own; nothing for a text of one kind."""
        if piece.content is not Content.TEXT or piece.packed or piece.size_bytes > MAX_PASTE_BYTES:
            return []
        is_whole = piece.inner_head is piece.head and piece.size_bytes == len(piece.head)
        text = piece.text if is_whole else decoded(Path(piece.path).read_bytes())
        parts = parts_of(text, has_answers=piece.has_admin_output) if is_whole else parts_of(text)
        answers = [part.text for part in parts if part.name == ADMIN]
        in_log = bool(parts) and (
            is_within_records(text) or any(goes_on_from_records(text, answer) for answer in answers)
        )
        made = []
        for part in parts:
            copy = self._budget.next_file(piece.name)
            data = part.text.encode()
            copy.write_bytes(data)
            name = f"{piece.name}!{part.name}"
            made.append(
                Piece(
                    name=name,
                    path=str(copy),
                    size_bytes=len(data),
                    head=data[:HEAD_BYTES],
                    given=piece.given,
                    in_log=in_log,
                )
            )
        return made

    def _archive(self, piece: Piece, content: Content, depth: int) -> Iterator[Piece | Input]:
        if depth >= MAX_DEPTH:
            yield _broken(piece.name, nested_too_deep())
            return
        members = list(unpack(piece.path, piece.name, content, self._budget, self._keeps, given=depth == 0))
        taken: set[str] = set()
        if any(member.inner and self._keeps(member.inner) for member in members):
            self._trees += 1
            room = self._budget.folder / f"tree-{self._trees}"
            for folder, names in folders_of(piece.name, members, room, self._is_folder_evidence):
                yield folder
                taken |= names
        for member in members:
            if member.name in taken:
                continue
            if member.skipped is not None:
                yield _skipped(member.name, member.skipped)
                continue
            if member.path is None:
                yield _broken(member.name, member.problem or NOTHING, member.lack)
                continue
            if member.problem is not None:
                self.cut[member.name] = member.problem
                yield _broken(member.name, member.problem)
            yield from self._file(
                str(member.path), member.name, member.path.stat().st_size, given=False, archives=depth + 1
            )
        if not members:
            yield _skipped(piece.name, say("is an empty archive"))


def _may_be_program(piece: Piece) -> bool:
    return piece.content is Content.BINARY or (piece.content is Content.TEXT and piece.head.startswith(_SCRIPT))


def _special(mode: int) -> Text | None:
    return next((text for is_kind, text in _SPECIAL if is_kind(mode)), None)


def _skipped(name: str, reason: Text) -> Input:
    return Input(path=name, skipped=reason)


def _broken(name: str, problem: Text, lack: Lack | None = None) -> Input:
    return Input(path=name, complete=False, error=problem, lack=lack)


def _with_hint(name: str, content: Content, reason: Text) -> Text:
    """Why a file that was given is no evidence, with what to try."""
    if content is Content.EMPTY:
        return empty_file(name).without_path
    return say(
        "{reason}; expected heap dumps, thread dumps, flight recordings (.jfr), logs, or an archive of them",
        reason=reason,
    )


def _why(error: OSError, name: str, *, link: bool) -> Text:
    if isinstance(error, FileNotFoundError):
        return say("is a link that leads nowhere") if link else missing_file(name).without_path
    if isinstance(error, PermissionError):
        return forbidden_file(name).without_path
    return say("cannot be read: {reason}", reason=error.strerror or str(error))
