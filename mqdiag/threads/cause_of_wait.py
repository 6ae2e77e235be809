"""Kind, cause and remedy of a wait without progress; remedies for the waits that no client library explains."""

from __future__ import annotations

from functools import cache
from typing import Literal

import msgspec

from mqdiag.facts.heap import ListenerCall
from mqdiag.facts.vocabulary import Doing, Role, StandstillCause, StandstillKind
from mqdiag.knowledge.library import REMOTE
from mqdiag.knowledge.library_files import from_libraries, index
from mqdiag.knowledge.own_code import method_of
from mqdiag.knowledge.remedies import remedy as remedy_named
from mqdiag.read.stacks.records import Stack
from mqdiag.text import Text, say
from mqdiag.threads import roles
from mqdiag.threads.stack_meaning import REMOTE_WAITS, StackMeaning, meaning_of


class CauseOfWait(msgspec.Struct, frozen=True):
    """Why a thread makes no progress, and what helps."""

    kind: StandstillKind
    cause: StandstillCause
    library: str | None
    remedy: tuple[Text, ...]


CONNECT_REMEDY = say(
    "The connection is not even open: set the connect timeout, and look at DNS, routes and firewalls."
)
DNS_REMEDY = (
    say(
        "The name servers of /etc/resolv.conf do not answer: look at them (`dig HOST`), and set `options timeout:1"
        " attempts:2` there. No timeout of a client bounds the look-up of a name."
    ),
    say(
        "Use a local cache of names (nscd, systemd-resolved, dnsmasq), so that the listener does not wait for DNS."
    ),
)
TLS_REMEDY = say(
    "It hangs in the TLS handshake: the read timeout must be set before connect, as the handshake reads too."
)
_PLAIN_SOCKET = (
    say(
        "Call Socket.setSoTimeout before the first read, and connect(address, timeout): both"
        " have no timeout by default."
    ),
)
FUTURE_REMEDY = say(
    "Use Future.get(timeout, unit) or CompletableFuture.orTimeout instead of get() and"
    " join(), and handle the time-out by RECONSUME_LATER."
)
_WAIT_REMEDIES: dict[Doing, tuple[Text, ...]] = {
    "future": (
        FUTURE_REMEDY,
        say("Look at the threads of the pool that has to complete the future."),
    ),
    "latch": (
        say(
            "Use await(timeout, unit), of a Phaser awaitAdvanceInterruptibly(phase, timeout, unit), of an Exchanger"
            " exchange(item, timeout, unit): otherwise all others wait forever when one thread dies early."
        ),
    ),
    "semaphore": (say("Use tryAcquire(timeout, unit), and release permits in a finally block."),),
    "queue": (
        say(
            "Use poll(timeout, unit), offer(item, timeout, unit) or tryTransfer(item, timeout, unit) instead of take(),"
            " put() and transfer(): the other side of the queue does not come."
        ),
    ),
    "condition": (say("Use await(timeout, unit) on the condition, and signal it in a finally block."),),
    "join": (say("Use Thread.join(milliseconds), and look at the thread that does not end."),),
    "file-lock": (
        say(
            "Use FileChannel.tryLock() in a loop with an end: lock() waits without a limit while another process has"
            " the lock."
        ),
        say(
            "Find the process that holds the lock: `lslocks`, /proc/locks, or `fuser -v FILE`; on NFS, the server."
        ),
    ),
    "object-wait": (
        say("Use wait(milliseconds) in a loop on the condition; the notify was lost or never comes."),
    ),
    "park": (say("Bound the wait: parkNanos or a timed variant of the call above it."),),
    "process": (
        say("Use Process.waitFor(timeout, unit), and read the output of the process: a full pipe stops it."),
        say("Look at what the child process waits for (`ps --ppid PID`), and end it by destroyForcibly()."),
    ),
    "log": (
        say(
            "The log's sink takes nothing more (a full pipe of the console, a full disk, a hung"
            " network share): look at who reads the console, and at the disk."
        ),
        say(
            "Log through an asynchronous appender that drops instead of waiting (Logback"
            " AsyncAppender with neverBlock=true, Log4j2 AsyncQueueFullPolicy=Discard)."
        ),
    ),
    "file-write": (say("Look at the disk, the network share or the pipe that is written to."),),
    "file-sync": (say("Look at the disk's latency (iostat -x 1): a sync does not come back."),),
    "file-read": (
        say(
            "Look at the pipe (the output of a child process, a named pipe, a thread that writes), the terminal or the"
            " network share that is read: such a read has no timeout."
        ),
    ),
    "class-loading": (
        say("A class is loaded under a lock: look at the thread that loads it, and at the disk."),
    ),
    "select": (say("Bound the select or poll call with a timeout."),),
    "accept": (
        say("Bound the wait by ServerSocket.setSoTimeout, or accept connections in a thread of their own."),
    ),
}
_CALL_REMEDIES: tuple[tuple[frozenset[str], tuple[Text, ...]], ...] = (
    (
        frozenset(
            (
                "java.util.concurrent.ThreadPoolExecutor.awaitTermination",
                "java.util.concurrent.ForkJoinPool.awaitTermination",
                "java.util.concurrent.ThreadPerTaskExecutor.awaitTermination",
                "java.util.concurrent.ExecutorService.close",
            )
        ),
        (
            say(
                "Give awaitTermination a limit that the listener can afford, and call shutdownNow() after it; close()"
                " has no limit."
            ),
            say("Look at the threads of the pool that does not end."),
        ),
    ),
    (
        frozenset(("java.util.concurrent.SubmissionPublisher.submit",)),
        (
            say(
                "Use offer(item, timeout, unit, onDrop) instead of submit(): a subscriber does not request more items."
            ),
        ),
    ),
    (
        frozenset(("java.lang.ref.ReferenceQueue.remove",)),
        (say("Use remove(timeout): a reference comes only after a collection has freed its object."),),
    ),
)
"""for waits of a kind that several calls share, remedies in the words of the call; by the methods that wait"""
LOCK_REMEDY = (
    say("Fix what the holder waits for; it is the root cause."),
    say("Do not call remote services while holding a lock; use tryLock(timeout, unit) where a wait must end."),
)
CONSOLE_REMEDY = (
    say(
        "Nobody reads the standard output: its pipe is full, and println waits. Look at the process at the other end"
        " (a log collector, a terminal that was stopped, `docker attach`, `| tee`)."
    ),
    say("Do not print in the listener: log through an appender that drops when its sink is full."),
)
STARVED_REMEDY = (
    say(
        "Give the inner tasks a pool of their own, or run them in the calling thread: a task that waits for another"
        " task of the same pool stops the pool once all its threads do so."
    ),
    say("Use Future.get(timeout, unit), so that the pool comes free again."),
)
CLASS_INIT_REMEDY = (
    say(
        "The static initializer of the class does not come to its end, and all that need the class wait for it:"
        " take remote calls, locks and waits for other threads out of static initializers."
    ),
    *LOCK_REMEDY[:1],
)
_POP_REMEDY = say(
    "Look at what the broker's call waits for: a disk, another broker, a future that nobody completes."
)
SLEEP_REMEDY = (
    say(
        "Take the sleep out of the listener: a worker that sleeps consumes nothing. To try"
        " again later return RECONSUME_LATER (SUSPEND_CURRENT_QUEUE_A_MOMENT when orderly),"
        " to wait for a time send a delayed message."
    ),
    say("If it is the back-off of a retry loop, bound the loop: the same message may be tried without end."),
)
CPU_REMEDY = (
    say(
        "Look at the code at this frame: a loop whose end condition never holds, or a regular"
        " expression that backtracks (bound its input, use possessive quantifiers)."
    ),
    say(
        "Take `jstack -e` samples (JDK 17): allocated= tells a loop that makes nothing from"
        " heavy work; a profiler names the hot line."
    ),
)


