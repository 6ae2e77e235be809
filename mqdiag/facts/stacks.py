"""What a series of thread dumps says: threads of one JVM aligned over its samples, and what blocks them.

Names of `StacksFacts.threads` and below follow the report's contract; the rest is what rules and renderers
need beyond it.
"""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import Public, ThreadName
from mqdiag.facts.shutdown import Shutdown
from mqdiag.facts.thread_kinds import GrowingKind, ThreadKind
from mqdiag.facts.thread_locks import Deadlock, HiddenDeadlock, LockFacts
from mqdiag.facts.thread_pools import CommonPlace, ConnectionWaits, PinnedCarriers, PoolQueue, WorkerPool
from mqdiag.facts.vocabulary import (
    ConfidenceLevel,
    Doing,
    NotJudged,
    Role,
    ServerKind,
    SignsOfRocketMQ,
    StandstillCause,
    StandstillKind,
    StartWaitCause,
    State,
)
from mqdiag.text import Text, no_words


class ThreadAt(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One thread at one sample."""

    state: Public
    """Thread.State as printed; "ABSENT" when the thread is not in the sample"""
    top: Public | None = None
    """class and method of the top frame"""
    cpu_ms: float | None = None
    """total so far, as the JVM prints it"""
    doing: Doing | None = None
    """kind of wait or work"""


class SameCall(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """All samples of a thread show one call, or equal calls one after the other: it hangs, or it is slow.

    Neither CPU times nor an object of the call tell which. The thread has the frame and the kind of wait.
    """

    samples: int
    """that show the call"""
    seconds: float | None = None
    """from the first to the last of them; None where the dumps have no times"""


class ThreadFacts(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One thread over all samples."""

    name: ThreadName
    java_id: int | None = None
    tid: Public | None = None
    nid: int | None = None
    role: Role
    pool: ThreadName | None = None
    group: Public | None = None
    state: State
    samples: tuple[ThreadAt, ...]
    confidence: ConfidenceLevel | None = None
    """how sure the state is"""
    reason: Text = msgspec.field(default_factory=no_words)
    """the evidence for the state in one sentence"""
    doing: Doing | None = None
    """kind of wait or work in the last sample"""
    frame: Public | None = None
    """the user's own frame nearest to the wait"""
    listener: Public | None = None
    """the consumeMessage frame, when the thread is in a listener"""
    library: Public | None = None
    """the client library between the wait and the user's code"""
    remote: StandstillCause | None = None
    """what that library waits for, as the cause would be if it hangs: slow-database, missing-http-timeout"""
    daemon: bool | None = None
    """whether the JVM may end without it; None where the form of the dump does not tell"""
    cpu_growth_ms: float | None = None
    held_by: ThreadName | None = None
    """name of the thread that holds what this one waits for"""
    line: int | None = None
    """where it begins in the file of the last sample, from 1; None where that is not known"""
    same_call: SameCall | None = None
    """why the state is unknown: all samples show the same, and nothing tells a standstill from slow work"""


class SampleFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One thread dump of the series, in order of time."""

    path: Public
    format: Public
    jvm: Public | None = None
    captured_local: Public | None = None
    captured_at: Public | None = None
    seconds: float | None = None
    """since the first sample"""
    jumped_s: float | None = None
    """how much further the host's clock went on than the JVM's own time since the sample before, below zero where it
    went back; None where one of both is unknown"""
    threads: int = 0
    heap_used_bytes: int | None = None
    heap_size_bytes: int | None = None
    """size of the heap at that moment; None where the dump lacks it, as those of HotSpot"""
    complete: bool = True
    is_part: bool = False
    """a paste that does not show that the first and the last threads of a JVM's dump are there"""
    process: int = 0
    """number of the JVM that it is of, when samples of several were given"""


class StackGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Threads that have the same state and, in the last sample, the same frames."""

    threads: tuple[ThreadName, ...]
    state: State
    frames: tuple[Public, ...]
    """what matters, top first; "…" marks frames left out"""
    own: tuple[int, ...] = ()
    """places in `frames` of the user's own code"""
    role: Role = "other"


class CallNode(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A method in the call tree of all thread samples."""

    method: Public
    """class and method"""
    parent: int | None = None
    """place of its caller in the tree, which is before it; None for the outermost method"""
    samples: int
    """thread samples that show it: one thread in one dump is one"""
    ends: int = 0
    """those of them with no further call that matters"""
    doing: Doing
    """what most of those that end here do; where none does, what most of all do"""
    threads: tuple[ThreadName, ...] = ()
    """names of the threads that are in an outermost method, the first of them; none of a method that another calls"""


class BusyThread(msgspec.Struct, frozen=True, kw_only=True):
    """A thread that computes in one place in all samples."""

    thread: ThreadName
    role: Role
    pool: ThreadName | None = None
    group: Public | None = None
    frame: Public
    """the user's own frame; without one, the top one"""
    top: Public | None = None
    samples: int
    seconds: float | None = None
    share_of_core: float | None = None
    """CPU time to time; None where the dumps hold no CPU time, and the samples are minutes apart"""
    allocated_bytes: int | None = None
    """new objects; a loop that makes none finishes nothing"""
    same_lines: bool = False
    """also the lines are the same, not only the methods"""
    in_table: bool = False
    """it walks through a table that is for one thread, and others are in it at the same place"""
    updates_within: bool = False
    """it changes a map within the function whose value a change of a map waits for, in the same lines in all samples"""


class StartWait(msgspec.Struct, frozen=True, kw_only=True):
    """A main thread that waits for something while the process starts."""

    cause: StartWaitCause
    thread: ThreadName
    frame: Public
    top: Public | None = None
    doing: Doing
    samples: int
    """the last samples in a row that show it"""
    seconds: float | None = None


class BlockedLoop(msgspec.Struct, frozen=True, kw_only=True):
    """An event loop that waits for something else than events."""

    thread: ThreadName
    role: Role
    pool: ThreadName | None = None
    pool_size: int
    """event loops of that pool"""
    frame: Public | None = None
    top: Public | None = None
    doing: Doing
    library: Public | None = None
    samples: int
    """the last samples in a row that show it there; one sample shows no duration"""
    seconds: float | None = None
    state: State


class Standstill(msgspec.Struct, frozen=True, kw_only=True):
    """Threads of one pool that make no progress for one cause."""

    kind: StandstillKind
    cause: StandstillCause
    library: Public | None = None
    """the client library between the wait and the user's code"""
    threads: tuple[ThreadName, ...]
    role: Role
    pool: ThreadName | None = None
    pool_size: int = 0
    group: Public | None = None
    frame: Public | None = None
    listener: Public | None = None
    wait: Public | None = None
    """class and method of the top frame"""
    samples: int = 0
    """the shortest run of samples over which one of the threads makes no progress"""
    seconds: float | None = None
    began_after: Public | None = None
    """when one of the threads was last seen at other work; of recordings, where events tell"""
    began_before: Public | None = None
    """when the first of them was seen in it; of recordings"""
    cpu_growth_ms: float | None = None
    """the largest of the threads"""
    confidence: ConfidenceLevel = "medium"
    reason: Text = msgspec.field(default_factory=no_words)
    remedy: tuple[Text, ...] = ()
    holder: ThreadName | None = None
    """the thread, or pool, that must move first"""
    holder_does: Public | None = None
    holder_inferred: bool = False
    """the dumps do not name the owner of a lock on the way to it: frames do"""
    holder_in_chain: bool = False
    """it holds another lock, for which the holder of the first one waits"""
    holder_pool: ThreadName | None = None
    possible_user: ThreadName | None = None
    """thread that uses a pooled connection while this one waits for one, perhaps of another pool"""
    possible_user_does: Public | None = None
    lock_class: Public | None = None
    decided: bool = True
    """False where the series cannot tell loop from work"""
    serves: Public | None = None
    """consumer group with workers that wait for this pool"""
    held_up: int = 0
    """other threads without progress that wait for a lock that one of these threads holds"""
    in_turn: bool = False
    """they run tasks or rounds that come one after the other, so the next ones wait"""
    second_connection: bool = False
    """they have a connection of the pool that they wait for"""
    wait_ends: bool = False
    """a timeout ends the wait, by the state of the threads in the last sample"""


class CollectorLoad(msgspec.Struct, frozen=True, kw_only=True):
    """Processor time of a collector that stops the application, over a series."""

    thread: Public
    """the busiest one of those that work in pauses"""
    collector_cpu_ms: float
    """its processor time: the pauses were at least that long"""
    others_cpu_ms: float
    """CPU time of all threads that are not the JVM's own, together"""
    seconds: float
    allocated_bytes: int | None = None
    """new objects of the consume threads; None where the dumps do not tell (jstack without -e)"""


class KnownRests(msgspec.Struct, frozen=True, kw_only=True):
    """Which threads of a JVM are where they are known to wait for work, in dumps that show all of its threads."""

    threads: int
    """those that do, without the JVM's own"""
    pools: int
    """pools, and threads of no pool, that they belong to"""
    listening: int
    """those in which work can come in: they accept connections, or wait for events of some"""
    others: int
    """threads at work, in a wait for something else, or in one that nobody knows"""
    other_names: tuple[ThreadName, ...] = ()
    """the first of them"""
    hides_virtual_threads: bool = False
    """virtual threads are in use, and these dumps do not show them"""
    hides_requests: bool = False
    """requests of its server have no thread while they wait for something"""
    together: int = 0
    """threads of one pool in one wait without a limit, which is no known wait for work: it may be for each other"""
    together_frame: Public | None = None
    """where they wait"""

    @property
    def all_rest(self) -> bool:
        """Whether no thread hangs, as a thread that hangs does so at every moment, and the process can get work."""
        hides = self.hides_virtual_threads or self.hides_requests
        return self.threads > 0 and self.listening > 0 and self.others == 0 and not hides


class CollectionCalls(msgspec.Struct, frozen=True, kw_only=True):
    """Threads inside of System.gc(), over all samples."""

    threads: tuple[ThreadName, ...]
    sightings: int
    """how often a sample shows a thread in it"""
    for_direct_memory: int = 0
    """those of them in which the JDK itself asks, as direct buffers have reached their limit"""
    samples: int
    """samples that show one"""
    frame: Public | None = None
    """the user's own frame that asks most often"""


class StacksFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Threads of one JVM aligned over its samples."""

    samples: int
    threads: tuple[ThreadFacts, ...] = ()
    series: tuple[SampleFacts, ...] = ()
    seconds: float | None = None
    """from the first sample to the last"""
    judged: bool = False
    """whether progress can be judged at all"""
    not_judged_because: NotJudged | None = None
    pasted: Text | None = None
    """why the dumps are taken for a text that somebody pasted into a log; None for dumps of the log's own process"""
    may_be_pasted: Text | None = None
    """why they may be such a text"""
    jvms: int = 1
    repeated_samples: int = 0
    """samples left out because they are the same as another"""
    cut_samples: int = 0
    """samples left out because the dump is cut: its threads may be missing without having ended"""
    has_cpu: bool = False
    has_synchronizers: bool = False
    pools: tuple[WorkerPool, ...] = ()
    groups: tuple[StackGroup, ...] = ()
    calls: tuple[CallNode, ...] = ()
    """the calls of all samples as one tree, without idle threads; the 300 most frequent nodes"""
    locks: tuple[LockFacts, ...] = ()
    deadlocks: tuple[Deadlock, ...] = ()
    standstills: tuple[Standstill, ...] = ()
    same_calls: tuple[Standstill, ...] = ()
    """threads that hang or are slow, by pool, kind and cause; `decided` is False, and `cause` would be that of a
    standstill"""
    hidden_deadlocks: tuple[HiddenDeadlock, ...] = ()
    common_places: tuple[CommonPlace, ...] = ()
    """pools and kinds of threads that are in one place, the largest first"""
    busy_threads: tuple[BusyThread, ...] = ()
    blocked_loops: tuple[BlockedLoop, ...] = ()
    growing_kinds: tuple[GrowingKind, ...] = ()
    start_wait: StartWait | None = None
    kinds: tuple[ThreadKind, ...] = ()
    """kinds with two threads or more in a sample, the most frequent first"""
    connection_waits: tuple[ConnectionWaits, ...] = ()
    pool_queues: tuple[PoolQueue, ...] = ()
    """connection pools for which threads wait in every sample"""
    collector: CollectorLoad | None = None
    """None where the dumps do not tell, and for collectors that work beside the application"""
    collection_calls: CollectionCalls | None = None
    """None where no sample shows one"""
    pinned_carriers: PinnedCarriers | None = None
    """None where a carrier is free, or no sample shows virtual threads"""
    shutdown: Shutdown | None = None
    """None while the JVM has not begun to end"""
    servers: tuple[ServerKind, ...] = ()
    """which servers run in the process; empty for a client"""
    signs_of_rocketmq: SignsOfRocketMQ | None = None
    """None in a report that was saved before mqdiag looked for them"""
    known_rests: KnownRests | None = None
    """None where the dumps do not show all threads of one JVM"""
    missing: tuple[Public, ...] = ()
    """threads that must be there while others of their client live: PullMessageService"""

    @property
    def shows_standstills(self) -> bool:
        """Whether the samples would show a thread that hangs: a series does, and one in which all threads rest."""
        if self.judged:
            return True
        rests = self.known_rests
        return rests is not None and rests.all_rest and self.not_judged_because in ("one-sample", "too-close")
