"""What a stack means: what its thread does, which code asked for it, and which client library is between."""

from __future__ import annotations

from functools import cached_property

import msgspec
from msgspec import structs

from mqdiag.facts.vocabulary import Doing
from mqdiag.knowledge.library import JDK, Library, ListenerContainer
from mqdiag.knowledge.lookup import container_of
from mqdiag.knowledge.own_code import is_hidden, is_own, method_of, unshaded
from mqdiag.read.stacks.records import CLASS_INIT, LockLine, Stack
from mqdiag.read.stacks.whole import has_first_frame
from mqdiag.threads.doing import MAX_TOP, doing_of, is_idle, libraries_of, refined
from mqdiag.threads.listener_frames import consume_request_at, listener_at, named_listener_at
from mqdiag.threads.wait_table import (
    CARRIER,
    known_frames,
    known_methods,
    lock_calls,
)

_MAKES_FILE = (
    "AllocateMappedFileService.mmapOperation",
    "AllocateMapedFileService.mmapOperation",
)
"""what makes a broker's next file; its thread waits in there for the next order too"""
RUNS_HOOKS = "java.lang.ApplicationShutdownHooks.runHooks"
"""in the stack of the thread that waits for the shutdown hooks"""
INITIALIZER = ".<clinit>"
_SOME_CLASS = LockLine(CLASS_INIT, "", 0, -1)
"""a wait for a class that the dump does not name"""
SHOWN_TOP = 2
"""frames from the top that are always shown"""


class StackMeaning(msgspec.Struct, frozen=True, eq=False, dict=True):
    """What one distinct stack shows; what needs a look at all frames is worked out once for all its threads."""

    stack: Stack
    methods: tuple[str, ...]
    """"package.Class.method" of the frames, top first; a relocated library has its original package"""
    doing: Doing
    idle: bool
    run_index: int
    """place of ConsumeRequest.run, or of the gRPC client's ConsumeTask.call, -1 when there is none"""
    listener: str | None
    own_index: int
    """place of the user's own frame nearest to the wait, -1 when there is none"""
    work: tuple[str, ...]
    """frames from the user's own frame down to the listener, without hidden ones: what is compared over samples"""
    library: Library | None
    """the client library in which it waits, or the pool that it wants a connection of"""
    framework: Library | None
    """the framework between that library and the user's code"""
    in_pool_task: bool
    """runs a task of a thread pool"""
    top: str | None
    locking: str | None
    """the method that calls lock(), when it waits for a java.util.concurrent lock"""
    whole: bool
    """the frame with which the thread began is there; what is missing below the others may be anything"""

    @property
    def in_listener(self) -> bool:
        """At work for a message."""
        return self.listener is not None

    @property
    def own_frame(self) -> str | None:
        """The user's own frame nearest to the wait."""
        return self.stack.frames[self.own_index] if self.own_index >= 0 else None

    @property
    def telling_frame(self) -> str | None:
        """The user's own frame, else the first one that is not the JDK's."""
        if self.own_frame is not None:
            return self.own_frame
        pairs = zip(self.stack.frames, self.methods, strict=True)
        outside = (frame for frame, method in pairs if not method.startswith(JDK))
        return next(outside, self.stack.frames[0] if self.stack.frames else None)

    @property
    def waits(self) -> bool:
        """Whether it waits for something rather than computes."""
        return self.doing not in ("running", "idle")

    @property
    def above_own(self) -> tuple[str, ...]:
        """The methods above the user's own frame nearest to the wait; without one, the top of the stack."""
        return self.methods[: self.own_index if self.own_index >= 0 else MAX_TOP]

    @cached_property
    def visible_frames(self) -> tuple[str, ...]:
        """The frames that every form of dump shows."""
        return _visible(self.stack.frames, self.methods)

    @cached_property
    def awaits_end_of_server(self) -> bool:
        """Whether it began a server, and waits for the server's end, which no listener and no task of a pool does."""
        return not (self.in_listener or self.in_pool_task) and not known_methods("serves").isdisjoint(
            self.methods
        )

    @cached_property
    def serves_in_turn(self) -> bool:
        """Whether it runs code of the user as one of many tasks, or rounds, that run one after the other."""
        return self.own_index >= 0 and not known_methods("serial_runners").isdisjoint(self.methods)

    @cached_property
    def initializes(self) -> list[str]:
        """Classes whose static initializers it runs, the innermost first."""
        return [method.removesuffix(INITIALIZER) for method in self.methods if method.endswith(INITIALIZER)]

    @cached_property
    def reads_body(self) -> bool:
        """Whether it is in the middle of an HTTP answer."""
        ends = known_frames().answer_bodies
        return self.doing == "socket-read" and any(method.endswith(ends) for method in self.methods)

    @cached_property
    def in_full_log_queue(self) -> bool:
        """Whether it waits for room in the queue of an asynchronous logger."""
        ends = known_frames().full_log_queues
        return any(method.endswith(ends) for method in self.methods[:MAX_TOP])

    @cached_property
    def waits_to_log(self) -> bool:
        """Whether it waits below a call of a logger: for room in its queue, or for its sink."""
        known = known_frames()
        logging = (*known.loggers, *known.log_facades)
        return self.in_full_log_queue or (
            self.waits and any(method.startswith(logging) for method in self.above_own)
        )

    @cached_property
    def prints(self) -> bool:
        """Whether it writes through a PrintStream, such as the standard output."""
        return any(method.startswith("java.io.PrintStream.") for method in self.methods[:MAX_TOP])

    @cached_property
    def joins_virtual_thread(self) -> bool:
        """Whether it waits for the end of a virtual thread."""
        return "java.lang.VirtualThread.joinNanos" in self.methods[:MAX_TOP]

    @cached_property
    def waits_in_steps(self) -> bool:
        """Whether it is in a library that checks again and again if it still has to wait."""
        stepped = known_frames().stepped_waits
        return self.waits and any(method.startswith(stepped) for method in self.methods)

    @cached_property
    def spins(self) -> bool:
        """Whether it waits for room in a way that uses CPU time for as long as it waits."""
        spinning = known_frames().spinning_waits
        return any(method.startswith(spinning) for method in self.above_own)

    @cached_property
    def makes_store_file(self) -> bool:
        """Whether it makes a file of a broker's store at this moment."""
        return self.doing not in ("idle", "queue") and any(
            method.endswith(_MAKES_FILE) for method in self.methods[:MAX_TOP]
        )

    @cached_property
    def container(self) -> ListenerContainer | None:
        """What calls the listener in place of the plain client."""
        return container_of(self.methods[: self.run_index + 1])

    @cached_property
    def takes_dump(self) -> bool:
        """Whether it asks the JVM for the very dump that shows it."""
        return self.doing == "running" and not known_methods("dump_takers").isdisjoint(self.methods[:SHOWN_TOP])

    @cached_property
    def runs_hooks(self) -> bool:
        """Whether it waits for the shutdown hooks: it called System.exit, or handles a signal."""
        return RUNS_HOOKS in self.methods

    @cached_property
    def own_classes(self) -> frozenset[str]:
        """Outermost classes of the application in it, down to the listener."""
        end = self.run_index if self.run_index >= 0 else len(self.methods)
        return frozenset(
            method.rpartition(".")[0].partition("$")[0] for method in self.methods[:end] if is_own(method)
        )

    @cached_property
    def in_pipe(self) -> bool:
        """Whether it waits for the thread at the other end of a pipe."""
        pipes = known_frames().pipes
        return self.waits and any(method.startswith(pipes) for method in self.methods[:MAX_TOP])


