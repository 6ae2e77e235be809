"""Classes that the JVM loads: how many it has over time, and which loaders hold them."""

from __future__ import annotations

from collections import Counter

import numpy as np

from mqdiag.facts.recordings import RecordedClasses, RecordedLoaders
from mqdiag.read.jfr.chunk import Chunk
from mqdiag.recordings.constants import Constants, Steps

MOST_ROWS = 10


class ClassCounts:
    """Gathers what chunk after chunk says of classes."""

    def __init__(self) -> None:
        self._counts: list[tuple[int, int, int]] = []
        """(nanoseconds of the epoch, loaded, unloaded), both since the start of the JVM"""
        self._metaspace: list[tuple[int, int]] = []
        self._loaders: list[tuple[str, int]] = []
        """(class of the loader, its classes) of each loader of the last chunk"""

    @property
    def steps(self) -> Steps:
        """What takes in a chunk, step by step: one that fails leaves the others."""
        return self._add_counts, self._add_metaspace, self._add_loaders

    def _add_counts(self, chunk: Chunk, constants: Constants) -> None:
        records = chunk.events("jdk.ClassLoadingStatistics")
        if records is not None:
            self._counts += zip(
                records.nanoseconds("startTime").tolist(),
                records.integers("loadedClassCount").tolist(),
                records.integers("unloadedClassCount").tolist(),
                strict=True,
            )

    def _add_metaspace(self, chunk: Chunk, constants: Constants) -> None:
        records = chunk.events("jdk.MetaspaceSummary", ("startTime", "metaspace.used"))
        if records is not None:
            self._metaspace += zip(
                records.nanoseconds("startTime").tolist(),
                records.integers("metaspace.used").tolist(),
                strict=True,
            )

    def classes(self) -> RecordedClasses | None:
        """What became of them; None where nobody counted twice."""
        if len(self._counts) < 2:
            return None
        counts = sorted(self._counts)
        has = [loaded - unloaded for _, loaded, unloaded in counts]
        return RecordedClasses(
            first=has[0],
            last=has[-1],
            half=has[len(has) // 2] if len(has) > 2 else None,
            unloaded=max(counts[-1][2] - counts[0][2], 0),
            loaders=self._last_loaders(),
            metaspace_bytes=max(self._metaspace)[1] if self._metaspace else None,
        )

    def _add_loaders(self, chunk: Chunk, constants: Constants) -> None:
        records = chunk.events("jdk.ClassLoaderStatistics", ("classLoader", "classCount"))
        if records is None or not len(records):
            return
        # the JVM may count at both ends of a chunk; the last count holds
        keys, last = np.unique(records.integers("classLoader")[::-1], return_index=True)
        counts = records.integers("classCount")[::-1][last].tolist()
        pairs = zip(constants.loader_classes(keys), counts, strict=True)
        self._loaders = [(name, count) for name, count in pairs if name is not None]

    def _last_loaders(self) -> tuple[RecordedLoaders, ...]:
        loaders: Counter[str] = Counter()
        classes: Counter[str] = Counter()
        for name, count in self._loaders:
            loaders[name] += 1
            classes[name] += count
        return tuple(
            RecordedLoaders(class_name=name, loaders=count, classes=classes[name])
            for name, count in loaders.most_common(MOST_ROWS)
            if count > 1
        )
