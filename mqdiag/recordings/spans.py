"""Events with a duration: what threads of the recording waited for, and when."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.jfr.chunk import Chunk
from mqdiag.read.jfr.distinct import distinct
from mqdiag.read.jfr.records import Records
from mqdiag.recordings.constants import Constants, Steps

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


class Spans(NamedTuple):
    """Events of all kinds, one after the other; each array has one value for each."""

    kind: NDArray[np.int64]
    start_ns: NDArray[np.int64]
    """nanoseconds of the epoch"""
    duration_ns: NDArray[np.int64]
    thread: NDArray[np.int64]
    """place in the numbers of threads"""
    stack: NDArray[np.int64]
    """place in `Places`"""
    what: NDArray[np.int64]
    """number of the peer, file or class; -1 where there is none"""
    bytes: NDArray[np.int64]
    owner: NDArray[np.int64]
    """thread that had the monitor before; -1 where nobody knows"""

    def taken(self, where: NDArray[np.bool_] | slice) -> Spans:
        """Those for which it holds."""
        return Spans(*(column[where] for column in self))

    def of_kind(self, kind: int) -> Spans:
        """Those of one kind, without a copy, of all events as `SpanCollector.spans` has them."""
        return self.taken(slice(*np.searchsorted(self.kind, (kind, kind + 1)).tolist()))

    def by_begin(self) -> Spans:
        """Those that begin first first."""
        order = np.argsort(self.start_ns, kind="stable")
        return Spans(*(column[order] for column in self))

    def by(self, values: NDArray[np.int64]) -> Iterator[tuple[int, Spans]]:
        """(a value, those that have it in the order that they are in), by one pass over all."""
        if not len(values) or (values == values[0]).all():
            if len(values):
                yield int(values[0]), self
            return
        order = np.argsort(values, kind="stable")
        own = Spans(*(column[order] for column in self))
        ordered = values[order]
        begins = np.flatnonzero(np.diff(ordered, prepend=ordered[0] - 1))
        for begin, end in itertools.pairwise((*begins.tolist(), len(ordered))):
            yield int(ordered[begin]), own.taken(slice(begin, end))


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
    """Gathers events of chunk after chunk.

    Args:
        threads: gets the number of each thread.
    """

    def __init__(self, threads: Numbered) -> None:
        self._threads = threads
        self.whats = Numbered()
        self._parts: list[Spans] = []

    @property
    def steps(self) -> Steps:
        """What takes in a chunk, step by step: one that fails leaves the others."""
        return tuple(partial(self._add, name) for name in KINDS)

    def _add(self, name: str, chunk: Chunk, constants: Constants) -> None:
        records = chunk.events(name)
        if records is not None and len(records):
            self._parts.append(self._spans(records, name, KINDS[name], constants))

    def spans(self) -> Spans:
        """All events, those of one kind after the other."""
        if not self._parts:
            return Spans(*(np.zeros(0, np.int64) for _ in Spans._fields))
        parts = sorted(self._parts, key=lambda part: int(part.kind[0]))
        return Spans(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    def _spans(self, records: Records, name: str, kind: int, constants: Constants) -> Spans:
        count = len(records)
        none = np.full(count, -1, np.int64)
        size = _BYTES.get(name)
        return Spans(
            kind=np.full(count, kind, np.int64),
            start_ns=records.nanoseconds("startTime"),
            duration_ns=np.maximum(records.nanoseconds("duration"), 0),
            thread=self._of_threads(records, "eventThread", constants),
            stack=constants.stacks(records.integers("stackTrace"))
            if records.has("stackTrace")
            else np.zeros(count, np.int64),
            what=self._whats(records, name, constants),
            bytes=np.maximum(records.integers(size), 0)
            if size and records.has(size)
            else np.zeros(count, np.int64),
            owner=self._of_threads(records, "previousOwner", constants)
            if records.has("previousOwner")
            else none,
        )

    def _of_threads(self, records: Records, column: str, constants: Constants) -> NDArray[np.int64]:
        if not records.has(column):
            return np.full(len(records), -1, np.int64)

        def number(key: int) -> int:
            thread = constants.thread(key) if key else None
            return -1 if thread is None or not thread.name else self._threads.of(thread)

        return by_key(records.integers(column), number)

    def _whats(self, records: Records, name: str, constants: Constants) -> NDArray[np.int64]:
        column = _CLASSES.get(name)
        if column is not None and records.has(column):
            return by_key(records.integers(column), lambda key: self.whats.of(constants.class_name(key)))
        if records.has("host") and records.has("port"):
            by_host, hosts = records.numbered_texts("host")
            by_address, addresses = records.numbered_texts("address")
            ports = records.integers("port")
            first, number = distinct(by_host, by_address, ports)
            peers = [
                self.whats.of(Peer(hosts[host] or addresses[address] or None, port))
                for host, address, port in zip(
                    by_host[first].tolist(), by_address[first].tolist(), ports[first].tolist(), strict=True
                )
            ]
            return np.array(peers, np.int64)[number]
        if records.has("path"):
            numbers, paths = records.numbered_texts("path")
            return np.array([self.whats.of(path) for path in paths], np.int64)[numbers]
        return np.full(len(records), -1, np.int64)


def by_key(keys: NDArray[np.int64], of: Callable[[int], int]) -> NDArray[np.int64]:
    """A number for each key, asked for once."""
    first, number = distinct(keys)
    return np.array([of(key) for key in keys[first].tolist()], np.int64)[number]
