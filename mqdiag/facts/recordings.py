"""What recordings of Java Flight Recorder say of a JVM: calls, locks, time of consume threads, memory, limits.

A duration is of events that have ended: a call that hangs until the recording's end has none. Events shorter than the
threshold of their type are not written, so counts are of those beyond it.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from mqdiag.facts.redaction import Address, Excerpt, Public, ThreadName
from mqdiag.facts.stacks import CallNode, Standstill
from mqdiag.facts.vocabulary import Doing, Role, ShutdownBegan

CallKind = Literal["socket-read", "socket-write", "file-read", "file-write"]
"""What was read or written."""


class RecordedCalls(msgspec.Struct, frozen=True, kw_only=True):
    """Calls to one peer or file that took longer than the threshold."""

    kind: CallKind
    host: Address | None = None
    """as the application named it, with its address where both are known"""
    port: int | None = None
    path: Excerpt | None = None
    """a file as the application named it"""
    calls: int
    total_ms: float
    p50_ms: float
    p99_ms: float
    longest_ms: float
    longest_at: Public
    bytes: int
    threads: int
    thread_names: tuple[ThreadName, ...] = ()
    """at most 20, those with most calls first"""
    groups: tuple[Public, ...] = ()
    """consumer groups whose listeners made them"""
    frame: Public | None = None
    """the application's own frame of most of them"""


class RecordedLock(msgspec.Struct, frozen=True, kw_only=True):
    """Waits for monitors or java.util.concurrent locks of one class."""

    class_name: Public | None
    kind: Literal["monitor", "park"]
    waits: int
    total_ms: float
    longest_ms: float
    threads: int
    thread_names: tuple[ThreadName, ...] = ()
    """at most 20, those with most waits first"""
    previous_owners: int = 0
    """threads that had it before one of the waits"""
    previous_owner: ThreadName | None = None
    """the one that had it most often; None where the events do not tell"""
    frame: Public | None = None
    """the application's own frame of most of the waits"""
    groups: tuple[Public, ...] = ()


class ThreadBudget(msgspec.Struct, frozen=True, kw_only=True):
    """What the consume threads of a group did with their time; the parts sum to `wall_ms`."""

    group: Public
    threads: int
    wall_ms: float
    """time that the threads lived within the recording, together"""
    idle_ms: float
    """they waited for messages"""
    running_ms: float
    """samples in Java code, times their period"""
    native_ms: float
    """native code that is no wait, by looks at the threads"""
    socket_ms: float
    file_ms: float
    lock_ms: float
    park_ms: float
    """within the listener: futures, latches, queues, pools"""
    sleep_ms: float
    unknown_ms: float
    """what no event and no sample explains, such as a call that has not ended"""
    ended_ms: float = 0.0
    """waits of all parts but idle whose end an event shows"""
    frame: Public | None = None
    """the application's own frame with most of the time that is not idle"""
    doing: Doing | None = None
    """what the threads do there"""
    frame_share: float | None = None
    """share of that frame in the time that is not idle and is explained"""

    @property
    def busy_share(self) -> float:
        """Share of the time in which the threads did not wait for messages."""
        return 0.0 if not self.wall_ms else 1 - self.idle_ms / self.wall_ms


class RecordedThread(msgspec.Struct, frozen=True, kw_only=True):
    """A consume thread of a recording: which of its waits ended, and what nothing explains."""

    thread: ThreadName
    group: Public | None = None
    ended: int
    """waits within the listener whose end an event shows"""
    last_ended_at: Public | None = None
    blind_ms: float
    """its longest time without any event, sample or thread dump: it may hang or rest"""


class HotMethod(msgspec.Struct, frozen=True, kw_only=True):
    """Where a kind of threads used the processor."""

    role: Role
    group: Public | None = None
    thread: ThreadName
    """the pool, or the thread where it is of none"""
    frame: Public
    """the application's own frame nearest to the top, else the top frame"""
    samples: int
    share: float
    """share of all samples in Java code"""


class RecordedError(msgspec.Struct, frozen=True, kw_only=True):
    """A class of exceptions or errors that were made."""

    class_name: Public
    count: int
    frame: Public | None = None
    thread: ThreadName | None = None
    """the one that made most of them"""
    groups: tuple[Public, ...] = ()
    """consumer groups whose listeners made some"""
    in_listeners: int = 0
    """how many of them"""
    by_own_code: bool = False
    """whether the program's own code made most of them, and neither the JDK nor a library"""


class Allocated(msgspec.Struct, frozen=True, kw_only=True):
    """Objects that were made at one place; bytes are an estimate, as samples stand for all others."""

    frame: Public
    """the application's own frame nearest to the top, else the top frame"""
    class_name: Public
    """the class with most of the bytes"""
    bytes: int
    share: float
    """share of all bytes that the samples stand for"""
    groups: tuple[Public, ...] = ()
    """consumer groups whose listeners made some"""


class RecordedCollections(msgspec.Struct, frozen=True, kw_only=True):
    """What the garbage collector did."""

    collector: Public | None = None
    collections: int
    old_collections: int
    """collections of the old generation or the whole heap"""
    pause_ms: float
    longest_pause_ms: float
    longest_at: Public | None = None
    pause_share: float
    """share of the recording's time"""
    heap_after_bytes: int | None = None
    """in use after the last collection"""
    heap_max_bytes: int | None = None
    failed_promotions: int = 0
    """promotion or evacuation failures: the old generation had no room"""
    allocation_stalls: int = 0
    """threads that waited for memory"""
    humongous: int | None = None
    """collections that a large object asked for; None where the events do not tell"""
    asked: int = 0
    """collections that System.gc() asked for"""
    asked_pause_ms: float = 0.0
    asked_for_direct: int = 0
    """calls of System.gc() by the JDK, for which direct buffers had no room; known from JDK 17 on"""
    asked_frame: Public | None = None
    """the application's own frame of most of these calls"""


