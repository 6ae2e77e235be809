"""Memory and the collector: pauses, use of the heap, objects that may leak, buffers outside of the heap."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from mqdiag.facts.recordings import OldObject, RecordedCollections, RecordedPause, RecordedStops
from mqdiag.read.jfr.chunk import Chunk
from mqdiag.read.jfr.records import Records
from mqdiag.recordings.constants import Constants, Steps
from mqdiag.recordings.places import Places
from mqdiag.recordings.times import NS_PER_S, instant, ms

MOST_PAUSES = 20
MOST_HEAP_POINTS = 500
MOST_PATH = 12
"""objects of a path to a root that are shown"""
_OLD = ("Old", "Full", "MarkSweep", "SerialOld", "ParallelOld", "G1Full")
"""parts of names of collectors of the old generation"""
_FAILURES = ("jdk.PromotionFailed", "jdk.EvacuationFailed", "jdk.ConcurrentModeFailure")
_HUMONGOUS = "G1 Humongous Allocation"
_ASKED = "System.gc()"
_FOR_DIRECT = "java.nio.Bits.reserveMemory"


class Memory:
    """Gathers what chunk after chunk says of memory."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._pauses: list[tuple[int, int, str]] = []
        self._collector: str | None = None
        self._old = self._humongous = self._failures = self._stalls = 0
        self._knows_causes = False
        self._asked: list[int] = []
        """nanoseconds of the pauses that System.gc() asked for"""
        self._callers: Counter[int] = Counter()
        """places that called it"""
        self._heap: list[tuple[int, int]] = []
        self.heap_max: int | None = None
        self._old_objects: dict[str, list[tuple[int, int, tuple[str, ...], str | None]]] = defaultdict(list)
        self.direct: list[tuple[int, int, int, int]] = []
        """(nanoseconds of the epoch, bytes used, buffers, bytes that the JVM allows)"""
        self._operations: list[tuple[int, int, str]] = []
        self._stops: list[tuple[int, int]] = []
        """(nanoseconds that it took until all threads stood still, nanoseconds of the epoch)"""
        self._allocated: dict[int, list[tuple[int, int]]] = defaultdict(list)

    @property
    def steps(self) -> Steps:
        """What takes in a chunk, step by step: one that fails leaves the others."""
        return (
            self._add_collections,
            self._add_callers,
            self._add_collector,
            self._add_heap,
            self._add_heap_max,
            self._add_old_objects,
            self._add_stops,
            self._add_operations,
            self._add_allocated,
            self._add_direct,
        )

    def _add_allocated(self, chunk: Chunk, constants: Constants) -> None:
        records = chunk.events("jdk.ThreadAllocationStatistics")
        if records is not None:
            for at, size, key in zip(
                records.nanoseconds("startTime").tolist(),
                records.integers("allocated").tolist(),
                records.integers("thread").tolist(),
                strict=True,
            ):
                self._allocated[constants.thread(key).java_id].append((at, size))

    def _add_direct(self, chunk: Chunk, constants: Constants) -> None:
        records = chunk.events("jdk.DirectBufferStatistics")
        if records is not None:
            self.direct += zip(
                records.nanoseconds("startTime").tolist(),
                records.integers("memoryUsed").tolist(),
                records.integers("count").tolist(),
                records.integers("maxCapacity").tolist(),
                strict=True,
            )

    def collections(self, seconds: float) -> RecordedCollections | None:
        """What the collector did; None where no collection was recorded."""
        if not self._pauses:
            return None
        longest = max(self._pauses, key=lambda one: one[1])
        paused = sum(took for _, took, _ in self._pauses)
        return RecordedCollections(
            collector=self._collector,
            collections=len(self._pauses),
            old_collections=self._old,
            pause_ms=ms(paused),
            longest_pause_ms=ms(longest[1]),
            longest_at=instant(longest[0]),
            pause_share=round(min(paused / NS_PER_S / seconds, 1.0), 4) if seconds else 0.0,
            heap_after_bytes=max(self._heap)[1] if self._heap else None,
            heap_max_bytes=self.heap_max,
            failed_promotions=self._failures,
            allocation_stalls=self._stalls,
            humongous=self._humongous if self._knows_causes else None,
            asked=len(self._asked),
            asked_pause_ms=ms(sum(self._asked)),
            asked_for_direct=sum(
                count
                for place, count in self._callers.items()
                if any(frame.startswith(_FOR_DIRECT) for frame in self._places.frames(place))
            ),
            asked_frame=self._asked_frame(),
        )

    def _asked_frame(self) -> str | None:
        frames = Counter[str]()
        for place, count in self._callers.items():
            if frame := self._places.own_frame(place):
                frames[frame] += count
        return frames.most_common(1)[0][0] if frames else None

    def pauses(self) -> tuple[RecordedPause, ...]:
        """The longest stops of all threads: collections, and other operations at a safepoint."""
        found = sorted((*self._pauses, *self._operations), key=lambda one: -one[1])[:MOST_PAUSES]
        return tuple(
            RecordedPause(at=instant(at), ms=ms(took), operation=name) for at, took, name in found if took
        )

    def stops(self) -> RecordedStops | None:
        """How long the JVM waited for its threads to stop; None where no event tells."""
        if not self._stops:
            return None
        took, at = max(self._stops)
        return RecordedStops(
            count=len(self._stops),
            total_ms=ms(sum(took for took, _ in self._stops)),
            longest_ms=ms(took),
            longest_at=instant(at),
        )

    def heap(self, begin_ns: int) -> tuple[tuple[float, int], ...]:
        """(seconds since the begin, bytes in use) after collections, thinned out evenly."""
        points = sorted(self._heap)
        step = max(1, -(-len(points) // MOST_HEAP_POINTS))
        return tuple((round((at - begin_ns) / NS_PER_S, 3), used) for at, used in points[::step])

    def allocation_rate(self) -> float | None:
        """Bytes a second that threads made; None where no thread was counted twice."""
        total = span = 0
        for counts in self._allocated.values():
            first, last = min(counts), max(counts)
            total += max(last[1] - first[1], 0)
            span = max(span, last[0] - first[0])
        return round(total / (span / NS_PER_S), 1) if span else None

    def allocated(self) -> dict[int, int]:
        """Bytes that each thread made between its first and last count, by java id; of those counted twice."""
        return {
            java_id: max(counts)[1] - min(counts)[1]
            for java_id, counts in self._allocated.items()
            if len(counts) > 1
        }

    def old_objects(self) -> tuple[OldObject, ...]:
        """Samples of objects that still live, by class; those with most samples first."""
        found = []
        for name, samples in self._old_objects.items():
            frames = Counter(frame for _, place, _, _ in samples if (frame := self._places.own_frame(place)))
            paths = Counter((path, root) for _, _, path, root in samples if path)
            path, root = paths.most_common(1)[0][0] if paths else ((), None)
            found.append(
                OldObject(
                    class_name=name,
                    samples=len(samples),
                    oldest_seconds=round(max(age for age, *_ in samples) / NS_PER_S, 3),
                    frame=frames.most_common(1)[0][0] if frames else None,
                    path=path,
                    root=root,
                )
            )
        return tuple(sorted(found, key=lambda one: (-one.samples, one.class_name))[:MOST_PAUSES])

    def _add_collections(self, chunk: Chunk, constants: Constants) -> None:
        records = chunk.events("jdk.GarbageCollection")
        if records is not None:
            pauses = (
                records.nanoseconds("sumOfPauses")
                if records.has("sumOfPauses")
                else records.nanoseconds("duration")
            )
            names, causes = records.integers("name").tolist(), records.integers("cause").tolist()
            for at, took, name_key, cause_key in zip(
                records.nanoseconds("startTime").tolist(), pauses.tolist(), names, causes, strict=True
            ):
                name = constants.text("jdk.types.GCName", name_key) or "collection"
                cause = constants.text("jdk.types.GCCause", cause_key) or ""
                self._pauses.append((at, max(took, 0), name))
                self._old += any(part in name for part in _OLD)
                self._humongous += cause == _HUMONGOUS
                if cause == _ASKED:
                    self._asked.append(max(took, 0))
                self._knows_causes = True
        for name in _FAILURES:
            self._failures += chunk.counts.get(name, (0, 0))[0]
        self._stalls += chunk.counts.get("jdk.ZAllocationStall", (0, 0))[0]

    def _add_callers(self, chunk: Chunk, constants: Constants) -> None:
        calls = chunk.events("jdk.SystemGC")
        if calls is not None and len(calls):
            self._callers.update(constants.stacks(calls.integers("stackTrace")).tolist())

    def _add_collector(self, chunk: Chunk, constants: Constants) -> None:
        configuration = chunk.events("jdk.GCConfiguration")
        if configuration is not None and len(configuration):
            keys = [int(configuration.integers(name)[-1]) for name in ("youngCollector", "oldCollector")]
            names = [constants.text("jdk.types.GCName", key) for key in keys]
            self._collector = " / ".join(name for name in names if name) or None

    def _add_heap(self, chunk: Chunk, constants: Constants) -> None:
        records = chunk.events("jdk.GCHeapSummary")
        if records is not None:
            for at, used, when in zip(
                records.nanoseconds("startTime").tolist(),
                records.integers("heapUsed").tolist(),
                records.integers("when").tolist(),
                strict=True,
            ):
                if (constants.text("jdk.types.GCWhen", when) or "").startswith("After"):
                    self._heap.append((at, used))

    def _add_heap_max(self, chunk: Chunk, constants: Constants) -> None:
        configuration = chunk.events("jdk.GCHeapConfiguration")
        if configuration is not None and len(configuration):
            self.heap_max = int(configuration.integers("maxSize")[-1])

    def _add_stops(self, chunk: Chunk, constants: Constants) -> None:
        stops = chunk.events("jdk.SafepointBegin", ("startTime", "duration"))
        if stops is not None:
            self._stops += zip(
                stops.nanoseconds("duration").tolist(), stops.nanoseconds("startTime").tolist(), strict=True
            )

    def _add_operations(self, chunk: Chunk, constants: Constants) -> None:
        records = chunk.events("jdk.ExecuteVMOperation")
        if records is None:
            return
        still = records.integers("safepoint") != 0 if records.has("safepoint") else np.ones(len(records), bool)
        own = records.taken(np.flatnonzero(still))
        for at, took, key in zip(
            own.nanoseconds("startTime").tolist(),
            own.nanoseconds("duration").tolist(),
            own.integers("operation").tolist(),
            strict=True,
        ):
            name = constants.text("jdk.types.VMOperationType", key) or "operation"
            # collections are there as such
            if not name.startswith(("G1", "GenCollect", "ParallelGC", "Z", "CollectFor", "GC_")):
                self._operations.append((at, took, name))

    def _add_old_objects(self, chunk: Chunk, constants: Constants) -> None:
        records = chunk.events("jdk.OldObjectSample")
        pool = chunk.constants_of("jdk.types.OldObject")
        if records is None or pool is None or not len(records):
            return
        rows = pool.rows_of(records.integers("object"))
        stacks = constants.stacks(records.integers("stackTrace"))
        ends = records.nanoseconds("startTime")
        ages = (
            records.nanoseconds("objectAge")
            if records.has("objectAge")
            else ends - records.nanoseconds("allocationTime")
        )
        roots = records.integers("root").tolist() if records.has("root") else [0] * len(records)
        paths = _Paths(chunk, constants, pool.records)
        for row, place, age, root in zip(rows.tolist(), stacks.tolist(), ages.tolist(), roots, strict=True):
            if row < 0:
                continue
            name = constants.class_name(int(pool.records.integers("type")[row])) or "?"
            path, top = paths.of(row, root)
            self._old_objects[name].append((age, place, path, top))


class _Paths:
    """Paths from old objects to roots."""

    def __init__(self, chunk: Chunk, constants: Constants, objects: Records) -> None:
        self._constants = constants
        self._objects = objects
        self._pool = chunk.constants_of("jdk.types.OldObject")
        self._references = chunk.constants_of("jdk.types.Reference")
        self._fields = chunk.constants_of("jdk.types.OldObjectField")
        self._roots = chunk.constants_of("jdk.types.OldObjectGcRoot")

    def of(self, row: int, root_key: int) -> tuple[tuple[str, ...], str | None]:
        """(classes and fields from what holds the object up to the root, the root); empty without a referrer."""
        path: list[str] = []
        seen = {row}
        while len(path) < MOST_PATH and self._references is not None and self._pool is not None:
            reference = self._row(self._references, int(self._objects.integers("referrer")[row]))
            if reference < 0:
                break
            holder = self._row(self._pool, int(self._references.records.integers("object")[reference]))
            if holder < 0 or holder in seen:
                break
            path.append(self._step(holder, reference))
            seen.add(holder)
            row = holder
        return tuple(path), self._root(root_key)

    def _step(self, holder: int, reference: int) -> str:
        name = self._constants.class_name(int(self._objects.integers("type")[holder])) or "?"
        assert self._references is not None
        field = -1
        if self._fields is not None and self._references.records.has("field"):
            field = self._row(self._fields, int(self._references.records.integers("field")[reference]))
        own = self._fields.text("name", field) if self._fields is not None and field >= 0 else None
        return f"{name}.{own}" if own else name

    def _root(self, key: int) -> str | None:
        if self._roots is None:
            return None
        row = self._row(self._roots, key)
        if row < 0 or not self._roots.records.has("system"):
            return None
        return self._constants.text(
            "jdk.types.OldObjectRootSystem", int(self._roots.records.integers("system")[row])
        )

    @staticmethod
    def _row(pool, key: int) -> int:  # type: ignore[no-untyped-def]
        return int(pool.row(key)) if key else -1
