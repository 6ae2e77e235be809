"""The usual lines of -Xlog:gc, read where they stand in a block: a log of collections has a thousand in each MiB.

What is not of this form is left to `mqdiag.logs.collections`, which gives the same for what is.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.collection_rows import Collection
from mqdiag.logs.collections import FULL, is_asked_for, is_for_room
from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import Message
from mqdiag.logs.pause_lines import tells_nothing
from mqdiag.logs.provenance import Provenance
from mqdiag.logs.statements import searched
from mqdiag.read.logs.scan import Hit
from mqdiag.read.logs.stamps import TO_MINUTE, Stamp, StampReader, stamp_with_zone

LITERAL = b") Pause "
_MOST_KINDS = 4096
_SIZE = rb"(\d{1,15}[BKMG])"
_USUAL = lazy_pattern(
    rb"\[" + TO_MINUTE + rb":(\d\d)[.,](\d{3})([+-]\d{4})\](?:\[(\d{1,12}[.,]\d{3})s\])?([][a-z, ]{1,160}) "
    # all in printable ASCII, for which bytes and text are the same
    rb"GC\(\d{1,15}\) (Pause(?: [A-Za-z]{1,40}){1,8}(?: \([\w .-]{0,100}(?:\(\))?\)){0,8})"
    rb"(?: " + _SIZE + rb"->" + _SIZE + rb"\(" + _SIZE + rb"\) (\d{1,12}(?:[.,]\d{1,9})?)ms)?[ \t\r]*\n"
)
"""minute, second, milliseconds, zone, uptime, tags, the kind of pause with its causes; of one that is over bytes in use
before and after, capacity, milliseconds"""
_UNIT = {ord("B"): 1, ord("K"): 1 << 10, ord("M"): 1 << 20, ord("G"): 1 << 30}


class _Kind(NamedTuple):
    """What lines have in common that differ in numbers alone."""

    is_usual: bool
    """whether it is own, and has nothing else that a log is searched for"""
    full: bool
    for_room: bool
    asked: bool


class UsualPauses:
    """Takes the usual lines of a log that only the JVM writes."""

    def __init__(self, log: LogTally, provenance: Provenance) -> None:
        """Begin a log.

        Args:
            log: its tally.
            provenance: tells own lines.
        """
        self._log, self._provenance = log, provenance
        self._kinds: dict[tuple[bytes, bytes, bool], _Kind] = {}
        """by tags, kind of pause with its causes, and whether it only begins"""
        self._waiting: deque[tuple[int, Stamp, Collection | None]] = deque()
        """where a line begins in the log, its time, and the collection if it is over: what is still to be counted"""

    def take(self, block: bytes, places: Sequence[int], origin: int) -> list[int]:
        """Read the usual lines of a block; gives the places of the others.

        Args:
            block: a part of the log.
            places: of `LITERAL`.
            origin: where the block begins in the log.
        """
        others = []
        knows_zone = self._log.zone_minutes is not None
        for at in places:
            start = block.rfind(b"\n", 0, at) + 1
            found = _USUAL.match(block, start)
            if found is None:
                others.append(at)
                continue
            tags, what, before = found.group(6, 7, 8)
            kind = self._kinds.get((tags, what, before is None))
            if kind is None:
                kind = self._kind(found, start)
            if kind.is_usual and before is None and knows_zone:
                continue
            stamp = stamp_with_zone(*found.group(1, 2, 3, 4)) if kind.is_usual else None
            if stamp is None:
                others.append(at)
            else:
                # any line may be the first with a zone
                one = None if before is None else _collection(kind, *found.group(5, 8, 9, 10, 11))
                self._waiting.append((origin + start, stamp, one))
        return others

    def count_before(self, position: int | None) -> None:
        """Count what was taken, up to a place in the log; None is its end."""
        waiting = self._waiting
        while waiting and (position is None or waiting[0][0] < position):
            _, stamp, one = waiting.popleft()
            at = self._log.in_own_zone(stamp)
            if one is not None:
                one.at = at
                self._log.gc.add(one)

    def _kind(self, found: re.Match[bytes], start: int) -> _Kind:
        """What a line has in common with those that differ in numbers alone."""
        line, what = found[0].rstrip(), found[7]
        rows = searched()
        hit = Hit(rows.literals.index(LITERAL), line, found.string, start, start, 1)
        is_usual = (
            not any(literal in line for literal in rows.literals if literal != LITERAL)
            and b"Evacuation Failure" not in what
            and (tells_nothing(line) or found[8] is not None)
            and self._provenance.is_own(Message(hit, StampReader()))
        )
        text = what.decode()
        kind = _Kind(is_usual, text.partition(" (")[0] in FULL, is_for_room(text), is_asked_for(text))
        if len(self._kinds) >= _MOST_KINDS:
            self._kinds.clear()
        self._kinds[found[6], what, found[8] is None] = kind
        return kind


def _collection(
    kind: _Kind, uptime: bytes | None, before: bytes, after: bytes, heap: bytes, pause: bytes
) -> Collection:
    return Collection(
        form="unified",
        at=None,
        seconds=None if uptime is None else float(uptime.replace(b",", b".")),
        full=kind.full,
        for_room=kind.for_room,
        asked=kind.asked,
        pause_ms=float(pause.replace(b",", b".")),
        before=_size_in_bytes(before),
        after=_size_in_bytes(after),
        heap=_size_in_bytes(heap),
    )


@lru_cache(maxsize=4096)
def _size_in_bytes(shown: bytes) -> int:
    """Bytes by what a line shows, such as "12M"; a log repeats few sizes."""
    return int(shown[:-1]) * _UNIT[shown[-1]]
