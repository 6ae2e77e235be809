"""Kind, cause and remedy of a wait without progress; remedies for the waits that no client library explains."""

from __future__ import annotations

from functools import cache
from typing import Literal

import msgspec

from mqdiag.facts.heap_threads import ListenerCall
from mqdiag.facts.vocabulary import Doing, Role, StandstillCause, StandstillKind
from mqdiag.knowledge.library import REMOTE, Call
from mqdiag.knowledge.library_files import from_libraries, index
from mqdiag.knowledge.remedies import remedy as remedy_of
from mqdiag.text import Text
from mqdiag.threads import roles
from mqdiag.threads.doing import REMOTE_WAITS
from mqdiag.threads.stack_meaning import StackMeaning, meaning_of_frames


class CauseOfWait(msgspec.Struct, frozen=True):
    """Why a thread makes no progress, and what helps."""

    kind: StandstillKind
    cause: StandstillCause
    library: str | None
    remedy: tuple[Text, ...]


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
        return CauseOfWait("wait", "pool-starved", None, remedy_of("pool_starved"))
    if role == roles.BROKER_SEND:
        return _broker(meaning)
    if role == roles.POP:
        if doing in ("monitor", "lock"):
            return CauseOfWait("broker-pop", "stuck-holder", None, remedy_of("lock")[:1])
        return CauseOfWait("broker-pop", "missing-timeout", None, remedy_of("broker_pop"))
    if meaning.spins and not meaning.in_full_log_queue:
        return CauseOfWait("wait", "missing-timeout", None, remedy_of("full_ring"))
    if computing or doing == "running":
        if computing:
            return CauseOfWait("cpu", "busy-loop", None, remedy_of("computes"))
        return CauseOfWait("wait", "missing-timeout", _name_of_library(meaning), _of_wait("park"))
    if meaning.in_full_log_queue:
        return CauseOfWait("wait", "blocked-log-sink", None, _of_wait("log"))
    library = meaning.library
    if library is not None and library.kind == "pause":
        return CauseOfWait("sleep", "sleep-in-listener", library.name, library.remedy)
    if doing == "sleep":
        remedy = remedy_of("sleep" if role == roles.CONSUME_WORKER else "sleep_of_others")
        if library is None:
            return CauseOfWait("sleep", "sleep-in-listener", None, remedy)
        return CauseOfWait("sleep", "sleep-in-listener", library.name, (*library.remedy, *remedy[1:]))
    if doing == "class-init":
        return CauseOfWait(
            "lock", "stuck-holder", None, (*remedy_of("class_initializer"), *remedy_of("lock")[:1])
        )
    if doing in ("monitor", "lock"):
        return CauseOfWait("lock", "stuck-holder", _name_of_library(meaning), remedy_of("lock"))
    if library is not None and library.kind == "pool":
        return CauseOfWait("pool", library.cause, library.name, library.remedy)
    if doing in REMOTE_WAITS:
        return _remote(meaning)
    if doing == "log":
        if meaning.locking:
            return CauseOfWait("lock", "stuck-holder", None, _of_wait("log"))
        return CauseOfWait("wait", "blocked-log-sink", None, _of_wait("log"))
    if doing in ("file-write", "pipe-write") and meaning.prints:
        return CauseOfWait("wait", "blocked-log-sink", None, remedy_of("console"))
    remedy = _of_call(meaning) or _of_wait(doing)
    if library is not None:
        remedy = (*_of_framework(meaning), *library.remedy)
    elif doing == "join" and meaning.joins_virtual_thread:
        remedy = (*remedy_of("dump_virtual_threads"), *remedy)
    return CauseOfWait("wait", "missing-timeout", _name_of_library(meaning), remedy)


def _name_of_library(meaning: StackMeaning) -> str | None:
    return meaning.library.name if meaning.library is not None else None


def _of_call(meaning: StackMeaning) -> tuple[Text, ...]:
    return next(
        (call.remedy for methods, call in _calls() if not methods.isdisjoint(meaning.above_own)),
        (),
    )


@from_libraries
@cache
def _calls() -> tuple[tuple[frozenset[str], Call], ...]:
    """Calls with a remedy in their own words; those of the JDK are the first."""
    files = index()
    return tuple(
        (frozenset(call.methods), call) for name in sorted(files, key="jdk".__ne__) for call in files[name].call
    )


def _of_wait(doing: Doing) -> tuple[Text, ...]:
    """What bounds a wait of a kind."""
    try:
        return remedy_of(f"wait_{doing.replace('-', '_')}")
    except KeyError:
        return remedy_of("wait_park")


def _of_framework(meaning: StackMeaning) -> tuple[Text, ...]:
    return meaning.framework.remedy if meaning.framework is not None else ()


def _remote(meaning: StackMeaning) -> CauseOfWait:
    remedy = [*_of_framework(meaning)]
    cause: StandstillCause = REMOTE
    if meaning.library is not None and meaning.library.kind != "pool":
        cause = meaning.library.cause
        remedy += meaning.library.remedy
    else:
        remedy += remedy_of("plain_socket")
    if meaning.doing == "dns":
        remedy = [*remedy_of("dns")]
    elif meaning.doing == "connect":
        remedy[:0] = remedy_of("connect")
    elif any(
        method.endswith(("SSLSocketImpl.startHandshake", ".performInitialHandshake"))
        for method in meaning.methods
    ):
        remedy[:0] = remedy_of("tls_handshake")
    return CauseOfWait("socket-read", cause, _name_of_library(meaning), tuple(remedy))


BROKER_CAUSES: tuple[tuple[tuple[str, ...], StandstillCause], ...] = (
    (
        (
            "handleHA",
            "GroupTransferService",
            "submitReplicaRequest",
            "handleDiskFlushAndHA",
            "waitForReplica",
        ),
        "slow-slave",
    ),
    (("handleDiskFlush", "GroupCommitService", "waitForFlush", "submitFlushRequest"), "slow-disk"),
)
PAGE_CACHE: Literal["page-cache-busy"] = "page-cache-busy"
_BROKER_REMEDIES: dict[StandstillCause, tuple[str, ...]] = {
    "slow-slave": ("look_at_slave", "async_master", "slave_timeout"),
    "slow-disk": ("look_at_disk", "async_flush"),
    PAGE_CACHE: ("slow_page_cache", "pool_if_async_master"),
}


def broker_remedy(cause: StandstillCause) -> tuple[Text, ...]:
    """What helps when sends wait for this."""
    names = _BROKER_REMEDIES.get(cause, _BROKER_REMEDIES[PAGE_CACHE])
    return tuple(text for name in names for text in remedy_of(name))


def _broker(meaning: StackMeaning) -> CauseOfWait:
    cause = next(
        (
            cause
            for marks, cause in BROKER_CAUSES
            if any(mark in method for method in meaning.methods for mark in marks)
        ),
        PAGE_CACHE,
    )
    return CauseOfWait("broker-put", cause, None, broker_remedy(cause))


def listener_call(frames: tuple[str, ...], state: str | None) -> ListenerCall | None:
    """The call of a listener on a stack of a heap dump, which has no second sample; None when there is no listener.

    Args:
        frames: top first.
        state: Thread.State, None when the dump does not say it.
    """
    meaning = meaning_of_frames(frames, state)
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
    meaning = meaning_of_frames(frames, state)
    why = cause_of_wait(roles.VIRTUAL, meaning, computing=meaning.doing == "running")
    return ListenerCall(
        listener=waiting.listener,
        frame=meaning.own_frame or waiting.frame,
        doing=meaning.doing,
        cause=why.cause,
        library=why.library,
        remedy=why.remedy,
    )
