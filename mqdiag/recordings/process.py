"""The JVM as a whole: what it is, its limits, processors and threads."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import partial

import numpy as np

from mqdiag.facts.recordings import GrownThreads, RecordedContainer
from mqdiag.facts.vocabulary import ShutdownBegan
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.jfr.chunk import Chunk
from mqdiag.recordings.constants import Constants, Steps, ThreadKey
from mqdiag.recordings.places import Places
from mqdiag.recordings.times import NS_PER_MS
from mqdiag.threads.shutdown import EXIT, HANDLER

MOST_ROWS = 20
_FLAG_EVENTS = ("jdk.LongFlag", "jdk.UnsignedLongFlag", "jdk.IntFlag", "jdk.UnsignedIntFlag")
_FLAGS = frozenset(
    {"MaxHeapSize", "InitialHeapSize", "MaxDirectMemorySize", "MaxMetaspaceSize", "ThreadStackSize"}
)
OLDER_SETTING = "oracle.RecordingSetting"
LAST_THREAD = "No remaining non-daemon Java threads"
"""the reason of jdk.Shutdown after the last thread's end: Threads::destroy_vm of HotSpot"""
_NUMBER = lazy_pattern(r"\d+")
_PERIOD = lazy_pattern(r"(\d+) *(ns|us|ms|s|m|h|d)")
_NS = {"ns": 1, "us": 1000, "ms": NS_PER_MS, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9, "d": 86400 * 10**9}


