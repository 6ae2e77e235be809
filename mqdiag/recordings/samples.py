"""Samples of running threads: which ones, when, at which stack."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.jfr.chunk import Chunk
from mqdiag.recordings.constants import Constants, Steps
from mqdiag.recordings.spans import Integers, Numbered, by_key

JAVA, NATIVE = 0, 1
KINDS = {"jdk.ExecutionSample": JAVA, "jdk.NativeMethodSample": NATIVE}


class Samples(NamedTuple):
    """Samples of both kinds by time; each array has one value for each."""

    kind: Integers
    at_ns: Integers
    thread: Integers
    stack: Integers

    def taken(self, where: NDArray[np.bool_] | NDArray[np.int64]) -> Samples:
        """Those for which it holds, or at these places."""
        return Samples(*(column[where] for column in self))


class SampleCollector:
    """Gathers samples of chunk after chunk.

    Args:
        threads: gets the number of each thread.
    """

    def __init__(self, threads: Numbered) -> None:
        self._threads = threads
        self._parts: list[Samples] = []

    @property
    def steps(self) -> Steps:
        """What takes in a chunk, step by step: one that fails leaves the others."""
        return tuple(partial(self._add, name) for name in KINDS)

    def _add(self, name: str, chunk: Chunk, constants: Constants) -> None:
        records = chunk.events(name)
        if records is None or not len(records):
            return
        self._parts.append(
            Samples(
                np.full(len(records), KINDS[name], np.int8),
                records.nanoseconds("startTime"),
                by_key(records.integers("sampledThread"), lambda key: self._threads.of(constants.thread(key))),
                constants.stacks(records.integers("stackTrace")),
            )
        )

    def samples(self) -> Samples:
        """All samples by time."""
        if not self._parts:
            return Samples(*(np.zeros(0, np.int64) for _ in Samples._fields))
        joined = Samples(*(np.concatenate(columns) for columns in zip(*self._parts, strict=True)))
        order = np.argsort(joined.at_ns, kind="stable")
        return Samples(*(column[order] for column in joined))