_RING_REMEDY = (
    say(
        "Use tryNext() or tryPublishEvent() and handle a full ring: next() and publishEvent() wait for room without a"
        " limit."
    ),
    say("Look at the thread that reads the ring (its EventHandler): it is slow, stuck or gone."),
)


_RESULT = "RECONSUME_LATER"
"""what a listener of the plain client returns to get a message again; in a container it cannot"""


def cause_of_wait(role: Role, meaning: StackMeaning, *, computing: bool, starved: bool = False) -> CauseOfWait:
    """Why a thread makes no progress; the remedy is in the words of the container that calls the listener.

    Args:
        role: what the thread is for.
        meaning: its stack.
        computing: it runs and uses CPU time.
        starved: it waits for a task in the queue of its own pool.
    """
    why = _cause_of_wait(role, meaning, computing=computing, starved=starved)
    container = meaning.container
    if container is None or not any(_RESULT in text.template for text in why.remedy):
        return why
    return msgspec.structs.replace(why, remedy=(*why.remedy, container.consume_later))


def _cause_of_wait(role: Role, meaning: StackMeaning, *, computing: bool, starved: bool) -> CauseOfWait:
    doing = meaning.doing
    if starved:
        return CauseOfWait("wait", "pool-starved", None, STARVED_REMEDY)
    if role == roles.BROKER_SEND:
        return _broker(meaning)
    if role == roles.POP:
        if doing in ("monitor", "lock"):
            return CauseOfWait("broker-pop", "stuck-holder", None, LOCK_REMEDY[:1])
        return CauseOfWait("broker-pop", "missing-timeout", None, (_POP_REMEDY,))
    if meaning.spins and not meaning.in_full_log_queue:
        return CauseOfWait("wait", "missing-timeout", None, _RING_REMEDY)
    if computing or doing == "running":
        if computing:
            return CauseOfWait("cpu", "busy-loop", None, CPU_REMEDY)
        return CauseOfWait("wait", "missing-timeout", _name_of_library(meaning), _WAIT_REMEDIES["park"])
    if meaning.in_full_log_queue:
        return CauseOfWait("wait", "blocked-log-sink", None, _WAIT_REMEDIES["log"])
    library = meaning.library
    if library is not None and library.kind == "pause":
        return CauseOfWait("sleep", "sleep-in-listener", library.name, library.remedy)
    if doing == "sleep":
        if library is None:
            return CauseOfWait("sleep", "sleep-in-listener", None, SLEEP_REMEDY)
        return CauseOfWait("sleep", "sleep-in-listener", library.name, (*library.remedy, *SLEEP_REMEDY[1:]))
    if doing == "class-init":
        return CauseOfWait("lock", "stuck-holder", None, CLASS_INIT_REMEDY)
    if doing in ("monitor", "lock"):
        return CauseOfWait("lock", "stuck-holder", _name_of_library(meaning), LOCK_REMEDY)
    if library is not None and library.kind == "pool":
        return CauseOfWait("pool", library.cause, library.name, library.remedy)
    if doing in REMOTE_WAITS:
        return _remote(meaning)
    if doing == "log":
        if meaning.locking:
            return CauseOfWait("lock", "stuck-holder", None, _WAIT_REMEDIES["log"])
        return CauseOfWait("wait", "blocked-log-sink", None, _WAIT_REMEDIES["log"])
    if doing == "file-write" and meaning.prints:
        return CauseOfWait("wait", "blocked-log-sink", None, CONSOLE_REMEDY)
    remedy = _of_call(meaning) or _WAIT_REMEDIES.get(doing, _WAIT_REMEDIES["park"])
    if library is not None:
        remedy = (*_of_framework(meaning), *library.remedy)
    elif doing == "join" and meaning.joins_virtual_thread:
        remedy = (*remedy_named("dump_virtual_threads"), *remedy)
    return CauseOfWait("wait", "missing-timeout", _name_of_library(meaning), remedy)