class RecordedPause(msgspec.Struct, frozen=True, kw_only=True):
    """A stop of all threads."""

    at: Public
    ms: float
    operation: Public


class RecordedStops(msgspec.Struct, frozen=True, kw_only=True):
    """How long the JVM waited for its threads to stop, each time that it stopped them all."""

    count: int
    total_ms: float
    longest_ms: float
    longest_at: Public


class RecordedLoaders(msgspec.Struct, frozen=True, kw_only=True):
    """Class loaders of one class at the end of the recording."""

    class_name: Public
    loaders: int
    classes: int
    """classes of all of them together"""


class RecordedClasses(msgspec.Struct, frozen=True, kw_only=True):
    """Classes that the JVM has, by its counts over time."""

    first: int
    last: int
    half: int | None = None
    """at the count in the middle; None where there are less than three"""
    unloaded: int
    """within the recording"""
    loaders: tuple[RecordedLoaders, ...] = ()
    """those that are more than one, the most first"""
    metaspace_bytes: int | None = None
    """in use after the last collection"""


class RecordedContainer(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of the container and what they did."""

    type: Public | None = None
    processors: float | None = None
    """by its quota; None where it has none"""
    memory_bytes: int | None = None
    periods: int | None = None
    """periods of the scheduler within the recording"""
    throttled_periods: int | None = None
    throttled_ms: float | None = None


class GrownThreads(msgspec.Struct, frozen=True, kw_only=True):
    """Threads that were started at one place."""

    thread: ThreadName
    """their name without its number"""
    started: int
    ended: int
    frame: Public | None = None
    """the application's own frame that started most of them"""


class OldObject(msgspec.Struct, frozen=True, kw_only=True):
    """Sampled objects of one class that were still alive at the end: what may leak."""

    class_name: Public
    samples: int
    oldest_seconds: float
    frame: Public | None = None
    """the application's own frame that made most of them"""
    path: tuple[Public, ...] = ()
    """from the object to the root that holds it, class and field; empty where no paths were recorded"""
    root: Public | None = None


class Pinned(msgspec.Struct, frozen=True, kw_only=True):
    """Virtual threads that waited without giving their carrier back."""

    count: int
    total_ms: float
    longest_ms: float
    frame: Public | None = None


class Recording(msgspec.Struct, frozen=True, kw_only=True):
    """One recording."""

    path: Public
    jvm: Public | None = None
    pid: int | None = None
    began_at: Public
    ended_at: Public
    seconds: float
    chunks: int
    events: int
    thresholds_ms: dict[Public, float] = {}
    """by type of event, of those that have one"""
    not_recorded: tuple[Public, ...] = ()
    """types of events that rules read and this recording has none of: they were off, or the JDK lacks them"""
    lost_bytes: int = 0
    """events that the JVM could not write"""
    dumps: int = 0
    """thread dumps inside"""
    calls: tuple[RecordedCalls, ...] = ()
    """those with most time first"""
    locks: tuple[RecordedLock, ...] = ()
    budgets: tuple[ThreadBudget, ...] = ()
    threads: tuple[RecordedThread, ...] = ()
    """consume threads; those whose time is least known first"""
    time_by_call: tuple[CallNode, ...] = ()
    """time of consume threads that did not rest, in milliseconds as samples"""
    standstills: tuple[Standstill, ...] = ()
    """waits of consume threads that go on until the recording's end, by its samples and the lack of an event"""
    hot_methods: tuple[HotMethod, ...] = ()
    errors: tuple[RecordedError, ...] = ()
    thrown: int | None = None
    """exceptions and errors that were made within the recording"""
    thrown_per_second: float | None = None
    exceptions_recorded: bool = False
    """each class and place of them, and not those of errors alone"""
    allocations: tuple[Allocated, ...] = ()
    """places with most bytes first"""
    collections: RecordedCollections | None = None
    pauses: tuple[RecordedPause, ...] = ()
    """the longest"""
    stops: RecordedStops | None = None
    """those beyond the threshold"""
    classes: RecordedClasses | None = None
    heap: tuple[tuple[float, int], ...] = ()
    """(seconds since the begin, bytes in use after a collection)"""
    allocated_bytes_per_second: float | None = None
    container: RecordedContainer | None = None
    cpu_share: float | None = None
    """processor time of the JVM, as a share of all processors of the machine"""
    machine_cpu_share: float | None = None
    threads_first: int | None = None
    threads_last: int | None = None
    thread_starts: tuple[GrownThreads, ...] = ()
    direct_bytes_first: int | None = None
    direct_bytes_last: int | None = None
    direct_limit_bytes: int | None = None
    """the most that the JVM allows direct buffers"""
    direct_buffers: int | None = None
    """how many there were at last"""
    old_objects: tuple[OldObject, ...] = ()
    pinned: Pinned | None = None
    flags: dict[Public, int] = {}
    """flags of the JVM about memory"""
    shutdown: Public | None = None
    """why the JVM ended within the recording"""
    shutdown_by: ShutdownBegan | None = None
    """what began that end; None where the event does not show it"""
    shutdown_frame: Public | None = None
    """the application's own frame that ended it"""


class RecordingsFacts(msgspec.Struct, frozen=True, kw_only=True):
    """All recordings of a run, by the time when they began."""

    recordings: tuple[Recording, ...]
