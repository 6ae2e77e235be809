"""The usual lines of -Xlog:gc, read where they stand in a block: a log of collections has a thousand in each MiB.

What is not of this form is left to `mqdiag.logs.collections`, which gives the same for what is.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.collection_rows import Collection
from mqdiag.logs.collections import FULL, is_asked_for, is_for_room
from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import Message
from mqdiag.logs.pause_lines import tells_nothing
from mqdiag.logs.provenance import Provenance
from mqdiag.logs.quoted import QuotedLines
from mqdiag.logs.statements import searched
from mqdiag.read.logs.scan import Hit
from mqdiag.read.logs.stamps import TO_MINUTE, StampReader, stamp_with_zone

_LITERAL = b") Pause "
_MOST_KINDS = 4096
_SIZE = rb"(\d{1,15}[BKMG])"
_USUAL = lazy_pattern(
    rb"\[" + TO_MINUTE + rb":(\d\d)[.,](\d{3})([+-]\d{4})\](?:\[(\d{1,12}[.,]\d{3})s\])?([][a-z, ]{1,160}) "
    # no sign in the causes may begin anything else that a log is searched for
    rb"GC\(\d{1,15}\) (Pause(?: [A-Za-z]{1,40}){1,8}(?: \([\w .-]{0,100}(?:\(\))?\)){0,8})"
    rb"(?: " + _SIZE + rb"->" + _SIZE + rb"\(" + _SIZE + rb"\) (\d{1,12}(?:[.,]\d{1,9})?)ms)?[ \t\r]*\n"
)
"""minute, second, milliseconds, zone, uptime, tags, the kind of pause with its causes; of one that is over bytes in use
before and after, capacity, milliseconds"""
_UNIT = {ord("B"): 1, ord("K"): 1 << 10, ord("M"): 1 << 20, ord("G"): 1 << 30}


class _Kind(NamedTuple):
    """What lines have in common that differ in numbers alone."""

    is_usual: bool
    full: bool = False
    for_room: bool = False
    asked: bool = False


class UsualPauses:
    """Takes the usual lines of a log that only the JVM writes."""

    def __init__(self, log: LogTally, provenance: Provenance, quoted: QuotedLines) -> None:
        """Begin a log.

        Args:
            log: its tally.
            provenance: tells own lines.
            quoted: is told of those that were taken.
        """
        rows = searched()
        self.literal = rows.literals.index(_LITERAL)
        """the number of the literal that these lines have"""
        event = rows.event_of[self.literal]
        self._others = [
            literal
            for literal, other in zip(rows.literals, rows.event_of, strict=True)
            if other == event and literal != _LITERAL
        ]
        self._log, self._provenance, self._quoted = log, provenance, quoted
        self._kinds: dict[tuple[bytes, bytes, bool], _Kind] = {}
        """by tags, kind of pause with its causes, and whether it only begins"""

    def take(self, block: bytes, start: int, position: int) -> bool:
        """Count a line, if it is a usual one.

        Args:
            block: a part of the log.
            start: where the line begins in it.
            position: where it begins in the log.
        """
        found = _USUAL.match(block, start)
        if found is None or self._log.zone_minutes is None:
            return False  # any line may be the first with a zone
        tags, what, before = found.group(6, 7, 8)
        key = tags, what, before is None
        kind = self._kinds.get(key)
        if kind is None:
            if len(self._kinds) >= _MOST_KINDS:
                self._kinds.clear()
            hit = Hit(self.literal, found[0].rstrip(), block, start, position, 1)
            kind = self._kinds[key] = self._kind(hit, what, begins=before is None)
        if not kind.is_usual:
            return False
        if before is not None:
            minute, second, milliseconds, zone, uptime, _, _, _, after, heap, pause = found.groups()
            stamp = stamp_with_zone(minute, second, milliseconds, zone)
            if stamp is None:
                return False
            self._log.gc.add(
                Collection(
                    form="unified",
                    at=self._log.in_own_zone(stamp),
                    seconds=None if uptime is None else float(uptime.replace(b",", b".")),
                    full=kind.full,
                    for_room=kind.for_room,
                    asked=kind.asked,
                    pause_ms=float(pause.replace(b",", b".")),
                    before=_size_in_bytes(before),
                    after=_size_in_bytes(after),
                    heap=_size_in_bytes(heap),
                )
            )
        self._quoted.own(position)
        return True

    def _kind(self, hit: Hit, what: bytes, *, begins: bool) -> _Kind:
        """What a line has in common with those that differ in numbers alone."""
        is_usual = (
            not any(literal in what for literal in self._others)
            and b"Evacuation Failure" not in what
            and (tells_nothing(hit.line) or not begins)
            and self._provenance.is_own(Message(hit, StampReader()))
        )
        text = what.decode()
        return _Kind(is_usual, text.partition(" (")[0] in FULL, is_for_room(text), is_asked_for(text))


@lru_cache(maxsize=4096)
def _size_in_bytes(shown: bytes) -> int:
    """Bytes by what a line shows, such as "12M"; a log repeats few sizes."""
    return int(shown[:-1]) * _UNIT[shown[-1]]
