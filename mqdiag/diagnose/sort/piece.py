"""One file of an incident, as the kinds of evidence are asked about it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import Any

import msgspec

from mqdiag.errors import InputError
from mqdiag.facts import Input
from mqdiag.facts.vocabulary import InputKind
from mqdiag.read.admin.recognise import is_admin_output
from mqdiag.read.crash.recognise import HEADS
from mqdiag.read.foreign_form import LEAST_RECORDS, MOST_OF_A_MAIL, attachments, holds_records, is_mail
from mqdiag.read.healing import heal, healed
from mqdiag.read.open.door import members
from mqdiag.read.open.squeezed import unpacked_head
from mqdiag.read.paste import decoded
from mqdiag.read.sniff import ARCHIVES, SQUEEZED, Content, content_of
from mqdiag.read.stacks.reader import MARKS
from mqdiag.text import Text

STANDARD_INPUT = "-"
KEPT_HEAD = 4 << 10
MOST_CHUNKS = 64
"""parts of a packed file that may show that it is a log behind its first bytes"""
SCAN_CHUNK = 256 << 10
"""bytes that stay in the cache of a core; larger pieces take twice the time"""
LEAST_SHARE = 0.5
"""share of the lines of a log that begin records"""
CRASH_HEADS = tuple(head.encode() for head in HEADS)
"""bytes that stand in the head of a crash report, wherever it begins"""
_EVIDENCE = frozenset((Content.HEAP_DUMP, Content.RECORDING, *ARCHIVES, *SQUEEZED))


class Piece(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A regular file, a member of an archive, or a folder that is evidence as a whole."""

    name: str
    """as the user knows it: a path, or archive!member"""
    path: str
    """where it can be opened"""
    size_bytes: int
    head: bytes
    """first bytes as they are on disk"""
    given: bool = False
    """whether the user named this file, and not a folder or an archive around it"""
    folder: bool = False
    in_log: bool = False
    """a part of a text that begins and ends as a log does"""
    only: InputKind | None = None
    """the one kind that may read it, whatever its lines look like"""
    within: str = ""
    """real path of the folder that was given, beyond which nothing is read"""

    @cached_property
    def content(self) -> Content:
        """What it is, unpacked once."""
        return content_of(self.inner_head)

    @cached_property
    def inner_head(self) -> bytes:
        """First bytes of what is packed, text as its writer left it; those of the file where nothing was done."""
        inner = unpacked_head(self.head)
        return heal(inner) if content_of(inner) in (Content.TEXT, Content.JSON) else inner

    @cached_property
    def text(self) -> str:
        """The same as text, without what a paste adds, decoded once for all kinds."""
        return decoded(self.inner_head, is_healed=self.is_text)

    @cached_property
    def has_admin_output(self) -> bool:
        """Whether its beginning holds what mqadmin prints."""
        return is_admin_output(self.text)

    @cached_property
    def packed(self) -> bool:
        """Whether it is one gzip file, which readers inflate themselves."""
        return content_of(self.head) is Content.GZIP

    @property
    def is_text(self) -> bool:
        """Whether a reader of text may be asked."""
        return self.content in (Content.TEXT, Content.JSON)

    @cached_property
    def goes_on_as_log(self) -> bool:
        """Whether it is a log behind its first bytes."""
        # Here, not above: nearly all files show by their first bytes what they are.
        from mqdiag.read.logs.behind_beginning import is_log_further_on, is_part_of_log

        if not self.packed:
            return is_log_further_on(self.path, self.size_bytes)
        return any(is_part_of_log(chunk, self.name) for chunk in islice(self._inflated(), MOST_CHUNKS))

    @cached_property
    def is_mostly_records(self) -> bool:
        """Whether it is a log whatever its name says: most of its lines begin records."""
        from mqdiag.read.logs.heads import known_heads
        from mqdiag.read.logs.recognise import is_log

        share, begun = known_heads(self.inner_head)
        is_mostly = share is not None and share >= LEAST_SHARE and begun >= LEAST_RECORDS
        return is_mostly and is_log(self.inner_head, self.name)

    @cached_property
    def hides_evidence(self) -> bool:
        """Whether a text that no reader understands has records of a log in it, or is a mail with evidence."""
        if holds_records(self.inner_head):
            return True
        if self.packed or not is_mail(self.inner_head):
            return False
        with open(self.path, "rb") as file:
            parts = attachments(file.read(MOST_OF_A_MAIL))
            return any(holds_records(part) or content_of(part) in _EVIDENCE for part in parts)

    def trimmed(self) -> Piece:
        """The same with a short head: thousands of files may wait for their reader."""
        return msgspec.structs.replace(self, head=self.head[:KEPT_HEAD])

    def read_as(
        self, kind: InputKind, form: str | None = None, problem: Text | None = None, **more: Any
    ) -> Input:
        """The input that it is.

        Args:
            kind: what it was read as.
            form: its format.
            problem: why it was not read whole; None where it was.
            more: other fields of the input.
        """
        whole = problem is None
        return Input(
            path=self.name,
            kind=kind,
            format=form,
            bytes=self.size_bytes,
            complete=whole,
            problem=problem,
            **more,
        )

    def holds(self, marks: tuple[bytes, ...]) -> bool:
        """Whether a mark stands anywhere in it; UTF-16 and UTF-32 are searched as such.

        Args:
            marks: some of `MARKS` and `CRASH_HEADS`.
        """
        if any(mark in self.inner_head for mark in marks):
            return True
        if len(self.inner_head) < len(self.head) or self.size_bytes > len(self.head) or self.packed:
            return not self._holds_none and self._anywhere(marks)
        return any(mark in self.inner_head for mark in _wide(marks))

    @cached_property
    def _holds_none(self) -> bool:
        """Whether it has none of all marks, as most logs: one search instead of one for each kind of evidence."""
        return not self._anywhere((*MARKS, *CRASH_HEADS))

    def _anywhere(self, marks: tuple[bytes, ...]) -> bool:
        # Here, not above: most files show by their first bytes what they are.
        from mqdiag.read.logs.scan import holds_any

        if b"\0" in self.inner_head[:256]:
            marks += _wide(marks)
        # what a mark that goes on in the next chunk can have in this one
        most = max(map(len, marks)) - 1
        rest = b""
        for chunk in healed(self._inflated() if self.packed else self._plain()):
            if holds_any(chunk, marks) or holds_any(rest + chunk[:most], marks):
                return True
            rest = (rest + chunk[-most:])[-most:]
        return False

    def _plain(self) -> Iterator[bytes]:
        if self.path == STANDARD_INPUT:
            yield self.head  # the rest is for its reader
            return
        with open(self.path, "rb") as file:
            while chunk := file.read(SCAN_CHUNK):
                yield chunk

    def _inflated(self) -> Iterator[bytes]:
        """Its unpacked bytes as far as they go."""
        try:
            for _, chunks in members(self.path, step_bytes=SCAN_CHUNK):
                yield from chunks
        except InputError:
            return  # its reader tells


def _wide(marks: tuple[bytes, ...]) -> tuple[bytes, ...]:
    return tuple(mark.decode().encode(encoding) for mark in marks for encoding in ("utf-16-le", "utf-32-le"))