class StackMeanings:
    """Understands every distinct stack once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, bool], StackMeaning] = {}
        self._stacks: list[Stack] = []
        """kept alive, so that no other stack can get the id of one"""

    def of(self, stack: Stack, in_object_wait: bool) -> StackMeaning:
        """The meaning of a stack.

        Args:
            stack: of one thread.
            in_object_wait: the thread's header says so.
        """
        # before JDK 17 the header alone shows that a thread waits for a class: it is RUNNABLE and in Object.wait()
        for_class = in_object_wait and stack.state == "RUNNABLE"
        key = (id(stack), for_class)
        found = self._known.get(key)
        if found is None:
            meant = structs.replace(stack, locks=(*stack.locks, _SOME_CLASS)) if for_class else stack
            found = self._known[key] = meaning_of(meant)
            self._stacks.append(stack)
        return found


def meaning_of(stack: Stack) -> StackMeaning:
    """Understand a stack."""
    methods = unshaded(stack.methods)
    run_index = consume_request_at(methods)
    end = run_index if run_index >= 0 else len(methods)
    listener_index = listener_at(methods, run_index) if run_index >= 0 else -1
    own_index = _own(methods, end)
    idle = run_index < 0 and is_idle(stack, methods)
    doing: Doing = "idle" if idle else doing_of(stack, methods)
    library = None
    framework = None
    if not idle:
        library, framework = libraries_of(methods, own_index if own_index >= 0 else end, doing)
        doing = refined(doing, library, methods, own_index if own_index >= 0 else end)
    listener = None
    if run_index >= 0 and (listener_index >= 0 or own_index >= 0):
        listener = stack.frames[named_listener_at(methods, listener_index, own_index, run_index)]
    first = own_index if own_index >= 0 else 0
    return StackMeaning(
        stack=stack,
        methods=methods,
        doing=doing,
        idle=idle,
        run_index=run_index,
        listener=listener,
        own_index=own_index,
        work=_visible(stack.frames[first:end], methods[first:end])
        if run_index >= 0 or own_index >= 0
        else _visible(stack.frames, methods),
        library=library,
        framework=framework,
        in_pool_task=not idle
        and not known_methods("task_runners").isdisjoint(methods[1:])
        and CARRIER not in methods,
        top=stack.methods[0] if methods else None,
        locking=_locking(methods) if doing in ("lock", "log") else None,
        whole=has_first_frame(methods),
    )


def meaning_of_frames(frames: tuple[str, ...], state: str | None) -> StackMeaning:
    """Understand a stack of a heap dump.

    Args:
        frames: top first.
        state: Thread.State, None when the dump does not say it.
    """
    methods = tuple(method_of(frame) for frame in frames)
    return meaning_of(Stack(state=state or "", detail="", frames=frames, methods=methods))


def _visible(frames: tuple[str, ...], methods: tuple[str, ...]) -> tuple[str, ...]:
    """Frames without those that jstack prints and Thread.dump_to_file leaves out."""
    if not any(is_hidden(method) for method in methods):
        return frames
    return tuple(frame for frame, method in zip(frames, methods, strict=True) if not is_hidden(method))


def _own(methods: tuple[str, ...], end: int) -> int:
    for index in range(end):
        if is_own(methods[index]):
            return index
    return -1


def _locking(methods: tuple[str, ...]) -> str | None:
    """The caller of lock(): a thread that is in the same method and does not wait may hold the lock."""
    calls = lock_calls()
    for index, method in enumerate(methods[:MAX_TOP]):
        if method in calls or method.endswith(("PutMessageSpinLock.lock", "PutMessageReentrantLock.lock")):
            caller = index + 1
            # TopicQueueLock.lock and the like only pass the call on; the holder has left them
            while caller < len(methods) and methods[caller].endswith(".lock"):
                caller += 1
            return methods[caller] if caller < len(methods) else None
    return None
