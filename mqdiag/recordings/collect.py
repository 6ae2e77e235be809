"""A recording to facts: each chunk is read once, and let go of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.recordings import Recording
from mqdiag.read.jfr.chunk import Chunk, Problem
from mqdiag.read.jfr.distinct import grouped
from mqdiag.read.jfr.header import OLDER, ChunkHead
from mqdiag.read.jfr.program import UnknownTypeError
from mqdiag.read.jfr.recording import chunks
from mqdiag.read.stacks.body import BodyParser
from mqdiag.read.stacks.records import Sample
from mqdiag.recordings import dumps as thread_dumps
from mqdiag.recordings import samples as sample_kinds
from mqdiag.recordings import spans as span_kinds
from mqdiag.recordings.allocations import EVENTS as ALLOCATED
from mqdiag.recordings.allocations import Allocations
from mqdiag.recordings.budgets import Budgets
from mqdiag.recordings.class_counts import ClassCounts
from mqdiag.recordings.constants import Constants, ThreadKey
from mqdiag.recordings.errors import EXCEPTION, Errors
from mqdiag.recordings.looks import Look, looks_at
from mqdiag.recordings.memory import Memory
from mqdiag.recordings.methods import hot_methods
from mqdiag.recordings.open_waits import standstills
from mqdiag.recordings.places import Places
from mqdiag.recordings.process import OLDER_SETTING, Process
from mqdiag.recordings.samples import SampleCollector, Samples
from mqdiag.recordings.spans import Numbered, SpanCollector, SpansByThread
from mqdiag.recordings.times import NS_PER_MS, NS_PER_S, instant
from mqdiag.recordings.waits import Waits
from mqdiag.threads.borrowed_names import only_named_worker
from mqdiag.threads.roles import CONSUME_WORKER, NamedRole, role_of_name

_SAMPLE_NS = 20 * NS_PER_MS
"""between two samples of Java code, where the settings do not say it"""
JUDGED = (
    *span_kinds.KINDS, *sample_kinds.KINDS, thread_dumps.EVENT,
    "jdk.GarbageCollection", "jdk.GCHeapSummary", "jdk.CPULoad", "jdk.ExceptionStatistics", "jdk.JavaThreadStatistics",
)  # fmt: skip
"""events without which a rule sees less; what only some JDKs have is not among them"""
_ONLY_WHERE_USED = frozenset({"jdk.VirtualThreadPinned"})
_NOT_OF_OLDER = frozenset({"jdk.FileForce", "jdk.NativeMethodSample"})
"""events that version 0.9 does not have"""
OTHERS = (
    "jdk.PromotionFailed", "jdk.EvacuationFailed", "jdk.ConcurrentModeFailure", "jdk.ZAllocationStall",
    "jdk.GCConfiguration", "jdk.GCHeapConfiguration", "jdk.ExecuteVMOperation", "jdk.ThreadAllocationStatistics",
    "jdk.DirectBufferStatistics", "jdk.OldObjectSample", "jdk.JVMInformation", "jdk.LongFlag",
    "jdk.UnsignedLongFlag", "jdk.IntFlag", "jdk.UnsignedIntFlag", "jdk.Shutdown", "jdk.DataLoss", "jdk.ActiveSetting",
    "jdk.ThreadStart", "jdk.ThreadEnd", "jdk.JavaErrorThrow", "jdk.JavaExceptionThrow", "jdk.ContainerConfiguration",
    "jdk.ContainerCPUThrottling", "jdk.SystemGC", "jdk.SafepointBegin", "jdk.ClassLoadingStatistics",
    "jdk.ClassLoaderStatistics", "jdk.MetaspaceSummary", OLDER_SETTING, *ALLOCATED,
)  # fmt: skip
WANTED = frozenset((*JUDGED, *OTHERS))
"""events that are decoded; all others are counted only"""


class Collected(NamedTuple):
    """What a recording holds."""

    facts: Recording
    dumps: list[Sample]
    """thread dumps inside, in the order of time"""
    problems: list[Problem]
    """why not all of it was read"""
    contradictory: bool
    """the clock of a chunk contradicts its events"""


def read_recording(path: str, data: NDArray[np.uint8], check: Callable[[], None] = lambda: None) -> Collected:
    """Read a recording.

    Args:
        path: as the user knows it.
        data: uint8[], its bytes.
        check: asked before each chunk; where it raises an InputError, the reading ends.

    Raises:
        NoChunkError: no chunk of it can be read.
        InputError: of `check`.
    """
    reading = _Reading(path)
    problems: list[Problem] = []
    for chunk in chunks(data, problems, WANTED, span_kinds.COLUMNS):
        check()
        reading.add(chunk)
    whole = all(problem.of_one_type for problem in problems)
    return Collected(reading.facts(whole=whole), reading.dumps(), problems, reading.contradictory)


class _Reading:
    """One recording while it is read."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._places = Places()
        self._threads = Numbered()
        whats = Numbered()
        self._waits = Waits(whats, self._places)
        self._of_threads = SpansByThread(self._threads)
        self._spans = SpanCollector(self._threads, whats, self._waits.add, self._of_threads.add)
        self._samples = SampleCollector(self._threads)
        self._memory = Memory(self._places)
        self._process = Process(self._places)
        self._errors = Errors(self._places)
        self._allocations = Allocations(self._places)
        self._classes = ClassCounts()
        self._dumps: list[tuple[int, Sample]] = []
        self._bodies = BodyParser()
        self._heads: list[ChunkHead] = []
        self._counts: Counter[str] = Counter()
        self.contradictory = False
        self._steps: tuple[Callable[[Chunk, Constants], None], ...] = (
            self._add_workers,
            *self._spans.steps,
            *self._samples.steps,
            *self._memory.steps,
            *self._process.steps,
            *self._errors.steps,
            self._allocations.add,
            *self._classes.steps,
            self._add_dumps,
        )

    def add(self, chunk: Chunk) -> None:
        """Take in a chunk."""
        constants = Constants(chunk, self._places)
        self._heads.append(chunk.head)
        self.contradictory |= chunk.has_two_clocks
        for step in self._steps:
            try:
                step(chunk, constants)
            except UnknownTypeError as error:
                # of a JDK to come, or made up: what other steps read stands
                chunk.problems.append(Problem(chunk.head.start, error.reason, of_one_type=True))
        self._counts.update({name: count for name, (count, _) in chunk.counts.items()})

    def _add_workers(self, chunk: Chunk, constants: Constants) -> None:
        """Consume threads: one that rests, or hangs, all the time makes no event."""
        for thread in constants.threads():
            if role_of_name(thread.name).role == CONSUME_WORKER:
                self._threads.of(thread)

    def _add_dumps(self, chunk: Chunk, constants: Constants) -> None:
        self._dumps += thread_dumps.dumps_in(chunk, self._path, self._bodies)
        del self._dumps[: -thread_dumps.MOST_DUMPS]

    def dumps(self) -> list[Sample]:
        """The thread dumps, with the process that they are of."""
        for _, sample in self._dumps:
            sample.pid = self._process.pid
            sample.jvm = sample.jvm or self._process.jvm
        return [sample for _, sample in self._dumps]

    def facts(self, *, whole: bool) -> Recording:
        """Everything that rules read.

        Args:
            whole: whether no part of the file is missing or damaged. A JVM writes events thread by thread: where a part
                is missing, no lack of an event shows that a wait went on, nor what a thread did with its time.
        """
        samples = self._samples.samples()
        threads = [one for one in self._threads.things() if isinstance(one, ThreadKey)]
        begin, end = self._window(samples)
        seconds = (end - begin) / NS_PER_S
        process, memory = self._process, self._memory
        thresholds = process.thresholds_ms()
        period = process.period_ns("jdk.ExecutionSample", _SAMPLE_NS)
        budgets = Budgets(threads, self._places, period, thresholds, memory.allocated())
        looks = looks_at(threads, samples, self._places, self._dumps)
        workers = self._workers(threads, samples, looks)
        of_groups = (
            budgets.of_groups(self._of_threads, samples, looks, workers, (begin, end), self._lives(begin, end))
            if whole
            else ()
        )
        counts = process.thread_counts()
        direct = sorted(memory.direct)
        cpu, machine = process.cpu_shares()
        enabled = process.enabled()
        is_older = any(head.version[0] == OLDER for head in self._heads)
        unknown = _ONLY_WHERE_USED | _NOT_OF_OLDER if is_older else _ONLY_WHERE_USED
        return Recording(
            path=self._path,
            jvm=process.jvm,
            pid=process.pid,
            began_at=instant(begin),
            ended_at=instant(end),
            seconds=round(seconds, 3),
            chunks=len(self._heads),
            events=self._counts.total(),
            thresholds_ms={name: took for name, took in thresholds.items() if name in WANTED},
            not_recorded=tuple(
                name for name in JUDGED if not (name in enabled or self._counts[name] or name in unknown)
            ),
            lost_bytes=process.lost_bytes,
            dumps=len(self._dumps),
            calls=self._waits.calls(threads),
            locks=self._waits.locks(threads),
            budgets=of_groups,
            threads=budgets.threads(),
            time_by_call=budgets.time_by_call(),
            standstills=standstills(
                budgets.open_waits, Counter(named.pool for named in workers.values() if named.pool)
            ),
            hot_methods=hot_methods(samples, threads, self._places),
            errors=self._errors.errors(),
            thrown=self._errors.thrown(),
            thrown_per_second=self._errors.per_second(),
            exceptions_recorded=EXCEPTION in enabled,
            allocations=self._allocations.allocations(),
            collections=memory.collections(seconds),
            pauses=memory.pauses(),
            stops=memory.stops(),
            classes=self._classes.classes(),
            heap=memory.heap(begin),
            allocated_bytes_per_second=memory.allocation_rate(),
            container=process.container(),
            cpu_share=cpu,
            machine_cpu_share=machine,
            threads_first=None if counts is None else counts[0],
            threads_last=None if counts is None else counts[1],
            thread_starts=process.thread_starts(),
            direct_bytes_first=direct[0][1] if direct else None,
            direct_bytes_last=direct[-1][1] if direct else None,
            direct_buffers=direct[-1][2] if direct else None,
            direct_limit_bytes=direct[-1][3] or None if direct else None,
            old_objects=memory.old_objects(),
            pinned=self._waits.pinned(),
            flags=process.flags,
            shutdown=process.shutdown,
            shutdown_by=process.shutdown_by,
            shutdown_frame=process.shutdown_frame,
        )

    def _window(self, samples: Samples) -> tuple[int, int]:
        """Begin and end; of a chunk that the JVM had not finished, the last event is the end."""
        begin = min((head.start_ns for head in self._heads), default=0)
        end = max((head.start_ns + head.duration_ns for head in self._heads), default=begin)
        if any(head.is_open for head in self._heads):
            end = max(end, self._spans.last_ns, int(samples.at_ns.max(initial=0)))
        return begin, max(begin, end)

    def _lives(self, begin: int, end: int) -> dict[int, tuple[int, int]]:
        """Begin and end of threads, by their number, of those that did not live all the time."""
        return {
            self._threads.of(thread): (max(first or begin, begin), min(last or end, end))
            for thread, (first, last) in self._process.lives.items()
            if thread in self._threads.numbers
        }

    def _workers(
        self, threads: list[ThreadKey], samples: Samples, looks: Mapping[int, list[Look]]
    ) -> dict[int, NamedRole]:
        """What the names of consume threads say, by number, without threads whose stacks deny the name."""
        samples_of = dict(grouped(samples.thread))
        none = np.zeros(0, np.int64)
        found = {}
        for number, thread in enumerate(threads):
            named = role_of_name(thread.name)
            if named.role != CONSUME_WORKER:
                continue
            sampled = samples.stack[samples_of.get(number, none)]
            places = self._of_threads.stacks(number).union(sampled.tolist())
            recorded = (self._places.meaning(place) for place in places if place)
            seen = (look.meaning for look in looks.get(number, ()))
            if not only_named_worker(chain(recorded, seen)):
                found[number] = named
        return found