class Process:
    """Gathers what chunk after chunk says of the JVM."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self.jvm: str | None = None
        self.pid: int | None = None
        self.flags: dict[str, int] = {}
        self.settings: dict[str, dict[str, str]] = defaultdict(dict)
        """by type of event: its settings"""
        self.shutdown: str | None = None
        self.shutdown_by: ShutdownBegan | None = None
        self.shutdown_frame: str | None = None
        self.lost_bytes = 0
        self.lives: dict[ThreadKey, list[int | None]] = {}
        """begin and end of threads that did not live all the time"""
        self._starts: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._ends: Counter[str] = Counter()
        self._counts: list[tuple[int, int]] = []
        self._cpu: list[tuple[float, float]] = []
        self._container: RecordedContainer | None = None
        self._throttling: list[tuple[int, int, int, int]] = []

    @property
    def steps(self) -> Steps:
        """What takes in a chunk, step by step: one that fails leaves the others."""
        return (
            self._add_jvm,
            *(partial(self._add_flags, event) for event in _FLAG_EVENTS),
            self._add_lost,
            self._add_settings,
            self._add_older_settings,
            partial(self._add_threads, "jdk.ThreadStart"),
            partial(self._add_threads, "jdk.ThreadEnd"),
            self._add_counts,
            self._add_end,
            self._add_load,
            self._add_container,
            self._add_throttling,
        )

    def period_ns(self, event: str, default_ns: int) -> int:
        """How often an event is made."""
        return _duration_ns(self.settings.get(event, {}).get("period", "")) or default_ns

    def thresholds_ms(self) -> dict[str, float]:
        """By type of event that was on: how long it must last to be written."""
        return {
            name: (_duration_ns(one["threshold"]) or 0) / NS_PER_MS
            for name, one in sorted(self.settings.items())
            if one.get("enabled") == "true" and "threshold" in one
        }

    def enabled(self) -> frozenset[str]:
        """Types of events that were on."""
        return frozenset(name for name, one in self.settings.items() if one.get("enabled") == "true")

    def thread_counts(self) -> tuple[int, int] | None:
        """Living threads at the begin and at the end; None where nobody counted twice."""
        return (min(self._counts)[1], max(self._counts)[1]) if len(self._counts) > 1 else None

    def thread_starts(self) -> tuple[GrownThreads, ...]:
        """Threads that were started, by their name without numbers."""
        found = []
        for name, starts in self._starts.items():
            frames = Counter(frame for _, place in starts if (frame := self._places.own_frame(place)))
            found.append(
                GrownThreads(
                    thread=name,
                    started=len(starts),
                    ended=self._ends[name],
                    frame=frames.most_common(1)[0][0] if frames else None,
                )
            )
        return tuple(sorted(found, key=lambda one: one.ended - one.started)[:MOST_ROWS])

    def cpu_shares(self) -> tuple[float | None, float | None]:
        """Share of all processors that the JVM used, and that all processes of the machine used."""
        if not self._cpu:
            return None, None
        own, machine = (float(np.mean(column)) for column in zip(*self._cpu, strict=True))
        return round(own, 4), round(machine, 4)

    def container(self) -> RecordedContainer | None:
        """Limits of the container with what they did; None where the recording has neither."""
        if self._container is None or len(self._throttling) < 2:
            return self._container
        first, last = min(self._throttling), max(self._throttling)
        return RecordedContainer(
            type=self._container.type,
            processors=self._container.processors,
            memory_bytes=self._container.memory_bytes,
            periods=max(last[1] - first[1], 0),
            throttled_periods=max(last[2] - first[2], 0),
            throttled_ms=round(max(last[3] - first[3], 0) / NS_PER_MS, 3),
        )

    def _add_jvm(self, chunk: Chunk, constants: Constants) -> None:
        records = chunk.events("jdk.JVMInformation")
        if records is not None and len(records):
            self.pid = int(records.integers("pid")[-1]) if records.has("pid") else self.pid
            name, version = records.texts("jvmName")[-1], records.texts("jvmVersion")[-1]
            told = (version or "").partition(" for ")[0]
            self.jvm = " ".join(filter(None, (name, told.rpartition("(")[2].rstrip(")")))) or None

    def _add_flags(self, event: str, chunk: Chunk, constants: Constants) -> None:
        flags = chunk.events(event)
        if flags is not None:
            values = zip(flags.texts("name"), flags.integers("value").tolist(), strict=True)
            self.flags |= {name: value for name, value in values if name in _FLAGS}

    def _add_lost(self, chunk: Chunk, constants: Constants) -> None:
        lost = chunk.events("jdk.DataLoss")
        if lost is not None and len(lost):
            self.lost_bytes += int(lost.integers("amount").sum())

    def _add_end(self, chunk: Chunk, constants: Constants) -> None:
        ends = chunk.events("jdk.Shutdown")
        if ends is None or not len(ends):
            return
        self.shutdown = ends.texts("reason")[-1]
        self.shutdown_by, self.shutdown_frame = None, None
        if self.shutdown == LAST_THREAD:
            self.shutdown_by = "last-thread"
        elif ends.has("stackTrace"):
            place = int(constants.stacks(ends.integers("stackTrace"))[-1])
            methods = {frame.partition("(")[0].partition(":")[0] for frame in self._places.frames(place)}
            self.shutdown_by = "signal" if HANDLER in methods else "exit" if EXIT in methods else None
            self.shutdown_frame = self._places.own_frame(place)

    def _add_settings(self, chunk: Chunk, constants: Constants) -> None:
        records = chunk.events("jdk.ActiveSetting")
        if records is None:
            return
        for number, name, value in zip(
            records.integers("id").tolist(), records.texts("name"), records.texts("value"), strict=True
        ):
            kind = chunk.types.get(number)
            if kind is not None and name is not None and value is not None:
                self.settings[kind.name][name] = value

    def _add_older_settings(self, chunk: Chunk, constants: Constants) -> None:
        """Those of version 0.9, which has all of a type in one event."""
        records = chunk.events(OLDER_SETTING)
        if records is None:
            return
        for number, enabled, threshold_ns, period_ns in zip(
            records.integers("id").tolist(),
            records.integers("enabled").tolist(),
            records.nanoseconds("threshold").tolist(),
            records.nanoseconds("period").tolist(),
            strict=True,
        ):
            kind = chunk.types.get(number)
            if kind is not None:
                own = self.settings[kind.name]
                own["enabled"] = "true" if enabled else "false"
                if kind.has("duration"):
                    own["threshold"] = f"{max(threshold_ns, 0)} ns"
                if period_ns > 0:
                    own["period"] = f"{period_ns} ns"

    def _add_threads(self, event: str, chunk: Chunk, constants: Constants) -> None:
        records = chunk.events(event)
        if records is None or not len(records):
            return
        starts = event == "jdk.ThreadStart"
        stacks = (
            constants.stacks(records.integers("stackTrace")).tolist()
            if records.has("stackTrace")
            else [0] * len(records)
        )
        for at, key, stack in zip(
            records.nanoseconds("startTime").tolist(), records.integers("thread").tolist(), stacks, strict=True
        ):
            thread = constants.thread(key)
            if not thread.name:
                continue
            self.lives.setdefault(thread, [None, None])[0 if starts else 1] = at
            kind = _NUMBER.sub("#", thread.name)
            if starts:
                self._starts[kind].append((at, stack))
            else:
                self._ends[kind] += 1

    def _add_counts(self, chunk: Chunk, constants: Constants) -> None:
        records = chunk.events("jdk.JavaThreadStatistics")
        if records is not None:
            self._counts += zip(
                records.nanoseconds("startTime").tolist(), records.integers("activeCount").tolist(), strict=True
            )

    def _add_load(self, chunk: Chunk, constants: Constants) -> None:
        records = chunk.events("jdk.CPULoad")
        if records is not None:
            own = records.floats("jvmUser") + records.floats("jvmSystem")
            self._cpu += zip(own.tolist(), records.floats("machineTotal").tolist(), strict=True)

    def _add_container(self, chunk: Chunk, constants: Constants) -> None:
        records = chunk.events("jdk.ContainerConfiguration")
        if records is not None and len(records):
            quota, period = (int(records.integers(name)[-1]) for name in ("cpuQuota", "cpuSlicePeriod"))
            memory = int(records.integers("memoryLimit")[-1])
            self._container = RecordedContainer(
                type=records.texts("containerType")[-1],
                processors=round(quota / period, 3) if quota > 0 and period > 0 else None,
                memory_bytes=memory if memory > 0 else None,
            )

    def _add_throttling(self, chunk: Chunk, constants: Constants) -> None:
        records = chunk.events("jdk.ContainerCPUThrottling")
        if records is not None:
            self._throttling += zip(
                records.nanoseconds("startTime").tolist(),
                records.integers("cpuElapsedSlices").tolist(),
                records.integers("cpuThrottledSlices").tolist(),
                records.nanoseconds("cpuThrottledTime").tolist(),
                strict=True,
            )


def _duration_ns(text: str) -> int | None:
    """A setting such as "20 ms"; None for one that is no duration, such as "everyChunk"."""
    found = _PERIOD.fullmatch(text.strip())
    return None if found is None else int(found[1]) * _NS[found[2]]