def _name_of_library(meaning: StackMeaning) -> str | None:
    return meaning.library.name if meaning.library is not None else None


def _of_call(meaning: StackMeaning) -> tuple[Text, ...]:
    return next(
        (remedy for calls, remedy in _call_remedies() if not calls.isdisjoint(meaning.above_own)),
        (),
    )


@from_libraries
@cache
def _call_remedies() -> tuple[tuple[frozenset[str], tuple[Text, ...]], ...]:
    """The same of the JDK's calls and of those of libraries."""
    return (
        *_CALL_REMEDIES,
        *((frozenset(call.methods), call.remedy) for file in index().values() for call in file.call),
    )


def _of_framework(meaning: StackMeaning) -> tuple[Text, ...]:
    return meaning.framework.remedy if meaning.framework is not None else ()


def _remote(meaning: StackMeaning) -> CauseOfWait:
    remedy = [*_of_framework(meaning)]
    cause: StandstillCause = REMOTE
    if meaning.library is not None and meaning.library.kind != "pool":
        cause = meaning.library.cause
        remedy += meaning.library.remedy
    else:
        remedy += _PLAIN_SOCKET
    if meaning.doing == "dns":
        remedy = [*DNS_REMEDY]
    elif meaning.doing == "connect":
        remedy.insert(0, CONNECT_REMEDY)
    elif any(
        method.endswith(("SSLSocketImpl.startHandshake", ".performInitialHandshake"))
        for method in meaning.methods
    ):
        remedy.insert(0, TLS_REMEDY)
    return CauseOfWait("socket-read", cause, _name_of_library(meaning), tuple(remedy))


