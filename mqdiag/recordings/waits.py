"""Calls by peer and file, waits by lock, and virtual threads that kept their carriers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.recordings import CallKind, Pinned, RecordedCalls, RecordedLock
from mqdiag.read.jfr.distinct import distinct
from mqdiag.recordings import spans as kinds
from mqdiag.recordings.constants import ThreadKey
from mqdiag.recordings.places import Places
from mqdiag.recordings.spans import Peer, Spans
from mqdiag.recordings.times import instant, ms
from mqdiag.threads.roles import role_of_name

MOST_ROWS = 50
"""peers, files and locks of each kind that are kept, those with most time first"""
_CALLS: dict[int, CallKind] = {
    kinds.SOCKET_READ: "socket-read",
    kinds.SOCKET_WRITE: "socket-write",
    kinds.FILE_READ: "file-read",
    kinds.FILE_WRITE: "file-write",
    kinds.FILE_FORCE: "file-write",
}


class Waits:
    """What threads waited for.

    Args:
        spans: all events.
        whats: peers, files and classes by number.
        threads: by number.
        places: their stacks.
    """

    def __init__(self, spans: Spans, whats: list[object], threads: list[ThreadKey], places: Places) -> None:
        self._spans = spans
        self._whats = whats
        self._threads = threads
        self._places = places

    def calls(self) -> tuple[RecordedCalls, ...]:
        """Calls by peer and file; waits of threads that rest for work to come are none."""
        found: list[RecordedCalls] = []
        for kind, name in _CALLS.items():
            own = self._spans.of_kind(kind)
            is_work = self._is_work(own)
            own = own if is_work.all() else own.taken(is_work)
            found += [self._calls(name, what, one) for what, one in self._by_what(own)]
        return tuple(sorted(found, key=lambda one: -one.total_ms)[:MOST_ROWS])

    def locks(self) -> tuple[RecordedLock, ...]:
        """Waits for locks by class; parks are those for a lock of java.util.concurrent."""
        monitors = self._spans.of_kind(kinds.MONITOR)
        parks = self._spans.of_kind(kinds.PARK)
        of_locks = self._each_stack(parks.stack, lambda place: self._places.meaning(place).doing == "lock")
        found = [self._lock("monitor", what, one) for what, one in self._by_what(monitors)]
        found += [self._lock("park", what, one) for what, one in self._by_what(parks.taken(of_locks))]
        return tuple(sorted(found, key=lambda one: -one.total_ms)[:MOST_ROWS])

    def pinned(self) -> Pinned | None:
        """Virtual threads that waited with their carrier; None where there were none."""
        own = self._spans.of_kind(kinds.PINNED)
        if not len(own.kind):
            return None
        return Pinned(
            count=len(own.kind),
            total_ms=ms(own.duration_ns.sum()),
            longest_ms=ms(own.duration_ns.max()),
            frame=self._frame(own),
        )

    def _by_what(self, spans: Spans) -> Iterator[tuple[object, Spans]]:
        for number, own in spans.by(spans.what):
            yield (self._whats[number] if number >= 0 else None), own

    def _calls(self, kind: CallKind, what: object, own: Spans) -> RecordedCalls:
        longest = int(np.argmax(own.duration_ns))
        half, nearly_all = np.percentile(own.duration_ns, (50, 99), method="nearest")
        peer = what if isinstance(what, Peer) else None
        return RecordedCalls(
            kind=kind,
            host=None if peer is None else peer.host,
            port=None if peer is None else peer.port,
            path=what if isinstance(what, str) else None,
            calls=len(own.kind),
            total_ms=ms(own.duration_ns.sum()),
            p50_ms=ms(half),
            p99_ms=ms(nearly_all),
            longest_ms=ms(own.duration_ns[longest]),
            longest_at=instant(own.start_ns[longest]),
            bytes=int(own.bytes.sum()),
            threads=len(_present(own.thread)),
            groups=self._groups(own),
            frame=self._frame(own),
        )

    def _lock(self, kind: str, what: object, own: Spans) -> RecordedLock:
        owners = Counter(dict(_counts(own.owner)))
        del owners[-1]
        most = owners.most_common(1)
        return RecordedLock(
            class_name=what if isinstance(what, str) else None,
            kind="monitor" if kind == "monitor" else "park",
            waits=len(own.kind),
            total_ms=ms(own.duration_ns.sum()),
            longest_ms=ms(own.duration_ns.max()),
            threads=len(_present(own.thread)),
            previous_owners=len(owners),
            previous_owner=self._threads[most[0][0]].name if most else None,
            frame=self._frame(own),
            groups=self._groups(own),
        )

    def _groups(self, own: Spans) -> tuple[str, ...]:
        names = (self._threads[number].name for number in _present(own.thread) if number >= 0)
        return tuple(sorted({group for name in names if (group := role_of_name(name).group)}))

    def _frame(self, own: Spans) -> str | None:
        """The application's own frame with most of the time."""
        weights: Counter[str] = Counter()
        first, number = distinct(own.stack)
        times = np.bincount(number, weights=own.duration_ns, minlength=len(first))
        for place, took in zip(own.stack[first].tolist(), times.tolist(), strict=True):
            frame = self._places.own_frame(place)
            if frame is not None:
                weights[frame] += int(took) + 1
        return max(weights, key=weights.__getitem__) if weights else None

    def _is_work(self, own: Spans) -> NDArray[np.bool_]:
        return ~self._each_stack(own.stack, lambda place: self._places.meaning(place).idle)

    def _each_stack(self, stacks: NDArray[np.integer], holds) -> NDArray[np.bool_]:  # type: ignore[no-untyped-def]
        first, number = distinct(stacks)
        return np.array([place != 0 and holds(place) for place in stacks[first].tolist()], np.bool_)[number]


def _counts(numbers: NDArray[np.int32]) -> list[tuple[int, int]]:
    """(a number, how often it is there) of threads, in the order in which each comes first; -1 is none."""
    first, number = distinct(numbers)
    return list(zip(numbers[first].tolist(), np.bincount(number).tolist(), strict=True))


def _present(numbers: NDArray[np.int32]) -> list[int]:
    """The different numbers of threads."""
    return [number for number, _ in _counts(numbers)]
