"""Kind, cause and remedy of a standstill, from its view; texts for waits that no client library explains."""

from __future__ import annotations

from dataclasses import dataclass

from mqdiag.text import say
from mqdiag.threads import roles
from mqdiag.threads.align import Track
from mqdiag.threads.cause_table import REMOTE
from mqdiag.threads.view import REMOTE_WAITS, View


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a standstill is."""

    kind: str
    """socket-read, wait, sleep, lock, pool, cpu or broker-put"""
    cause: str
    library: str | None
    remedy: tuple[str, ...]


CONNECT_REMEDY = say(
    "The connection is not even open: set the connect timeout, and look at DNS, routes and firewalls."
)
TLS_REMEDY = say(
    "It hangs in the TLS handshake: the read timeout must be set before connect, as the handshake reads too."
)
_PLAIN_SOCKET = (
    say(
        "Call Socket.setSoTimeout before the first read, and connect(address, timeout): both"
        " wait for ever by default."
    ),
)
_WAIT_REMEDIES: dict[str, tuple[str, ...]] = {
    "future": (
        say(
            "Use Future.get(timeout, unit) or CompletableFuture.orTimeout instead of get() and"
            " join(), and handle the time-out by RECONSUME_LATER."
        ),
        say("Look at the pool that has to complete the future: its threads stand in the same dump."),
    ),
    "latch": (say("Use await(timeout, unit): one party that dies leaves all others waiting for ever."),),
    "semaphore": (say("Use tryAcquire(timeout, unit), and release permits in a finally block."),),
    "queue": (
        say(
            "Use poll(timeout, unit) or offer(item, timeout, unit) instead of take() and put():"
            " the other side of the queue does not come."
        ),
    ),
    "condition": (say("Use await(timeout, unit) on the condition, and signal it in a finally block."),),
    "join": (say("Use Thread.join(milliseconds), and look at the thread that does not end."),),
    "object-wait": (
        say("Use wait(milliseconds) in a loop on the condition; the notify was lost or never comes."),
    ),
    "park": (say("Bound the wait: parkNanos or a timed variant of the call above it."),),
    "process": (
        say("Use Process.waitFor(timeout, unit), and read the output of the process: a full pipe stops it."),
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
    "file-read": (say("Look at the pipe, the terminal or the network share that is read."),),
    "class-loading": (
        say("A class is loaded under a lock: look at the thread that loads it, and at the disk."),
    ),
    "select": (say("Bound the select or poll call with a timeout."),),
    "accept": (say("A listener must not accept connections: move it to a thread of its own."),),
}
LOCK_REMEDY = (
    say("Fix what the holder waits for; it is the root cause."),
    say("Do not call remote services while holding a lock; use tryLock(timeout, unit) where a wait must end."),
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
SLEEP_REMEDY = (
    say(
        "Take the sleep out of the listener: a worker that sleeps consumes nothing. To try"
        " again later return RECONSUME_LATER (SUSPEND_CURRENT_QUEUE_A_MOMENT when orderly),"
        " to wait for a time send a delayed message."
    ),
    say("If it is the back-off of a retry loop, bound the loop: the same message may be tried for ever."),
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


def explain(track: Track, view: View, *, computing: bool, starved: bool = False) -> Explanation:
    """What a thread's standstill is."""
    doing = view.doing
    if starved:
        return Explanation("wait", "pool-starved", None, STARVED_REMEDY)
    if track.role == roles.BROKER_SEND:
        return _broker(view)
    if computing or doing == "running":
        if computing:
            return Explanation("cpu", "busy-loop", None, CPU_REMEDY)
        return Explanation("wait", "missing-timeout", _library(view), _WAIT_REMEDIES["park"])
    if doing == "sleep":
        return Explanation("sleep", "sleep-in-listener", None, SLEEP_REMEDY)
    if doing == "class-init":
        return Explanation("lock", "stuck-holder", None, CLASS_INIT_REMEDY)
    if doing in ("monitor", "lock"):
        return Explanation("lock", "stuck-holder", _library(view), LOCK_REMEDY)
    if doing == "pool" and view.cause is not None:
        return Explanation("pool", view.cause.cause, view.cause.library, view.cause.remedy)
    if doing in REMOTE_WAITS:
        return _remote(view)
    if doing == "log":
        if view.locking:
            return Explanation("lock", "stuck-holder", None, _WAIT_REMEDIES["log"])
        return Explanation("wait", "blocked-log-sink", None, _WAIT_REMEDIES["log"])
    remedy: tuple[str, ...] = _WAIT_REMEDIES.get(doing, _WAIT_REMEDIES["park"])
    if view.cause is not None and not view.cause.pool:
        remedy = view.cause.remedy
        if view.through is not None:
            remedy = (view.through[1], *remedy)
    return Explanation("wait", "missing-timeout", _library(view), remedy)


def _library(view: View) -> str | None:
    return view.cause.library if view.cause is not None else None


def _remote(view: View) -> Explanation:
    remedy: list[str] = []
    if view.through is not None:
        remedy.append(view.through[1])
    cause = REMOTE
    if view.cause is not None and not view.cause.pool:
        cause = view.cause.cause
        remedy += view.cause.remedy
    else:
        remedy += _PLAIN_SOCKET
    if view.doing in ("connect", "dns"):
        remedy.insert(0, CONNECT_REMEDY)
    elif any(
        method.endswith(("SSLSocketImpl.startHandshake", ".performInitialHandshake")) for method in view.methods
    ):
        remedy.insert(0, TLS_REMEDY)
    return Explanation("socket-read", cause, _library(view), tuple(remedy))


BROKER_CAUSES: tuple[tuple[tuple[str, ...], str, tuple[str, ...]], ...] = (
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
            say(
                "Look at the slave: its disk, its network, `slave fall behind` lines in store.log;"
                " until it is well, brokerRole=ASYNC_MASTER takes it out of the send path."
            ),
            say("slaveTimeout (3 s, syncFlushTimeout before 4.9.x) bounds the wait."),
        ),
    ),
    (
        ("handleDiskFlush", "GroupCommitService", "waitForFlush", "submitFlushRequest"),
        "slow-disk",
        (
            say(
                "Look at the disk (iostat -x 1): with flushDiskType=SYNC_FLUSH every send waits for"
                " its flush; syncFlushTimeout (5 s) bounds it."
            ),
            say(
                "Where a lost second of messages can be borne, ASYNC_FLUSH takes the disk out of the send path."
            ),
        ),
    ),
)
PAGE_CACHE = "page-cache-busy"
_PAGE_CACHE_REMEDY = (
    say(
        "The write to the page cache is slow: look at PAGECACHERT in store.log, at memory"
        " reclaim and at the disk."
    ),
    say(
        "On an ASYNC_FLUSH master transientStorePoolEnable=true writes to off-heap memory"
        " first; more brokers or faster disks cure it. Longer time-outs and larger queues"
        " only hide it."
    ),
)


def broker_remedy(cause: str) -> tuple[str, ...]:
    """What helps when sends wait for this."""
    return next((remedy for _, known, remedy in BROKER_CAUSES if known == cause), _PAGE_CACHE_REMEDY)


def _broker(view: View) -> Explanation:
    for marks, cause, remedy in BROKER_CAUSES:
        if any(mark in method for method in view.methods for mark in marks):
            return Explanation("broker-put", cause, None, remedy)
    return Explanation("broker-put", PAGE_CACHE, None, _PAGE_CACHE_REMEDY)
