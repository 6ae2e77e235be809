"""Exceptions and errors: how many were made, of which class, where, and by whose listeners."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import NamedTuple

import numpy as np

from mqdiag.facts.recordings import RecordedError
from mqdiag.knowledge.own_code import is_own
from mqdiag.read.jfr.chunk import Chunk
from mqdiag.read.jfr.distinct import distinct
from mqdiag.recordings.constants import Constants, Steps
from mqdiag.recordings.places import Places
from mqdiag.recordings.times import NS_PER_S
from mqdiag.threads.roles import role_of_name

MOST_ROWS = 20
ERROR, EXCEPTION = "jdk.JavaErrorThrow", "jdk.JavaExceptionThrow"


class _Kind(NamedTuple):
    """Errors of one class made by one thread at one place."""

    class_name: str
    place: int
    thread: str


class Errors:
    """Gathers what chunk after chunk says of exceptions and errors."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._counts: list[tuple[int, int]] = []
        self._made: Counter[_Kind] = Counter()

    @property
    def steps(self) -> Steps:
        """What takes in a chunk, step by step: one that fails leaves the others."""
        return self._add_counts, partial(self._add, ERROR), partial(self._add, EXCEPTION)

    def _add_counts(self, chunk: Chunk, constants: Constants) -> None:
        records = chunk.events("jdk.ExceptionStatistics")
        if records is not None:
            self._counts += zip(
                records.nanoseconds("startTime").tolist(), records.integers("throwables").tolist(), strict=True
            )

    def thrown(self) -> int | None:
        """Exceptions that were made between the first count and the last one."""
        return max(self._counts)[1] - min(self._counts)[1] if len(self._counts) > 1 else None

    def per_second(self) -> float | None:
        """The same for each second between both."""
        if len(self._counts) < 2:
            return None
        (begin, first), (end, last) = min(self._counts), max(self._counts)
        return round((last - first) * NS_PER_S / (end - begin), 2) if end > begin else None

    def errors(self) -> tuple[RecordedError, ...]:
        """Classes of errors and exceptions, those made most often first."""
        totals: Counter[str] = Counter()
        for kind, count in self._made.items():
            totals[kind.class_name] += count
        return tuple(self._of_class(name, count) for name, count in totals.most_common(MOST_ROWS))

    def _of_class(self, name: str, count: int) -> RecordedError:
        frames: Counter[str] = Counter()
        groups: Counter[str] = Counter()
        threads: Counter[str] = Counter()
        by_own_code = 0
        for kind, made in self._made.items():
            if kind.class_name != name:
                continue
            if frame := self._places.own_frame(kind.place):
                frames[frame] += made
            threads[kind.thread] += made
            top = next(iter(self._places.frames(kind.place)), None)
            by_own_code += made if top is not None and is_own(top.partition("(")[0]) else 0
            group = role_of_name(kind.thread).group
            if group and kind.place and self._places.meaning(kind.place).in_listener:
                groups[group] += made
        return RecordedError(
            class_name=name,
            count=count,
            frame=frames.most_common(1)[0][0] if frames else None,
            thread=threads.most_common(1)[0][0] or None,
            groups=tuple(sorted(groups)),
            in_listeners=groups.total(),
            by_own_code=2 * by_own_code > count,
        )

    def _add(self, event: str, chunk: Chunk, constants: Constants) -> None:
        records = chunk.events(event, ("eventThread", "stackTrace", "thrownClass"))
        if records is None or not len(records):
            return
        columns = (
            records.integers("thrownClass"),
            constants.stacks(records.integers("stackTrace")),
            records.integers("eventThread"),
        )
        first, number = distinct(*columns)
        own = (column[first].tolist() for column in columns)
        for class_key, place, thread_key, count in zip(*own, np.bincount(number).tolist(), strict=True):
            name = constants.class_name(class_key) or "?"
            thread = constants.thread(thread_key).name
            self._made[_Kind(name, self._places.without_constructors(place), thread)] += count
