"""Frames that say what a thread waits for: those of the JDK and of libraries, of the files in `knowledge/libraries`."""

from __future__ import annotations

from functools import cache
from typing import Any

from mqdiag.knowledge.library import Threads
from mqdiag.knowledge.library_files import from_libraries, index

# a ForkJoinPool worker searches for a task in this frame; up to JDK 21 the same frame also runs the task
LOOKS_FOR_TASK = "java.util.concurrent.ForkJoinPool.scan"
CARRIER = "java.lang.VirtualThread.runContinuation"
CARRIER_IDLE = frozenset({"java.util.concurrent.ForkJoinPool.deactivate"})


@from_libraries
@cache
def known_frames() -> Threads:
    """What is known of the frames of the JDK and of all libraries.

    Raises:
        KnowledgeError: a file of a library is wrong.
    """
    files = [file.threads for file in index().values() if file.threads is not None]
    return Threads(
        **{name: _joined([getattr(file, name) for file in files]) for name in Threads.__struct_fields__}
    )


def _joined(parts: list[Any]) -> Any:
    if isinstance(parts[0], dict):
        return {key: value for part in parts for key, value in part.items()}
    return tuple(name for part in parts for name in part)


@from_libraries
@cache
def known_methods(key: str) -> frozenset[str]:
    """The whole names of methods under one key of the files."""
    return frozenset(getattr(known_frames(), key))


@from_libraries
@cache
def idle_methods() -> frozenset[str]:
    """The methods in which a thread waits for the next task or event."""
    known = known_frames()
    return frozenset((*known.idle, *known.loops))


@from_libraries
@cache
def lock_calls() -> frozenset[str]:
    """What an application calls for a lock."""
    inside = ("$Sync", "NonfairSync", "FairSync")
    calls = (method for method, kind in known_frames().waits.items() if kind == "lock")
    return frozenset(method for method in calls if not any(map(method.__contains__, inside)))
