"""Calls by peer and file, waits by lock, and virtual threads that kept their carriers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.recordings import CallKind, Pinned, RecordedCalls, RecordedLock
from mqdiag.read.jfr.distinct import distinct, grouped
from mqdiag.recordings import spans as kinds
from mqdiag.recordings.constants import ThreadKey
from mqdiag.recordings.places import Places
from mqdiag.recordings.spans import Integers, Numbered, Peer, Spans
from mqdiag.recordings.times import instant, ms
from mqdiag.threads.roles import role_of_name
from mqdiag.threads.stack_meaning import StackMeaning

MOST_NAMED = 20
"""threads of a peer, file or lock"""
MOST_ROWS = 50
"""peers, files and locks of each kind that are kept, those with most time first"""
_CALLS: dict[int, CallKind] = {
    kinds.SOCKET_READ: "socket-read",
    kinds.SOCKET_WRITE: "socket-write",
    kinds.FILE_READ: "file-read",
    kinds.FILE_WRITE: "file-write",
    kinds.FILE_FORCE: "file-write",
}


class _Sum(msgspec.Struct):
    """Waits of one kind for one peer, file or class, as they are added up."""

    count: int = 0
    bytes: int = 0
    longest_ns: int = -1
    longest_at_ns: int = 0
    took: list[Integers] = msgspec.field(default_factory=list)
    """nanoseconds of each"""
    threads: dict[int, int] = msgspec.field(default_factory=lambda: defaultdict(int))
    """waits by thread, in the order in which threads come first"""
    owners: Counter[int] = msgspec.field(default_factory=Counter)
    """waits by the thread that had the lock before"""
    stacks: dict[int, int] = msgspec.field(default_factory=lambda: defaultdict(int))
    """nanoseconds by place"""

    @property
    def total_ns(self) -> int:
        """All of them."""
        return sum(self.stacks.values())

    def add(self, spans: Spans, lots: list[int], longest: NDArray[np.int64]) -> None:
        """Take in lots of events, of which the longest ones take so many nanoseconds."""
        own = longest[lots]
        first = int(np.argmax(own))
        if own[first] > self.longest_ns:
            lot = lots[first]
            begin = int(spans.ends[lot - 1]) if lot else 0
            at = begin + int(np.argmax(spans.duration_ns[begin : spans.ends[lot]]))
            self.longest_ns, self.longest_at_ns = int(own[first]), int(spans.start_ns[at])
        took = spans.of_lots(spans.duration_ns, lots, int(own[first]))
        self.count += len(took)
        self.took.append(took)


class Waits:
    """What threads waited for.

    Args:
        whats: peers, files and classes that they name.
        places: their stacks.
    """

    def __init__(self, whats: Numbered, places: Places) -> None:
        self._whats = whats
        self._places = places
        self._sums: dict[int, dict[int, _Sum]] = defaultdict(lambda: defaultdict(_Sum))
        """by kind and by number of the peer, file or class"""

    def add(self, kind: int, spans: Spans) -> None:
        """Take in events of a kind; waits of threads that rest for work to come are no calls."""
        alike = spans.alike
        if kind in _CALLS:
            counted = ~self._each_stack(alike.stack, lambda meaning: meaning.idle)
        elif kind == kinds.PARK:
            # the others are no waits for a lock
            counted = self._each_stack(alike.stack, lambda meaning: meaning.doing == "lock")
        elif kind in (kinds.MONITOR, kinds.PINNED):
            counted = np.ones(len(alike.stack), np.bool_)
        else:
            return
        sums = self._sums[kind]
        lots = np.flatnonzero(counted)
        counts = np.diff(spans.ends, prepend=0)
        begins = spans.ends - counts
        longest = np.maximum.reduceat(spans.duration_ns, begins)
        for what, rows in grouped(alike.what[lots]):
            sums[what].add(spans, lots[rows].tolist(), longest)
        times = np.add.reduceat(spans.duration_ns, begins)
        for what, stack, thread, owner, count, took, size in zip(
            *(
                column[lots].tolist()
                for column in (alike.what, alike.stack, alike.thread, alike.owner, counts, times, spans.bytes)
            ),
            strict=True,
        ):
            sums[what].bytes += size
            sums[what].stacks[stack] += took
            sums[what].threads[thread] += count
            sums[what].owners[owner] += count

    def calls(self, threads: Sequence[ThreadKey]) -> tuple[RecordedCalls, ...]:
        """Calls by peer and file; `threads` by their numbers."""
        rows = ((name, what, one) for kind, name in _CALLS.items() for what, one in self._of(kind))
        found = sorted(rows, key=lambda row: -ms(row[2].total_ns))[:MOST_ROWS]
        with ThreadPoolExecutor(2, "mqdiag-percentiles") as both_cores:
            percentiles = both_cores.map(_half_and_nearly_all, (one for _, _, one in found))
            return tuple(
                self._calls(*row, of_row, threads) for row, of_row in zip(found, percentiles, strict=True)
            )

    def locks(self, threads: Sequence[ThreadKey]) -> tuple[RecordedLock, ...]:
        """Waits for locks by class; parks are those for a lock of java.util.concurrent."""
        found = [self._lock("monitor", what, one, threads) for what, one in self._of(kinds.MONITOR)]
        found += [self._lock("park", what, one, threads) for what, one in self._of(kinds.PARK)]
        return tuple(sorted(found, key=lambda one: -one.total_ms)[:MOST_ROWS])

    def pinned(self) -> Pinned | None:
        """Virtual threads that waited with their carrier; None where there were none."""
        own = next((one for _, one in self._of(kinds.PINNED)), None)
        if own is None:
            return None
        return Pinned(
            count=own.count,
            total_ms=ms(own.total_ns),
            longest_ms=ms(own.longest_ns),
            frame=self._frame(own),
        )

    def _of(self, kind: int) -> Iterator[tuple[object, _Sum]]:
        whats = self._whats.things()
        for number, one in sorted(self._sums[kind].items()):
            yield (whats[number] if number >= 0 else None), one

    def _calls(
        self,
        kind: CallKind,
        what: object,
        own: _Sum,
        percentiles: tuple[int, int],
        threads: Sequence[ThreadKey],
    ) -> RecordedCalls:
        half, nearly_all = percentiles
        peer = what if isinstance(what, Peer) else None
        return RecordedCalls(
            kind=kind,
            host=None if peer is None else peer.host,
            port=None if peer is None else peer.port,
            path=what if isinstance(what, str) else None,
            calls=own.count,
            total_ms=ms(own.total_ns),
            p50_ms=ms(half),
            p99_ms=ms(nearly_all),
            longest_ms=ms(own.longest_ns),
            longest_at=instant(own.longest_at_ns),
            bytes=own.bytes,
            threads=len(own.threads),
            thread_names=_names(own, threads),
            groups=_groups(own, threads),
            frame=self._frame(own),
        )

    def _lock(self, kind: str, what: object, own: _Sum, threads: Sequence[ThreadKey]) -> RecordedLock:
        owners = Counter({owner: count for owner, count in own.owners.items() if owner >= 0})
        most = owners.most_common(1)
        return RecordedLock(
            class_name=what if isinstance(what, str) else None,
            kind="monitor" if kind == "monitor" else "park",
            waits=own.count,
            total_ms=ms(own.total_ns),
            longest_ms=ms(own.longest_ns),
            threads=len(own.threads),
            thread_names=_names(own, threads),
            previous_owners=len(owners),
            previous_owner=threads[most[0][0]].name if most else None,
            frame=self._frame(own),
            groups=_groups(own, threads),
        )

    def _frame(self, own: _Sum) -> str | None:
        """The application's own frame with most of the time."""
        weights: Counter[str] = Counter()
        for place, took in own.stacks.items():
            frame = self._places.own_frame(place)
            if frame is not None:
                weights[frame] += took + 1
        return max(weights, key=weights.__getitem__) if weights else None

    def _each_stack(self, stacks: Integers, holds: Callable[[StackMeaning], bool]) -> NDArray[np.bool_]:
        first, number = distinct(stacks)
        places = stacks[first].tolist()
        return np.array([place != 0 and holds(self._places.meaning(place)) for place in places], np.bool_)[
            number
        ]


def _half_and_nearly_all(own: _Sum) -> tuple[int, int]:
    """Percentiles 50 and 99 of the nanoseconds."""
    half, nearly_all = np.percentile(np.concatenate(own.took), (50, 99), method="nearest", overwrite_input=True)
    return int(half), int(nearly_all)


def _groups(own: _Sum, threads: Sequence[ThreadKey]) -> tuple[str, ...]:
    names = (threads[number].name for number in own.threads if number >= 0)
    return tuple(sorted({group for name in names if (group := role_of_name(name).group)}))


def _names(own: _Sum, threads: Sequence[ThreadKey]) -> tuple[str, ...]:
    most = sorted(own.threads, key=lambda number: -own.threads[number])
    return tuple(threads[number].name for number in most if number >= 0)[:MOST_NAMED]
