"""What the thread of a stack does: how it rests, what it waits for, and which client library is between."""

from __future__ import annotations

from mqdiag.facts.vocabulary import Doing
from mqdiag.knowledge.library import JDK, Library
from mqdiag.knowledge.lookup import library_of_frame, pool_of_frame
from mqdiag.read.stacks.records import CLASS_INIT, LOCKED, Stack
from mqdiag.threads.rests import rests_in_loop
from mqdiag.threads.wait_table import CARRIER_IDLE, LOOKS_FOR_TASK, idle_methods, known_frames, known_methods

# waits that another machine ends
REMOTE_WAITS = frozenset({"socket-read", "socket-write", "connect", "dns"})
# how bridges from asynchronous code wait for it
_BRIDGE_WAITS = frozenset({"park", "latch", "queue", "condition", "object-wait"})
_READS = frozenset({"read", "receive", "recv"})
"""methods that give what the other side sends: a selector below them waits for one connection, in no loop of events"""
MAX_TOP = 40
"""frames from the top that can show the kind of a wait"""


def is_idle(stack: Stack, methods: tuple[str, ...]) -> bool:
    """Whether a thread rests until there is work.

    Args:
        stack: of the thread.
        methods: "package.Class.method" of its frames, top first.
    """
    if stack.mounted is not None:
        return False
    if methods[:1] == (LOOKS_FOR_TASK,):
        return True
    idle = idle_methods()
    for place, method in enumerate(methods[:MAX_TOP]):
        if method in idle:
            return rests_in_loop(methods, place)
    if not stack.frames:
        # a part of a javacore may name who has or waits for a monitor, and no frames
        return stack.state != "BLOCKED" and not any(lock.kind == LOCKED for lock in stack.locks)
    return any(method in CARRIER_IDLE for method in methods[:MAX_TOP])


def doing_of(stack: Stack, methods: tuple[str, ...]) -> Doing:
    """The kind of wait, from the top frames of the JDK and of Netty."""
    if stack.state == "BLOCKED":
        return "monitor"
    if any(lock.kind == CLASS_INIT for lock in stack.locks):
        return "class-init"
    top = methods[0] if methods else ""
    known = known_frames()
    if top not in known.native_waits:
        # a hand cut the frames of the JDK off; the state still tells that it waits
        return "park" if methods and stack.state in ("WAITING", "TIMED_WAITING") else _spinning(methods)
    kind = known.native_waits[top]
    plumbing = known_methods("plumbing")
    for method in methods[1:MAX_TOP]:
        if method in plumbing:
            continue
        found = known.waits.get(method)
        if found in ("condition", "latch"):
            # part of the queue, latch or join below it, if one follows
            kind = found
            continue
        if found is not None:
            return found
        if not method.startswith(JDK):
            return "socket-read" if kind == "select" and method.rpartition(".")[2] in _READS else kind
    return kind


def _spinning(methods: tuple[str, ...]) -> Doing:
    """Recognise RocketMQ's own spin locks by name, as they look like work."""
    for method in methods[:3]:
        if method.endswith(("PutMessageSpinLock.lock", "AdaptiveBackOffSpinLockImpl.lock")):
            return "lock"
    return "running"


def libraries_of(methods: tuple[str, ...], end: int, doing: Doing) -> tuple[Library | None, Library | None]:
    """The client library nearest to the wait, and the framework between it and the user's code.

    A thread that waits in a pool's frames, but in no network call, waits for a connection. In a network call the pool
    opens one. An SDK stands for the client inside it: only the SDK's settings are in the user's reach.
    """
    library: Library | None = None
    framework: Library | None = None
    in_pool = doing not in REMOTE_WAITS and doing not in ("running", "sleep")
    for method in methods[:end]:
        if in_pool and (library is None or library.kind != "pool"):
            pool = pool_of_frame(method)
            if pool is not None:
                library = pool
                continue
        found = library_of_frame(method)
        if found is None or (found.kind in ("bridge", "pause") and doing in REMOTE_WAITS):
            # they run the network call themselves, in the thread that waits
            continue
        if found.kind == "framework":
            framework = framework or found
        elif library is None or (found.kind == "sdk" and library.kind in ("client", "bridge")):
            library = found
    return library, framework


def refined(doing: Doing, library: Library | None, methods: tuple[str, ...], end: int) -> Doing:
    """A wait in a pool, one in a log appender and one for asynchronous code are named after it."""
    if library is not None and library.kind == "pool":
        return "pool"
    if library is not None and library.kind == "bridge" and doing in _BRIDGE_WAITS:
        return "future"
    loggers = known_frames().loggers
    if doing in ("file-write", "pipe-write", "lock", "monitor", "queue", "condition") and any(
        method.startswith(loggers) for method in methods[:end]
    ):
        return "log" if doing != "monitor" else "monitor"
    if doing == "file-read" and any(method.startswith("java.lang.ClassLoader") for method in methods[:end]):
        return "class-loading"
    return doing
