"""Garbage collections: JDK 8's -XX:+PrintGCDetails and JDK 9+'s -Xlog:gc, wherever they are written to."""

from __future__ import annotations

import msgspec

from mqdiag.facts.vocabulary import GcFormat
from mqdiag.knowledge.log_files import log_files
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.collection_rows import FILLED_SHARE, Collection, Room, Run
from mqdiag.logs.message import Message
from mqdiag.logs.tally import MINUTE_MS, Span

FUTILE_SHARE = 0.1
"""a full collection that frees less than this share of the heap got nothing done"""
OLD_FULL_SHARE = 0.98
"""an old generation that is so full after a full collection has no room for what survives the next one"""
RUN_GAP_S = 30.0
"""a run of such collections ends when none comes for so long"""
MOST_MINUTES = 20_000
FULL = frozenset({"Pause Full", "Pause Full GC"})
"""by HotSpot, and by a native image of GraalVM"""
CYCLE_FILLED_SHARE = 0.8
CYCLE_FUTILE_SHARE = 0.02
"""a cycle of ZGC that leaves so much of the heap in use, and frees so little of it, got nothing done"""
ROOM_USED_SHARE = 0.5
"""share of the heap in use after a full collection: below it there was room, but not for one large array"""
_UNIT = {"B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}

_SIZE = r"(\d{1,15}(?:\.\d{1,3})?)([BKMG])"
"""with a fraction in a native image of GraalVM, which prints no capacity either"""
_NUMBER = r"(\d{1,12}(?:[.,]\d{1,9})?)"
_PART = rf"{_NUMBER}([BKMG])"
_PAUSE = r"GC\((\d{1,15})\) (Pause [A-Za-z -]+?)(?: \((?:[^()]|\(\))*\))*"
_UNIFIED = lazy_pattern(rf"{_PAUSE} {_SIZE}->{_SIZE}(?:\({_SIZE}\))? {_NUMBER}ms")
_UNIFIED_PLAIN = lazy_pattern(rf"{_PAUSE} {_NUMBER}ms")
_ZGC = lazy_pattern(
    r"GC\((\d{1,15})\) (?:Garbage|Major|Minor) Collection \([^)]*\)"
    rf" {_SIZE}\((\d{{1,3}})%\)->{_SIZE}\((\d{{1,3}})%\)"
)
_UPTIME = lazy_pattern(r"\[(\d{1,12}[.,]\d{3})s\]|\[(\d{1,15})ms\]")
_JDK8 = lazy_pattern(r"(?:(\d{1,12}[.,]\d{3}): |^\s{0,20})\[(GC(?! Worker)|Full GC)\b")
"""without a time where neither -XX:+PrintGCTimeStamps nor -XX:+PrintGCDateStamps is set"""
_FAILED = lazy_pattern(r"\(concurrent mode (?:failure|interrupted)\)")
"""CMS was not done in time: the JVM stops for a full collection, whose numbers may come on a line of their own"""
_WHOLE_HEAP = lazy_pattern(rf"(?:[\])]|GC|--) +{_SIZE}->{_SIZE}\({_SIZE}\)")
_OLD = lazy_pattern(
    rf"(?:\[(?:ParOldGen|PSOldGen|Tenured|CMS): |{_FAILED.pattern}: ){_SIZE}->{_SIZE}\({_SIZE}\)"
)
_CMS_MARK = lazy_pattern(rf"CMS-(?:initial-mark|remark): [^\]]{{1,60}}\] {_SIZE}\({_SIZE}\)")
_SECONDS = lazy_pattern(r"[, ](\d{1,12}[.,]\d{1,9}) secs\]")
_G1_HEAP = lazy_pattern(rf"Heap: {_PART}\({_PART}\)->{_PART}\({_PART}\)")


FEWEST_OF_ONE_JVM = 3
"""collections in a row by which a JVM has left its start behind, so that the next one is no other JVM's first"""


class GcTally(msgspec.Struct):
    """All collections of one log."""

    form: GcFormat | None = None
    """format of the first collection"""
    collections: int = 0
    unread: int = 0
    """lines of pauses in a form that is not known"""
    full: int = 0
    full_for_room: int = 0
    pause_ms: float = 0.0
    longest_ms: float = 0.0
    heap: int | None = None
    after_full: int | None = None
    after_any: int | None = None
    to_space_exhausted: int = 0
    stalls: int = 0
    asked: int = 0
    """collections that System.gc() asked for"""
    asked_pause_ms: float = 0.0
    first_s: float | None = None
    last_s: float | None = None
    span: Span = msgspec.field(default_factory=Span)
    room: Room = msgspec.field(default_factory=Room)
    run: Run | None = None
    worst_run: Run | None = None
    broken_off_s: float | None = None
    """when a young collection of CMS turned into a full one whose numbers are on the next line"""
    clock: tuple[int, float] | None = None
    """time in ms and seconds since the start of the last line that had both"""
    jumped: tuple[float, int] | None = None
    """the largest step of the one against the other, in seconds, and the time after it in ms"""
    of_one_jvm: int | None = 0
    """collections in a row that one JVM can have had; None where several JVMs write by turns"""
    step: int = 1
    minutes: dict[int, float] = msgspec.field(default_factory=dict)
    """pauses in ms, by step"""

    @property
    def is_told(self) -> bool:
        """Whether there were lines of collections."""
        return bool(self.collections or self.pause_ms or self.unread or self.stalls)

    def see(self, message: Message, at: int | None) -> bool:
        """Read one line; False when it is no collection."""
        text = message.text
        if "GC(" in text or "Allocation Stall (" in text:
            return self._unified(text, at)
        if "Heap: " in text:
            return self._g1_heap(text)
        return self._jdk8(text, at)

    def _unified(self, text: str, at: int | None) -> bool:
        if "To-space exhausted" in text or "Evacuation Failure" in text:
            self.to_space_exhausted += 1
        self.stalls += "Allocation Stall (" in text
        seconds = _uptime(text)
        found = _UNIFIED.search(text)
        if found is not None:
            _, what, before, unit, after, after_unit, heap, heap_unit, pause = found.groups()
            self.add(
                Collection(
                    form="unified",
                    at=at,
                    seconds=seconds,
                    full=what in FULL,
                    for_room=is_for_room(text),
                    asked=is_asked_for(text),
                    pause_ms=_number(pause),
                    before=_bytes(before, unit),
                    after=_bytes(after, after_unit),
                    heap=_bytes(heap, heap_unit) if heap else None,
                )
            )
            return True
        found = _ZGC.search(text)
        if found is not None:
            _, before, unit, percent, after, after_unit, percent_after = found.groups()
            self.add(
                Collection(
                    form="unified",
                    at=at,
                    seconds=seconds,
                    full=False,
                    for_room=False,
                    pause_ms=0.0,
                    before=_bytes(before, unit),
                    after=_bytes(after, after_unit),
                )
            )
            used, freed = int(percent_after) / 100, (int(percent) - int(percent_after)) / 100
            fills = used >= CYCLE_FILLED_SHARE and freed <= CYCLE_FUTILE_SHARE
            self.room.see(seconds, used, None, full=False, fills=fills)
            return True
        found = _UNIFIED_PLAIN.search(text)
        if found is not None:
            self._pause(_number(found[3]), at)
            self.form = self.form or "unified"
            return True
        self.unread += ") Pause " in text and text.rstrip().endswith("ms")
        return False

    def _jdk8(self, text: str, at: int | None) -> bool:
        found = _JDK8.search(text)
        failed = _FAILED.search(text) is not None
        if found is None and not failed:
            return False
        seconds = self.broken_off_s if found is None else _number(found[1]) if found[1] else None
        pauses = _SECONDS.findall(text)
        heaps = _WHOLE_HEAP.findall(text)
        self.broken_off_s = None
        if found is not None and not heaps and "[CMS-concurrent-" in text:
            self.broken_off_s = seconds
            return True
        if not pauses:
            return False
        if not heaps and (mark := _CMS_MARK.search(text)) is not None:
            self._marked(seconds, *mark.groups())
        before, unit, after, after_unit, heap, heap_unit = heaps[-1] if heaps else ("", "B", "", "B", "", "B")
        # a young collection that finds no room for what survives collects the old generation too, in the same line
        full = found is None or found[2] == "Full GC" or failed or _OLD.search(text) is not None
        self.add(
            Collection(
                form="jdk8",
                at=at,
                seconds=seconds,
                full=full,
                for_room=is_for_room(text),
                asked=is_asked_for(text),
                old_full=_leaves_old_full(text),
                pause_ms=_number(pauses[-1]) * 1000,
                before=_bytes(before, unit) if heaps else None,
                after=_bytes(after, after_unit) if heaps else None,
                heap=_bytes(heap, heap_unit) if heaps else None,
            )
        )
        self.to_space_exhausted += "to-space exhausted" in text
        return True

    def _g1_heap(self, text: str) -> bool:
        """JDK 8's G1 prints the heap on a line of its own, below the pause."""
        found = _G1_HEAP.search(text)
        if found is None or not self.collections:
            return False
        heap = _bytes(found[7], found[8])
        self.after_any = _bytes(found[5], found[6])
        self.heap = max(self.heap or 0, heap)
        if heap:
            self.room.see(self.last_s, self.after_any / heap, heap, full=False, fills=False)
        return True

    def _marked(self, seconds: float | None, used: str, unit: str, heap: str, heap_unit: str) -> None:
        """A pause of a concurrent cycle of CMS, which frees nothing and prints what is in use."""
        self.after_any, capacity = _bytes(used, unit), _bytes(heap, heap_unit)
        self.heap = max(self.heap or 0, capacity)
        if capacity:
            self.room.see(seconds, self.after_any / capacity, capacity, full=False, fills=False)

    def add(self, one: Collection) -> None:
        """Count a collection."""
        self.form = self.form or one.form
        self.collections += 1
        self.full += one.full
        self.full_for_room += one.full and one.for_room
        if one.asked:
            self.asked += 1
            self.asked_pause_ms += one.pause_ms
        if one.after is not None:
            self.after_any = one.after
            if one.full:
                self.after_full = one.after
        if one.heap is not None:
            self.heap = max(self.heap or 0, one.heap)
        if one.at is not None and one.seconds is not None:
            self._see_clocks(one.at, one.seconds)
        self._pause(one.pause_ms, one.at)
        now = one.seconds if one.seconds is not None else None if one.at is None else one.at / 1000
        if one.after is not None and one.heap:
            freed = 0.0 if one.before is None else (one.before - one.after) / one.heap
            is_full = one.after >= FILLED_SHARE * one.heap or (one.old_full and freed < FUTILE_SHARE)
            fills = one.full and one.for_room and is_full
            self.room.see(
                now, one.after / one.heap, one.heap, full=one.full, fills=fills, fills_old=one.old_full
            )
        if now is None:
            return
        # the time of a unified line is the end of the pause, that of JDK 8's its begin
        pause_s = one.pause_ms / 1000
        began, ended = (now - pause_s, now) if self.form == "unified" else (now, now + pause_s)
        if self.first_s is None:
            self.first_s = began
        # a JVM that started again counts its seconds from 0 again
        self.last_s = ended if self.last_s is None or ended >= self.last_s else self.last_s
        self._follow(one, now, began, ended)

    def _see_clocks(self, at: int, seconds: float) -> None:
        """A JVM that started again counts its seconds from 0 again: nothing is known between the two.

        Its first collection may come later in its life than the only one of a JVM that ended early.
        """
        if self.clock is not None and self.of_one_jvm is not None:
            if seconds < self.clock[1]:
                self.of_one_jvm = 0
                if at - seconds * 1000 < self.clock[0]:  # it ran already when the other one wrote
                    self.of_one_jvm = self.jumped = None
            elif self.of_one_jvm >= FEWEST_OF_ONE_JVM:
                step = (at - self.clock[0]) / 1000 - (seconds - self.clock[1])
                # hardly any step is larger than the largest so far, and to round it takes as long as all of the above
                if self.jumped is None or abs(step) > abs(self.jumped[0]):
                    self._see_jump(round(step, 1), at)
        if self.of_one_jvm is not None:
            self.of_one_jvm += 1
        self.clock = (at, seconds)

    def _see_jump(self, jumped: float, at: int) -> None:
        if self.jumped is None or abs(jumped) > abs(self.jumped[0]):
            self.jumped = (jumped, at)

    def _pause(self, pause_ms: float, at: int | None) -> None:
        self.pause_ms += pause_ms
        if pause_ms > self.longest_ms:
            self.longest_ms = pause_ms
        if at is None:
            return
        self.span.see(at)
        minute = at // (MINUTE_MS * self.step)
        self.minutes[minute] = self.minutes.get(minute, 0.0) + pause_ms
        if len(self.minutes) > MOST_MINUTES:
            self._fold()

    def _follow(self, one: Collection, now: float, began: float, ended: float) -> None:
        """Runs of full collections that free little; young ones in between do not end them."""
        run = self.run
        if run is not None and (now < run.ended_s - 1 or now - run.ended_s > RUN_GAP_S):
            run = self.run = None
        if not one.full:
            if run is not None:
                run.pause_ms += one.pause_ms
                run.ended_s = max(run.ended_s, now)
            return
        # without a capacity, what was in use before is the least that the heap can hold
        whole = one.heap or one.before
        if one.before is None or one.after is None or not whole:
            self.run = None
            return
        # the young generation alone may be more than the share
        if one.before - one.after >= FUTILE_SHARE * whole and not one.old_full:
            self.run = None
            return
        if run is None:
            run = self.run = Run(began, began, one.at)
        has_room = one.heap is not None and one.after < ROOM_USED_SHARE * one.heap
        run.full += 1
        run.for_room += one.for_room and (one.old_full or not has_room)
        run.old_full += one.old_full
        run.asked += one.asked and not one.old_full and has_room
        run.pause_ms += one.pause_ms
        run.freed += (one.before - one.after) / whole
        run.ended_s = ended
        if self.worst_run is None or run.pause_ms > self.worst_run.pause_ms:
            self.worst_run = run

    def _fold(self) -> None:
        folded: dict[int, float] = {}
        for key, pause_ms in sorted(self.minutes.items()):
            folded[key // 4] = folded.get(key // 4, 0.0) + pause_ms
        self.step, self.minutes = self.step * 4, folded


def _uptime(text: str) -> float | None:
    found = _UPTIME.search(text)
    if found is None:
        return None
    return _number(found[1]) if found[1] else int(found[2]) / 1000


def is_for_room(text: str) -> bool:
    """Whether nothing but the want of room caused a collection."""
    return not any(reason in text for reason in log_files().other_reasons)


def is_asked_for(text: str) -> bool:
    """Whether code asked for a collection; JDK 7 and older name System.gc() in a shorter way."""
    return "(System.gc())" in text or "(System)" in text


def _leaves_old_full(text: str) -> bool:
    found = _OLD.search(text)
    return found is not None and _bytes(found[3], found[4]) >= OLD_FULL_SHARE * _bytes(found[5], found[6]) > 0


def _number(text: str) -> float:
    return float(text.replace(",", "."))


def _bytes(number: str, unit: str) -> int:
    return int(_number(number) * _UNIT[unit])
