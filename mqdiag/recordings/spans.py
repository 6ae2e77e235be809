"""Events with a duration: what threads of the recording waited for, and when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.cores import in_order
from mqdiag.read.jfr.chunk import Chunk, Lots
from mqdiag.read.jfr.distinct import distinct, grouped, in_lots, sums_of
from mqdiag.read.jfr.lots import LotColumns
from mqdiag.read.jfr.records import Records
from mqdiag.recordings.constants import Constants, Steps, ThreadKey
from mqdiag.threads.roles import CONSUME_WORKER, role_of_name

SOCKET_READ, SOCKET_WRITE, FILE_READ, FILE_WRITE, FILE_FORCE = range(5)
MONITOR, PARK, SLEEP, WAIT, PINNED = range(5, 10)
KINDS = {
    "jdk.SocketRead": SOCKET_READ,
    "jdk.SocketWrite": SOCKET_WRITE,
    "jdk.FileRead": FILE_READ,
    "jdk.FileWrite": FILE_WRITE,
    "jdk.FileForce": FILE_FORCE,
    "jdk.JavaMonitorEnter": MONITOR,
    "jdk.ThreadPark": PARK,
    "jdk.ThreadSleep": SLEEP,
    "jdk.JavaMonitorWait": WAIT,
    "jdk.VirtualThreadPinned": PINNED,
}
_BYTES = {"jdk.SocketRead": "bytesRead", "jdk.SocketWrite": "bytesWritten", "jdk.FileRead": "bytesRead"}
_CLASSES = {"jdk.JavaMonitorEnter": "monitorClass", "jdk.ThreadPark": "parkedClass"}


_MOST = int(np.iinfo(np.int64).max)
Integers = NDArray[np.integer]
"""numbers as narrow as they can be: a recording may have millions of events"""
_SOCKETS = frozenset({"jdk.SocketRead", "jdk.SocketWrite"})
_PEER = frozenset({"host", "port", "address", "timeout"})
"""the timeout stands behind them, and is as much the same"""
_KEYS = ("eventThread", "stackTrace", "previousOwner")
"""columns whose values are keys of constants that many events have in common"""
_OWN = frozenset({"startTime", "duration", *_BYTES.values()})
_COMMON = frozenset({*_KEYS, "path", *_CLASSES.values()})
COLUMNS = {name: LotColumns(_OWN, _COMMON | _PEER if name in _SOCKETS else _COMMON) for name in KINDS}
"""columns of such events that are read, by name"""


class Alike(NamedTuple):
    """What the events of a lot have in common; each array has one value for each lot."""

    thread: Integers
    """place in the numbers of threads"""
    stack: Integers
    """place in `Places`"""
    what: Integers
    """number of the peer, file or class; -1 where there is none"""
    owner: Integers
    """thread that had the monitor before; -1 where nobody knows"""


class Spans(NamedTuple):
    """Events of one kind in one chunk, lot by lot: a chunk has many events of few lots."""

    start_ns: Integers
    """nanoseconds of the epoch"""
    duration_ns: Integers
    bytes: NDArray[np.int64]
    """int64[lots]: those of all events together"""
    ends: NDArray[np.int64]
    """int64[lots]: where the events of each lot end"""
    alike: Alike

    def of_lots(self, column: Integers, lots: list[int], most: int = _MOST) -> Integers:
        """A column of the events of these lots alone, copied: nothing keeps the chunk's other events.

        Args:
            column: of all events.
            lots: those that are wanted.
            most: no value of theirs is larger, nor any below 0 if this is less than 32 bits.
        """
        begins = [int(self.ends[lot - 1]) if lot else 0 for lot in lots]
        parts = [column[begin : self.ends[lot]] for begin, lot in zip(begins, lots, strict=True)]
        narrow = np.uint32 if most <= np.iinfo(np.uint32).max else np.int64
        return np.concatenate(parts, dtype=narrow, casting="unsafe")


Taker = Callable[[int, Spans], None]
"""takes in events of a kind"""


class Numbered:
    """Things by number, in the order in which they came."""

    def __init__(self) -> None:
        self.numbers: dict[object, int] = {}

    def of(self, thing: object) -> int:
        """The number of a thing."""
        return self.numbers.setdefault(thing, len(self.numbers))

    def things(self) -> list[object]:
        """All things by number."""
        return list(self.numbers)


class Peer(NamedTuple):
    """The other end of a socket."""

    host: str | None
    port: int


class SpanCollector:
    """Reads events of chunk after chunk.

    Args:
        threads: gets the number of each thread.
        whats: gets the number of each peer, file and class.
        takers: what is made of the events.
    """

    def __init__(self, threads: Numbered, whats: Numbered, *takers: Taker) -> None:
        self._threads = threads
        self._whats = whats
        self._takers = takers
        self.last_ns = 0
        """end of the last event in chunks that the JVM had not finished, in nanoseconds of the epoch"""

    @property
    def steps(self) -> Steps:
        """What takes in a chunk, step by step: one that fails leaves the others."""
        return tuple(partial(self._add, name) for name in KINDS)

    def _add(self, name: str, chunk: Chunk, constants: Constants) -> None:
        lots = chunk.lots(name, COLUMNS[name])
        if lots is None or not len(lots.own):
            return
        spans = self._spans(lots, name, constants)
        if chunk.head.is_open:
            self.last_ns = max(self.last_ns, int((spans.start_ns + spans.duration_ns).max()))
        for take in self._takers:
            take(KINDS[name], spans)

    def _spans(self, lots: Lots, name: str, constants: Constants) -> Spans:
        own, common = lots.own, lots.common
        keys = {column: common.integers(column) for column in _KEYS if common.has(column)}
        columns, things = _whats(common, name, constants)
        # other bytes may mean the same
        first, number = distinct(*keys.values(), *columns, np.zeros(len(common), np.int64))
        numbers = lots.numbers if len(first) == len(common) else number[lots.numbers]
        order, ends = in_lots(numbers, len(first))
        size = _BYTES.get(name)
        duration_ns = own.nanoseconds("duration", order)
        return Spans(
            start_ns=own.nanoseconds("startTime", order),
            duration_ns=np.maximum(duration_ns, 0, out=duration_ns),
            bytes=sums_of(numbers, own.integers(size), len(first))
            if size and own.has(size)
            else np.zeros(len(first), np.int64),
            ends=ends,
            alike=Alike(
                thread=self._of_threads(keys.get("eventThread"), first, constants),
                stack=constants.stacks(keys["stackTrace"][first])
                if "stackTrace" in keys
                else np.zeros(len(first), np.int64),
                what=np.array([self._whats.of(thing) for thing in things(first)], np.int64)
                if columns
                else np.full(len(first), -1, np.int64),
                owner=self._of_threads(keys.get("previousOwner"), first, constants),
            ),
        )

    def _of_threads(
        self, keys: NDArray[np.int64] | None, first: NDArray[np.int64], constants: Constants
    ) -> Integers:
        if keys is None:
            return np.full(len(first), -1, np.int64)

        def number(key: int) -> int:
            thread = constants.thread(key) if key else None
            return -1 if thread is None or not thread.name else self._threads.of(thread)

        return by_key(keys[first], number)


def _whats(
    records: Records, name: str, constants: Constants
) -> tuple[list[NDArray[np.int64]], Callable[[NDArray[np.int64]], list[object]]]:
    """(columns that tell the peer, file or class apart, what makes these of rows); no column where there is none."""
    column = _CLASSES.get(name)
    if column is not None and records.has(column):
        classes = records.integers(column)
        return [classes], lambda rows: [constants.class_name(key) for key in classes[rows].tolist()]
    if records.has("host") and records.has("port"):
        by_host, hosts = records.numbered_texts("host")
        ports = records.integers("port")
        if all(hosts):
            return [by_host, ports], lambda rows: [
                Peer(hosts[host], port)
                for host, port in zip(by_host[rows].tolist(), ports[rows].tolist(), strict=True)
            ]
        by_address, addresses = records.numbered_texts("address")
        return [by_host, by_address, ports], lambda rows: [
            Peer(hosts[host] or addresses[address] or None, port)
            for host, address, port in zip(
                by_host[rows].tolist(), by_address[rows].tolist(), ports[rows].tolist(), strict=True
            )
        ]
    if records.has("path"):
        numbers, paths = records.numbered_texts("path")
        return [numbers], lambda rows: [paths[number] for number in numbers[rows].tolist()]
    return [], lambda rows: []


def by_key(keys: NDArray[np.int64], of: Callable[[int], int]) -> NDArray[np.int32]:
    """A number for each key, asked for once."""
    first, number = distinct(keys)
    return np.array([of(key) for key in keys[first].tolist()], np.int32)[number]


class ThreadSpans(NamedTuple):
    """Events of one thread: those of a lot are of one kind, at one stack."""

    start_ns: Integers
    """nanoseconds of the epoch"""
    duration_ns: Integers
    lot: NDArray[np.int32]
    order: NDArray[np.int64]
    """places of the events that count, those first that began first"""
    kind: Integers
    """int64[lots]"""
    stack: Integers
    """int64[lots]: place in `Places`"""
    events: NDArray[np.int64]
    """int64[lots]: how many there are"""
    last_ns: Integers
    """int64[lots]: when the last one ended"""

    def only(self, counts: NDArray[np.bool_]) -> ThreadSpans:
        """Without the events of all other lots."""
        return self._replace(
            order=self.order[counts[self.lot[self.order]]],
            events=self.events * counts,
        )


_NEVER = np.int64(np.iinfo(np.int64).min)
_STACK_BITS = 32
"""lower bits of a number that tells kind and stack: those of the stack"""
_STACK = (1 << _STACK_BITS) - 1


class SpansByThread:
    """Gathers events of consume threads.

    Args:
        threads: that events name.
    """

    def __init__(self, threads: Numbered) -> None:
        self._threads = threads
        self._is_worker: list[bool] = []
        """by the number of a thread"""
        self._parts: dict[int, list[tuple[int, tuple[Integers, ...]]]] = defaultdict(list)
        """by the number of a thread: (kind, (begins and nanoseconds of events in a chunk; of their lots: kind with
        stack, how many events, the first begin, the last end))"""

    def add(self, kind: int, spans: Spans) -> None:
        """Take in events of a kind."""
        for thread in self._threads.things()[len(self._is_worker) :]:
            name = thread.name if isinstance(thread, ThreadKey) else ""
            self._is_worker.append(role_of_name(name).role == CONSUME_WORKER)
        kinds = (kind << _STACK_BITS) + spans.alike.stack
        sizes = np.diff(spans.ends, prepend=0)
        begins = spans.ends - sizes
        firsts = np.minimum.reduceat(spans.start_ns, begins)
        lasts = np.maximum.reduceat(spans.start_ns + spans.duration_ns, begins)
        for number, rows in grouped(spans.alike.thread):
            if number >= 0 and self._is_worker[number]:
                lots = rows.tolist()
                times = (spans.of_lots(spans.start_ns, lots), spans.of_lots(spans.duration_ns, lots))
                of_lots = (kinds[rows], sizes[rows], firsts[rows], lasts[rows])
                self._parts[number].append((kind, (*times, *of_lots)))

    def stacks(self, number: int) -> frozenset[int]:
        """The places of the stacks of a thread's events."""
        kinds = (columns[2] for _, columns in self._parts.get(number, ()))
        return frozenset(kind & _STACK for own in kinds for kind in own.tolist())

    def each(self, numbers: Collection[int]) -> Iterator[tuple[int, ThreadSpans]]:
        """(number, events) of threads; those of the next one are put in order while one is looked at."""
        with ThreadPoolExecutor(1, "mqdiag-spans") as beside:
            yield from zip(numbers, in_order(beside, self._of, numbers, 1), strict=True)

    def _of(self, number: int) -> ThreadSpans:
        # of those that begin together, the one of the first kind is the first
        parts = [own for _, own in sorted(self._parts[number], key=lambda part: part[0])]
        if not parts:
            none = np.zeros(0, np.int64)
            return ThreadSpans(none, none, none.astype(np.int32), none, none, none, none, none)
        start_ns, duration_ns, kinds, sizes, firsts, lasts = map(np.concatenate, zip(*parts, strict=True))
        in_time = np.argsort(firsts, kind="stable")
        kinds = kinds[in_time]
        first, numbers = distinct(kinds)
        lot = np.empty(len(kinds), np.int32)
        lot[in_time] = numbers
        events, last_ns = np.zeros(len(first), np.int64), np.full(len(first), _NEVER)
        np.add.at(events, lot, sizes)
        np.maximum.at(last_ns, lot, lasts)
        return ThreadSpans(
            start_ns=start_ns,
            duration_ns=duration_ns,
            lot=np.repeat(lot, sizes),
            order=np.argsort(start_ns, kind="stable"),
            kind=kinds[first] >> _STACK_BITS,
            stack=kinds[first] & _STACK,
            events=events,
            last_ns=last_ns,
        )
