"""Whether a thread rests: it has nothing to do, or stands where nobody asked anything of it."""

from __future__ import annotations

from mqdiag.threads import roles
from mqdiag.threads.doing import REMOTE_WAITS
from mqdiag.threads.rests import ANSWERS, RESTS, is_rest_of_library
from mqdiag.threads.stack_meaning import StackMeaning
from mqdiag.threads.tracks import Track

ADMISSIONS = frozenset({"monitor", "lock", "pool"})
"""waits that end when the thread is let in: afterwards the same frame of its own does other work"""
NEVER_REST = ADMISSIONS | {"running", "class-init"}
"""a thread that wants to be let in has something to do"""
_ASKS_FOR_WORK = (
    "await", "blmove", "blpop", "brpop", "bzpop", "consume", "dequeue", "join", "listen", "loop", "next", "poll", "pop",
    "psubscribe", "read", "receive", "run", "serve", "subscribe", "take", "watch", "xread",
)  # fmt: skip
"""beginnings of names of a client's methods that wait for work, or for an end, by design"""
_ADDS = (".put", ".putLast", ".putFirst", ".offer", ".offerLast", ".transfer")
"""ends of methods that wait for room in a queue"""
_QUEUES = ("Queue", "Deque")
_MEET = (
    "java.util.concurrent.CyclicBarrier.",
    "java.util.concurrent.Phaser.",
    "java.util.concurrent.Exchanger.",
)
"""classes at which threads wait for each other"""
_PLAIN_ROLES = frozenset({roles.POOL, roles.OTHER})
"""roles of threads that are neither RocketMQ's nor the JVM's own"""


def rests(track: Track, meanings: list[StackMeaning]) -> bool:
    """Whether a thread has nothing to do in any of its samples."""
    first = meanings[0]
    if not at_rest(track, first):
        return False
    return all(meaning is first or at_rest(track, meaning) for meaning in meanings)


def at_rest(track: Track, meaning: StackMeaning) -> bool:
    """Whether it has nothing to do: it waits in the pool's queue or, as a thread of no pool, in its own loop."""
    if meaning.idle:
        return not track.lacks_frames or _waits_in_queue(meaning)
    if track.lacks_frames:
        return False
    if meaning.awaits_end_of_server:
        return True
    if track.role == roles.JVM and meaning.own_index < 0:
        return meaning.doing not in NEVER_REST  # such as the thread that waits for the end of a child process
    if track.is_worker or meaning.in_listener or meaning.doing in NEVER_REST or meaning.makes_store_file:
        return False
    if track.role in roles.WITH_OWN_LOOPS and meaning.own_index < 0:
        # a library's own loop: cleaners, event loops
        return track.role not in _PLAIN_ROLES or is_rest_of_library(
            meaning.doing, meaning.methods, meaning.library
        )
    if track.role == roles.VIRTUAL:
        return meaning.doing in ("queue", "select", "accept")
    return not meaning.in_pool_task and meaning.library is None and meaning.doing in RESTS


def _waits_in_queue(meaning: StackMeaning) -> bool:
    """Whether a frame that is there says that the thread waits for work, whatever is missing below it."""
    return meaning.idle and bool(meaning.stack.frames)


def is_cut_too_high(track: Track, meaning: StackMeaning) -> bool:
    """Whether what is missing decides: all, or what a consume thread was called by."""
    if not meaning.stack.frames:
        return True
    return track.is_worker and meaning.run_index < 0 and not _waits_in_queue(meaning)


def in_request(meaning: StackMeaning) -> bool:
    """Whether it is inside of a call that the user's code made of a client, which asked for no work."""
    library = meaning.library
    if meaning.own_index < 1 or library is None or library.kind not in ("client", "sdk"):
        return False
    call = meaning.methods[meaning.own_index - 1].rpartition(".")[2]
    return not call.startswith(_ASKS_FOR_WORK)


def waits_for_answer(meaning: StackMeaning) -> bool:
    """Whether it waits in such a call for another thread, which takes the answer from the connection."""
    return (meaning.doing in ANSWERS or meaning.doing == "queue") and in_request(meaning)


def waits_for_room(meaning: StackMeaning) -> bool:
    """Whether it waits until others take from a queue that is full."""
    return any(
        method.endswith(_ADDS) and method.rpartition(".")[0].endswith(_QUEUES) for method in meaning.above_own
    )


def needs_others(meaning: StackMeaning) -> bool:
    """Whether the user's code waits for what it needs: an answer of a client, room, the other parts of its work."""
    if meaning.own_index < 0 or not meaning.waits:
        return False
    meets = any(method.startswith(_MEET) for method in meaning.above_own)
    return meets or waits_for_answer(meaning) or waits_for_room(meaning)


def is_no_task(track: Track, meaning: StackMeaning) -> bool:
    """Whether a thread waits in a loop of its own, where nobody knows how long that may take."""
    if track.role not in _PLAIN_ROLES or meaning.in_listener:
        return False
    if meaning.own_index < 0:
        return meaning.doing in REMOTE_WAITS | ANSWERS
    return not meaning.in_pool_task and meaning.library is None and meaning.doing not in NEVER_REST
