"""A thread of an application that has the name of one of RocketMQ's: a name alone accuses nobody."""

from __future__ import annotations

from collections.abc import Iterable

from mqdiag.knowledge.library import JDK
from mqdiag.threads.listener_frames import runs_something_else
from mqdiag.threads.stack_meaning import StackMeaning

_OF_SERVICES = (
    "rocketmq",
    "dledger",
    "jraft",
    "netty",
    "grpc",
    "guava",
    "com.google.common.",
    "CompletableFuture",
)
"""parts of frames that threads of clients and servers have, relocated or not, in their own work and in callbacks"""


def only_named_service(shown: Iterable[StackMeaning]) -> bool:
    """Whether stacks of a thread that are whole show an application's work, and none of all a frame of RocketMQ's.

    Args:
        shown: stacks of one thread, with the name of any thread of RocketMQ's but a consume thread's.
    """
    works = []
    for meaning in shown:
        if not meaning.whole or meaning.stack.omitted_frames:
            return False
        if any(part in method for method in meaning.methods for part in _OF_SERVICES):
            return False
        works.append(not all(method.startswith(JDK) for method in meaning.methods))
    return any(works)


def only_named_worker(shown: Iterable[StackMeaning]) -> bool:
    """Whether stacks of a thread that are whole show other work, and none of all shows a message.

    Args:
        shown: stacks of one thread; one that is cut denies no name.
    """
    works = []
    for meaning in shown:
        if meaning.run_index >= 0:
            return False
        if meaning.whole and not meaning.idle and not meaning.stack.omitted_frames:
            works.append(meaning.methods)
    return bool(works) and all(map(runs_something_else, works))