BROKER_CAUSES: tuple[tuple[tuple[str, ...], StandstillCause, tuple[Text, ...]], ...] = (
    (
        (
            "handleHA",
            "GroupTransferService",
            "submitReplicaRequest",
            "handleDiskFlushAndHA",
            "waitForReplica",
        ),
        "slow-slave",
        (
            say("Look at the slave: its disk, its network, `slave fall behind` lines in store.log."),
            *remedy_named("async_master"),
            say("No send waits longer than slaveTimeout (3 s by default; before 4.9.x syncFlushTimeout)."),
        ),
    ),
    (
        ("handleDiskFlush", "GroupCommitService", "waitForFlush", "submitFlushRequest"),
        "slow-disk",
        (
            say(
                "Look at the disk (iostat -x 1): with SYNC_FLUSH every send waits for"
                " its flush; syncFlushTimeout (5 s) bounds it."
            ),
            *remedy_named("async_flush"),
        ),
    ),
)
PAGE_CACHE: Literal["page-cache-busy"] = "page-cache-busy"
_PAGE_CACHE_REMEDY = (
    say(
        "The write to the page cache is slow: look at PAGECACHERT in store.log, at memory"
        " reclaim and at the disk."
    ),
    say("More brokers or faster disks cure it. Longer time-outs and larger queues only hide it."),
    *remedy_named("pool_if_async_master"),
)


def broker_remedy(cause: StandstillCause) -> tuple[Text, ...]:
    """What helps when sends wait for this."""
    return next((remedy for _, known, remedy in BROKER_CAUSES if known == cause), _PAGE_CACHE_REMEDY)


def _broker(meaning: StackMeaning) -> CauseOfWait:
    for marks, cause, remedy in BROKER_CAUSES:
        if any(mark in method for method in meaning.methods for mark in marks):
            return CauseOfWait("broker-put", cause, None, remedy)
    return CauseOfWait("broker-put", PAGE_CACHE, None, _PAGE_CACHE_REMEDY)


def listener_call(frames: tuple[str, ...], state: str | None) -> ListenerCall | None:
    """The call of a listener on a stack of a heap dump, which has no second sample; None when there is no listener.

    Args:
        frames: top first.
        state: Thread.State, None when the dump does not say it.
    """
    meaning = _meaning(frames, state)
    if meaning.listener is None:
        return None
    # A thread that waits for nothing has been computing for as long as it has this message.
    why = cause_of_wait(roles.CONSUME_WORKER, meaning, computing=meaning.doing == "running")
    return ListenerCall(
        listener=meaning.listener,
        frame=meaning.own_frame,
        doing=meaning.doing,
        cause=why.cause,
        library=why.library,
        remedy=why.remedy,
    )


def awaited_call(waiting: ListenerCall, frames: tuple[str, ...], state: str | None) -> ListenerCall:
    """The call of a listener that a virtual thread makes for it.

    Args:
        waiting: the listener's own wait for that thread.
        frames: of the virtual thread, top first.
        state: its Thread.State, None when the dump does not say it.
    """
    meaning = _meaning(frames, state)
    why = cause_of_wait(roles.VIRTUAL, meaning, computing=meaning.doing == "running")
    return ListenerCall(
        listener=waiting.listener,
        frame=meaning.own_frame or waiting.frame,
        doing=meaning.doing,
        cause=why.cause,
        library=why.library,
        remedy=why.remedy,
    )


def _meaning(frames: tuple[str, ...], state: str | None) -> StackMeaning:
    methods = tuple(method_of(frame) for frame in frames)
    return meaning_of(Stack(state=state or "", detail="", frames=frames, methods=methods))
