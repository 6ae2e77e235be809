"""Where threads make objects, by samples that stand for the bytes made since the one before."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from mqdiag.facts.recordings import Allocated
from mqdiag.read.jfr.chunk import Chunk
from mqdiag.read.jfr.distinct import distinct
from mqdiag.read.jfr.records import Records
from mqdiag.recordings.constants import Constants
from mqdiag.recordings.places import Places
from mqdiag.threads.roles import role_of_name

MOST_ROWS = 20
SAMPLE = "jdk.ObjectAllocationSample"
EVENTS = {
    SAMPLE: "weight",
    "jdk.ObjectAllocationInNewTLAB": "tlabSize",
    "jdk.ObjectAllocationOutsideTLAB": "allocationSize",
}
"""with the column of the bytes that an event stands for; JDK 16 and later have the first one"""


class Allocations:
    """Gathers what chunk after chunk says of new objects."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._bytes: dict[tuple[str, str, int], int] = defaultdict(int)
        """by class, thread and place"""
        self._known: set[str] = set()
        """threads of which a sample was seen"""

    def add(self, chunk: Chunk, constants: Constants) -> None:
        """Take in a chunk; where both forms were on, the samples count."""
        for event, weight in EVENTS.items():
            records = chunk.events(event, ("startTime", "eventThread", "stackTrace", "objectClass", weight))
            if records is None or not len(records):
                continue
            if event == SAMPLE:
                records = self._without_first(records, constants)
            columns = (
                records.integers("objectClass"),
                records.integers("eventThread"),
                constants.stacks(records.integers("stackTrace")),
            )
            first, number = distinct(*columns)
            sizes = np.bincount(number, weights=np.maximum(records.integers(weight), 0)).tolist()
            own = (column[first].tolist() for column in columns)
            for class_key, thread_key, place, size in zip(*own, sizes, strict=True):
                name = constants.class_name(class_key) or "?"
                self._bytes[(name, constants.thread(thread_key).name, place)] += int(size)
            if event == SAMPLE:
                return

    def _without_first(self, records: Records, constants: Constants) -> Records:
        """All but the first sample of each thread, which stands for all that it made since it began."""
        order = np.argsort(records.nanoseconds("startTime"), kind="stable")
        own = records.taken(order)
        threads = own.integers("eventThread")
        first, _ = distinct(threads)
        names = [constants.thread(key).name for key in threads[first].tolist()]
        new = [name not in self._known for name in names]
        self._known.update(names)
        keep = np.ones(len(own), np.bool_)
        keep[first[np.array(new, np.bool_)]] = False
        return own.taken(np.flatnonzero(keep))

    def allocations(self) -> tuple[Allocated, ...]:
        """Places by the application's own frame, those with most bytes first."""
        by_frame: dict[str, Counter[str]] = defaultdict(Counter)
        groups: dict[str, set[str]] = defaultdict(set)
        for (name, thread, place), size in self._bytes.items():
            frame = self._places.shown_frame(place)
            by_frame[frame][name] += size
            group = role_of_name(thread).group
            if group and place and self._places.meaning(place).in_listener:
                groups[frame].add(group)
        total = sum(self._bytes.values())
        found = [
            Allocated(
                frame=frame,
                class_name=sizes.most_common(1)[0][0],
                bytes=sizes.total(),
                share=round(sizes.total() / total, 4),
                groups=tuple(sorted(groups[frame])),
            )
            for frame, sizes in by_frame.items()
            if total
        ]
        return tuple(sorted(found, key=lambda one: (-one.bytes, one.frame))[:MOST_ROWS])
