"""Collections and other pauses of a JVM, as its logs tell them."""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import Public
from mqdiag.facts.vocabulary import (
    GcFormat,
)


class GcPause(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """All pauses of one step."""

    at: Public
    """begin of the step"""
    pause_ms: float


class GcRun(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Full collections one after the other that freed little."""

    at: Public | None = None
    seconds: float
    full: int
    for_room: int | None = None
    """full collections that nothing but the want of room caused: no System.gc(), no heap dump, no full metaspace, and
    no array that is too large for a heap of which half is free"""
    old_full: int | None = None
    """full collections that left the old generation full; only JDK 8 prints it in the line of the pause"""
    pause_share: float
    """share of that time that was spent in pauses, young collections included"""
    freed_share: float
    """share of the heap that one of them freed, on average"""
    asked: int = 0
    """full collections that System.gc() asked for, and that left room"""


class GcFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One GC log."""

    path: Public
    format: GcFormat
    collections: int
    unread: int = 0
    """lines of pauses in a form that is not known"""
    full: int
    pause_ms: float
    """all pauses"""
    longest_pause_ms: float
    seconds: float | None = None
    """from the first line, or the begin of the first pause, to the last line"""
    worst_share: float | None = None
    """largest share of a minute that was spent in pauses; of the whole log where that is shorter than a minute"""
    worst_at: Public | None = None
    futile_run: GcRun | None = None
    """run with the longest pauses among those of full collections that each freed less than 10 % of the heap with the
    longest pauses"""
    open_run: GcRun | None = None
    """the run of such collections that the log ends in, up to the end of the log"""
    heap_bytes: int | None = None
    """largest size of the heap"""
    heap_after_bytes: int | None = None
    """after the last full collection; after the last of any kind when there was none"""
    used_share: float | None = None
    """share of the heap in use after the last collection of any kind"""
    filled: int = 0
    """full collections for room one after the other, up to the last, that left a heap of the same size full; of ZGC
    cycles that freed next to nothing of a heap that is nearly full"""
    old_filled: int = 0
    """the last full collections that left the old generation full; only JDK 8 prints it in the line of the pause"""
    seconds_to_full: float | None = None
    """until the heap is full if it goes on as in the last collections, each of which left more than the one before;
    None where there are few of them, or some are full"""
    to_space_exhausted: int = 0
    allocation_stalls: int = 0
    """times that a thread had to wait for ZGC"""
    full_for_room: int = 0
    """full collections that the want of room caused: no System.gc(), no heap dump, no full metaspace"""
    asked: int = 0
    """collections that System.gc() asked for"""
    asked_pause_ms: float = 0.0
    """their pauses"""
    jumped_s: float | None = None
    """the largest step of the host's clock against the JVM's own time, below zero where it went back; None where its
    lines lack one of both"""
    jumped_at: Public | None = None
    step_minutes: int = 1
    series: tuple[GcPause, ...] = ()


class SafepointPauses(msgspec.Struct, frozen=True, kw_only=True):
    """Pauses of the whole JVM in one log, by what they consist of."""

    path: Public
    pauses: int
    total_ms: float
    reaching_ms: float | None = None
    """the part in which the JVM waited for its threads to stop; None where no line tells"""
    long: int = 0
    """pauses of a second or longer"""
    longest_ms: float
    longest_reaching_ms: float | None = None
    longest_operation: Public | None = None
    """what the longest was for, such as G1CollectForAllocation; None up to JDK 12"""
    longest_at: Public | None = None
    first: Public | None = None
    last: Public | None = None
    operations: dict[str, int] = {}
    """milliseconds by operation, the largest first"""
