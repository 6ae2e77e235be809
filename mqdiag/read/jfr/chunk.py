"""One chunk of a recording: its events as columns, with the constants that they name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.jfr.decoding import Listed, decode_arrays, decode_listed
from mqdiag.read.jfr.described import Descriptions, Programs
from mqdiag.read.jfr.header import ChunkHead
from mqdiag.read.jfr.kernels.pools import END, RECORDS, START, TYPE
from mqdiag.read.jfr.kernels.walk import ListedTypes, part_events, walk_events
from mqdiag.read.jfr.lots import LotColumns, in_common
from mqdiag.read.jfr.metadata import CHECKPOINT, METADATA, MOST_BYTES, Field, JfrType
from mqdiag.read.jfr.pools import Pool, list_constants
from mqdiag.read.jfr.program import Program, UnknownTypeError, element_of, in_runs
from mqdiag.read.jfr.records import Records
from mqdiag.read.jfr.values import Cursor, DamagedError
from mqdiag.text import Text, say

_ROOM = 1 << 16
"""places listed by one call of the kernel"""
_LAST_CHECKPOINTS = 64
"""checkpoints looked at from the end on: one of them is written when the chunk ends"""
_NEAR_NS = 2_000_000_000
"""nanoseconds by which the last checkpoint may be away from the end of its chunk"""


Places = tuple[NDArray[np.int64], NDArray[np.int64]]
"""where the payload of each event begins, and where the event ends"""

_NO_PLACES: Places = (np.zeros(0, np.int64), np.zeros(0, np.int64))


class _Walk(NamedTuple):
    """What a walk over a chunk found."""

    places: dict[int, Places]
    """events by type, of those that are listed"""
    listed: ListedTypes
    """lists by type, with the counts of all types"""
    end: int
    """byte where it ended"""


class Lots(NamedTuple):
    """Events of one type, of which many have values in common."""

    own: Records
    """values of each event"""
    common: Records
    """values in common, those of each lot once; lots may be equal"""
    numbers: NDArray[np.int64]
    """int64[events]: the lot of each"""


class Problem:
    """Why a chunk was read in part only.

    Args:
        offset: byte of the file.
        reason: what is wrong there.
        of_one_type: it cost the events of one type alone, and no part of the file.
    """

    def __init__(self, offset: int, reason: Text, *, of_one_type: bool = False) -> None:
        self.offset = offset
        self.reason = reason
        self.of_one_type = of_one_type


class Chunk:
    """One chunk.

    Args:
        data: the file.
        head: of the chunk.
        wanted: names of the events to list; all others are counted only. None lists all.
        descriptions: of the chunks before it.
    """

    _type_bytes = 8
    """width of an event's type where numbers are not compressed"""

    def __init__(
        self,
        data: NDArray[np.uint8],
        head: ChunkHead,
        wanted: Collection[str] | None = None,
        descriptions: Descriptions | None = None,
    ) -> None:
        self._data = data
        self.head = head
        self.problems: list[Problem] = []
        self._pools: dict[int, Pool] = {}
        self._counts: dict[str, tuple[int, int]] = {}
        self._prepared: dict[str, Lots | None] = {}
        self._wanted = wanted
        descriptions = descriptions or Descriptions()
        # nearly all chunks have the types of the one before, and so their events are listed in one walk
        supposed = self._programs = descriptions.last
        walk = self._walk()
        self._describe(walk.places.get(METADATA, _NO_PLACES), descriptions)
        if self._programs is not supposed:
            walk = self._walk()
        self._places = walk.places
        self._checkpoints = walk.places.get(CHECKPOINT, _NO_PLACES)
        self._count(walk.listed)
        self.has_two_clocks = False
        """whether its events and its head disagree on how long it took, so that no time in it is sure"""
        if walk.end < head.end:
            self._damaged(walk.end, say("no event can be read here"))
        elif head.is_cut:
            self._damaged(walk.end, say("the file ends before the chunk does"))
        elif self._ends_elsewhere():
            self.has_two_clocks = True
            reason = say("the times of a chunk's events contradict the duration in its head")
            self.problems.append(Problem(head.start, reason, of_one_type=True))

    @property
    def types(self) -> Mapping[int, JfrType]:
        """Its types by number."""
        return self._programs.types

    @property
    def counts(self) -> Mapping[str, tuple[int, int]]:
        """(events, bytes) of each type of event that was written."""
        return self._counts

    def type_named(self, name: str) -> JfrType | None:
        """A type by its name."""
        number = self._programs.ids.get(name)
        return None if number is None else self.types[number]

    def prepare(self, ahead: Mapping[str, LotColumns]) -> None:
        """Decode events, by the name of their type, before anybody asks for them."""
        for name, columns in ahead.items():
            self._prepared[name] = self._in_lots(name, columns)

    def lots(self, name: str, columns: LotColumns) -> Lots | None:
        """All events of a type, in the order of the file; None where the chunk has none.

        Args:
            name: of the type.
            columns: to decode. Of a type that is prepared, those that are prepared are there, once.
        """
        return self._prepared.pop(name) if name in self._prepared else self._in_lots(name, columns)

    def events(self, name: str, columns: Collection[str] | None = None) -> Records | None:
        """All events of a type, in the order of the file; None where the chunk has none.

        Args:
            name: of the type.
            columns: paths of the columns to decode; all where None.
        """
        program = self._program(name, columns)
        return None if program is None else self._records(program, self._decoded(name, program).rows)

    def _in_lots(self, name: str, columns: LotColumns) -> Lots | None:
        program = self._program(name, (*columns.own, *columns.common))
        if program is None:
            return None
        program = in_runs(program, columns.common)
        listed = self._decoded(name, program)
        found = in_common(self._data, self.head, program, listed)
        return Lots(
            self._records(program, listed.rows), self._records(found.program, found.rows), found.numbers
        )

    def _program(self, name: str, columns: Collection[str] | None) -> Program | None:
        """How events of a type are decoded; None where there are none, or they cannot be."""
        kind = self.type_named(name)
        if kind is None or kind.type_id not in self._places:
            return None
        try:
            return self._programs.of(kind.fields, columns)
        except UnknownTypeError as error:
            self.problems.append(Problem(self.head.start, error.reason))
            return None

    def _decoded(self, name: str, program: Program) -> Listed:
        starts, ends = self._places[self._programs.ids[name]]
        done = decode_listed(self._data, self.head, program, starts, ends)
        if done.stopped_at is not None:
            self._damaged(done.stopped_at, say("an event of {name} is damaged", name=name))
        return done

    def _records(self, program: Program, rows: NDArray[np.int64]) -> Records:
        """Decoded records."""
        return Records(self._data, self.head, program, rows, self._constant_text)

    def constants(self, type_id: int) -> Pool:
        """The constants of a type; empty where there are none."""
        if type_id not in self._pools:
            self._pools[type_id] = self._read_pool(type_id)
        return self._pools[type_id]

    def constants_of(self, name: str) -> Pool | None:
        """The constants of a type by its name; None where it is not described."""
        number = self._programs.ids.get(name)
        return None if number is None else self.constants(number)

    def elements(self, field: Field, starts: NDArray[np.int64], counts: NDArray[np.int64]) -> Records:
        """Elements of arrays, one after the other.

        Args:
            field: of the arrays.
            starts: where the elements of each begin.
            counts: how many it has.

        Raises:
            UnknownTypeError: their type is not described.
        """
        kind = self.types.get(field.type_id)
        own = (element_of(field),) if kind is None or field.is_constant or not kind.fields else kind.fields
        program = self._programs.of(own)
        ends = np.full_like(starts, self.head.end)
        done = decode_arrays(self._data, self.head, program, starts, counts, ends)
        return Records(self._data, self.head, program, done.rows, self._constant_text)

    @cached_property
    def _texts(self) -> Pool | None:
        return self.constants_of("java.lang.String")

    def _constant_text(self, key: int) -> str | None:
        if self._texts is None:
            return None
        row = self._texts.row(key)
        return None if row < 0 else self._texts.text("value", row)

    def _walk(self) -> _Walk:
        """The events that are wanted, and those that describe them."""
        ids = {METADATA, CHECKPOINT} | {
            number
            for number, kind in self.types.items()
            if kind.is_event and (self._wanted is None or kind.name in self._wanted)
        }
        most = max(*ids, *self.types) + 1
        order = sorted(ids)
        slots = np.full(most, -1, np.int32)
        slots[order] = range(len(order))
        wanted = ListedTypes(slots, np.zeros(most, np.int64), np.zeros(most, np.int64))
        found: dict[int, list[NDArray[np.int64]]] = defaultdict(list)
        starts, ends = np.zeros(_ROOM, np.int64), np.zeros(_ROOM, np.int64)
        lists, stop = np.zeros(_ROOM, np.int64), np.zeros(2, np.int64)
        at = self.head.body
        while at < self.head.end:
            listed = walk_events(
                self._data,
                at,
                self.head.end,
                self.head.is_compressed,
                self._type_bytes,
                wanted,
                starts,
                ends,
                lists,
                stop,
            )
            counts = np.bincount(lists[:listed], minlength=len(order))
            places = np.cumsum(counts) - counts
            parted = np.empty((2, listed), np.int64)
            part_events(lists[:listed], starts, ends, places, parted)
            begin = 0
            for slot, end in enumerate(places.tolist()):
                if end > begin:
                    found[order[slot]].append(parted[:, begin:end])
                begin = end
            at = int(stop[0])
            if listed < _ROOM:
                break
        listed_of = {number: tuple(np.concatenate(parts, axis=1)) for number, parts in found.items()}
        return _Walk(listed_of, wanted, at)

    def _count(self, wanted: ListedTypes) -> None:
        for number in np.flatnonzero(wanted.counts).tolist():
            kind = self.types.get(number)
            if kind is not None and kind.is_event:
                self._counts[kind.name] = (int(wanted.counts[number]), int(wanted.bytes[number]))

    def _ends_elsewhere(self) -> bool:
        """Whether the last checkpoint, which the JVM writes at the end of a chunk, has a time far from that end."""
        head = self.head
        if head.is_open or head.types is not None or not self._checkpoints[0].size:
            return False
        times = []
        for start, end in zip(
            *(places[-_LAST_CHECKPOINTS:].tolist() for places in self._checkpoints), strict=True
        ):
            cursor = Cursor(
                self._data[start:end].tobytes(), 0, end - start, is_compressed=head.is_compressed, base=start
            )
            try:
                times.append(cursor.integer(8))
            except DamagedError:
                return False
        took = max(times) - head.start_ticks
        took_ns = took * 1_000_000_000 // head.ticks_per_second
        return abs(took_ns - head.duration_ns) > _NEAR_NS + head.duration_ns // 4

    def _describe(self, places: Places, descriptions: Descriptions) -> None:
        """Read the metadata; of several the last one has most."""
        self._programs = Programs({})
        for start, end in zip(places[0][::-1].tolist(), places[1][::-1].tolist(), strict=True):
            if end - start > MOST_BYTES:
                self._damaged(start, say("its metadata is larger than any JVM writes"))
                continue
            cursor = Cursor(
                self._data[start:end].tobytes(),
                0,
                end - start,
                is_compressed=self.head.is_compressed,
                base=start,
            )
            try:
                self._programs = descriptions.programs(cursor)
            except DamagedError as error:
                self._damaged(error.offset, say("its metadata is damaged"))
                continue
            return
        self._damaged(self.head.start, say("a chunk has no metadata, which describes its events"))

    def _read_pool(self, type_id: int) -> Pool:
        own = self._groups[TYPE] == type_id
        starts, counts, ends = (self._groups[row][own] for row in (START, RECORDS, END))
        program = self._programs.of(self._programs.constant(type_id))
        done = decode_arrays(self._data, self.head, program, starts, counts, ends)
        if done.stopped_at is not None:
            self._damaged(done.stopped_at, say("a constant pool is damaged"))
        return Pool(Records(self._data, self.head, program, done.rows, self._constant_text))

    @cached_property
    def _groups(self) -> NDArray[np.int64]:
        """As `list_constants`."""
        return list_constants(
            self._data, self.head, self._programs, self._checkpoints, self._type_of, self._damaged
        )

    @staticmethod
    def _type_of(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of types by those in checkpoints."""
        return numbers

    def _damaged(self, offset: int, reason: Text) -> None:
        self.problems.append(Problem(offset, reason))
