"""Which waits are a rest: a thread waits for work, rather than for what its work needs.

A thread that nothing is asked of waits in the queue of its pool, or in a loop of its own. Whatever waits for another
machine, a disk, a result or a lock has something to do. A table.
"""

from __future__ import annotations

from mqdiag.facts.vocabulary import Doing
from mqdiag.knowledge.library import Library
from mqdiag.knowledge.own_code import is_own
from mqdiag.threads.wait_table import known_frames

RESTS: frozenset[Doing] = frozenset(
    {"idle", "queue", "select", "accept", "sleep", "condition", "object-wait", "park", "latch", "join"}
)
"""waits of a library's own loop: for events, orders, the next round, or the end of all"""
ANSWERS: frozenset[Doing] = frozenset({"latch", "condition", "object-wait", "park", "future", "semaphore"})
"""waits that are a rest in a loop, and the wait for an answer in a client"""
_EVENTS: frozenset[Doing] = frozenset({"idle", "queue", "select", "accept"})
_JETTY_TASK = "org.eclipse.jetty.util.thread.QueuedThreadPool.runJob"
_JETTY_RESERVED = "ReservedThreadExecutor$ReservedThread."
"""a thread that waits for the next task inside of one"""
_TAKES = ("Queue.take", "Queue.poll", "Deque.take", "Deque.takeFirst", "WaitStrategy.waitFor")
_WAITS_FOR_ROOM = (".AsyncAppender.append", ".AsyncAppenderBase.put", ".AsyncAppenderBase.append")
"""loggers whose queue is full"""
_NEAR_TOP = 12


def rests_in_loop(methods: tuple[str, ...], place: int) -> bool:
    """Whether a thread waits for work in a loop that is known to do so, and runs nothing of somebody else above it.

    Args:
        methods: of its stack, top first.
        place: of the loop's method.
    """
    waits = known_frames().loops.get(methods[place])
    if waits is not None and not (place and methods[place - 1].startswith(tuple(waits))):
        return False
    return not any(map(is_own, methods[:place]))


def is_rest_of_library(doing: Doing, methods: tuple[str, ...], library: Library | None) -> bool:
    """Whether a thread without frames of the application rests in a loop of a library."""
    if doing == "log":
        # the thread behind an asynchronous appender
        return any(method.endswith(_TAKES) for method in methods[:_NEAR_TOP])
    if doing == "future":
        # a worker of coroutines has nothing to run
        return library is not None and library.kind == "bridge"
    if doing not in RESTS or any(method.endswith(_WAITS_FOR_ROOM) for method in methods):
        return False
    if _JETTY_TASK in methods and doing not in _EVENTS and not any(_JETTY_RESERVED in one for one in methods):
        return False
    # databases' drivers and their like have clocks and actors of their own, which wait on conditions
    return not (doing in ANSWERS and library is not None and library.family == "rpc")
