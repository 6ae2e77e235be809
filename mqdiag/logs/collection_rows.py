"""Collections in a row: full ones that free little, and ones that each leave more in use."""

from __future__ import annotations

import msgspec

from mqdiag.facts.vocabulary import GcFormat

FILLED_SHARE = 0.95
"""share of the heap in use after a full collection: the next allocations need the next one"""


class Collection(msgspec.Struct, kw_only=True):
    """One collection, as its line says; None where the line does not say it."""

    form: GcFormat
    at: int | None
    """time of the line, in ms"""
    seconds: float | None
    """since the JVM started"""
    full: bool
    for_room: bool
    """nothing but the want of room caused it"""
    pause_ms: float
    before: int | None = None
    """bytes in use before it; of the heap, as the next two"""
    after: int | None = None
    heap: int | None = None
    """capacity"""
    asked: bool = False
    """System.gc() asked for it"""
    old_full: bool = False
    """it left the old generation full"""


class Run(msgspec.Struct):
    """Full collections one after the other that freed little."""

    began_s: float
    ended_s: float
    at: int | None
    full: int = 0
    for_room: int = 0
    """full collections that nothing but the want of room caused"""
    old_full: int = 0
    """full collections that left the old generation full"""
    asked: int = 0
    """full collections that System.gc() asked for, and that left room"""
    pause_ms: float = 0.0
    freed: float = 0.0

    @property
    def seconds(self) -> float:
        """From the begin of the first to the end of the last."""
        return self.ended_s - self.began_s


class Room(msgspec.Struct):
    """What the last collections left."""

    used_share: float | None = None
    """share of the heap after the last one"""
    filled: int = 0
    """full collections for room, or cycles of ZGC, one after the other up to the last, that left the heap full"""
    old_filled: int = 0
    """the last of these that left the old generation full"""
    capacity: int | None = None
    """bytes of the heap at the last of them: a heap that still grows is not full"""
    rises: int = 0
    """collections up to the last that each left more than the one before"""
    risen: float = 0.0
    """share of the heap by which they did"""
    since_s: float | None = None
    """when the first of them was"""

    def see(
        self,
        now: float | None,
        used_share: float,
        capacity: int | None,
        *,
        full: bool,
        fills: bool,
        fills_old: bool = False,
    ) -> None:
        """One collection.

        Args:
            now: when it was, in seconds of any origin.
            used_share: share of the heap that it left in use.
            capacity: bytes of the heap, if they are told.
            full: whether it was a full one.
            fills: whether it was to make room, and left none.
            fills_old: whether it left none in the old generation.
        """
        rise = used_share - (self.used_share if self.used_share is not None else used_share)
        if full or rise <= 0 or now is None or self.since_s is None or now < self.since_s:
            self.rises, self.risen, self.since_s = 0, 0.0, None if full else now
        else:
            self.rises += 1
            self.risen += rise
        self.used_share = used_share
        if fills:
            if capacity != self.capacity:
                self.filled = self.old_filled = 0
            self.filled, self.capacity = self.filled + 1, capacity
            self.old_filled = self.old_filled + 1 if fills_old else 0
        elif full or used_share < FILLED_SHARE:
            self.filled = self.old_filled = 0
