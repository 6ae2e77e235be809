"""What one thread dump says, before anything is judged."""

from __future__ import annotations

import msgspec

from mqdiag.text import Text

LOCKED = "locked"
WAITING_TO_LOCK = "waiting to lock"
WAITING_ON = "waiting on"
RELOCKING = "waiting to re-lock"
PARKING = "parking"
SYNCHRONIZER = "owns synchronizer"
CLASS_INIT = "waiting for class initialization"


class LockLine(msgspec.Struct, frozen=True, gc=False):
    """A lock line under a frame; the address itself is the thread's, as equal stacks share all else."""

    kind: str
    class_name: str
    depth: int
    """index of the frame that it stands under"""
    slot: int
    """place of its address in `ThreadRecord.addresses`; -1 when the JVM named no object"""


class Stack(msgspec.Struct, frozen=True, gc=False):
    """State, frames and lock lines: shared by all threads and samples whose text is equal but for addresses."""

    state: str
    """Thread.State; empty for threads of the VM itself"""
    detail: str
    """what stands behind the state: parking, sleeping, on object monitor"""
    frames: tuple[str, ...]
    """top first, "package.Class.method(File.java:12)", module prefixes taken off"""
    methods: tuple[str, ...]
    """the same without file and line"""
    locks: tuple[LockLine, ...] = ()
    omitted_frames: int = 0
    """frames left out of the middle of an absurdly deep stack"""
    mounted: int | None = None
    """java id of the virtual thread that this carrier runs"""
    mounted_frames: tuple[str, ...] = ()
    misplaced: str = ""
    """the first line that no JVM prints where it stands: lines of another stack are among those of this one"""


class ThreadRecord(msgspec.Struct, gc=False):
    """One thread in one sample."""

    name: str
    stack: Stack
    addresses: tuple[str, ...] = ()
    java_id: int | None = None
    tid: str | None = None
    nid: int | None = None
    daemon: bool = False
    virtual: bool = False
    cpu_ms: float | None = None
    elapsed_s: float | None = None
    allocated_bytes: int | None = None
    carrier: int | None = None
    container: str | None = None
    """name of the thread container, from `Thread.dump_to_file`"""
    parked_owner: int | None = None
    """java id of the owner of what it parks on, when the dump says it"""
    owner_name: str | None = None
    """name of the owner of what it waits for, when its header says it"""
    in_object_wait: bool = False
    """the header says "in Object.wait()": in a RUNNABLE thread of JDK 16 or older it waits for a class"""
    cpu_from_system: bool = False
    """the dump has no CPU time of it; `cpu_ms` was read from the system's files"""
    coarse_cpu_ms: float | None = None
    """CPU time to 10 ms, as `top` prints it: a growth shows work, none shows nothing"""


class Sample(msgspec.Struct, kw_only=True):
    """One thread dump."""

    source: str
    format: str
    """jstack, dump-text, dump-json or javacore"""
    threads: list[ThreadRecord] = msgspec.field(default_factory=list)
    jvm: str | None = None
    pid: int | None = None
    captured_local: str | None = None
    """date line as printed, without a zone"""
    captured_at: str | None = None
    """instant, when the dump names it with its zone"""
    deadlocks: list[tuple[tuple[str, str], ...]] = msgspec.field(default_factory=list)
    """the JVM's own deadlock section: (waiting thread, holding thread) pairs of each cycle"""
    listed_threads: int | None = None
    """length of the SMR list"""
    listed: frozenset[int] = frozenset()
    """addresses of all threads, by that list; empty where it is not there, or is long"""
    contradictory: bool = False
    """threads of two processes stand in it"""
    mixed: Text | None = None
    """why its stacks are no thread's: lines of other dumps stand among those of its stacks"""
    complete: bool = True
    unknown_headers: int = 0
    """headers of threads that were not understood, or whose threads stand there without them"""
    threads_cut: int = 0
    """threads without their lower frames, where so many are that the dump is a part of one"""
    problem: Text | None = None
    stopped_at_byte: int | None = None
    pasted: Text | None = None
    """why it is taken for a text that somebody pasted into the log, and not for a dump of the log's own process"""
    may_be_pasted: Text | None = None
    """why it may be such a text"""
    headless: bool = False
    """a paste without the JVM's first line"""
    is_part: bool = False
    """a headless dump of a JVM, which does not show that its first and its last threads are there"""
    heap_used_bytes: int | None = None
    heap_size_bytes: int | None = None
    """size of the heap at that moment, where the dump has it, as a javacore has"""
    header_lines: dict[str, int] = msgspec.field(default_factory=dict)
    """numbers of the lines of the file on which threads begin, by name; of the last sample of a short file alone"""
    with_synchronizers: bool = False
    """taken with -l: owners of java.util.concurrent locks are there"""
