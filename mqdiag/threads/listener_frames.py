"""Where a stack calls a listener of messages, and which frame its author knows it by."""

from __future__ import annotations

from mqdiag.knowledge.library import JDK
from mqdiag.knowledge.own_code import is_own

_CONSUME_REQUESTS = frozenset(
    (
        "ConsumeMessageConcurrentlyService$ConsumeRequest.run",
        "ConsumeMessageOrderlyService$ConsumeRequest.run",
        "ConsumeMessagePopConcurrentlyService$ConsumeRequest.run",
        "ConsumeMessagePopOrderlyService$ConsumeRequest.run",
    )
)
_GRPC_TASK = ".client.java.impl.consumer.ConsumeTask.call"
"""what runs a listener of the gRPC client; a bridge method of the same name stands below it"""
_LISTENER_METHODS = (".consumeMessage", ".consume")
"""methods of MessageListenerConcurrently and MessageListenerOrderly; of the gRPC client's MessageListener"""
_CONSUMES = ("consume", "onmessage")
"""in small letters, a part of every name by which RocketMQ's services and listeners run a message, relocated or not"""
_EXECUTOR = "java.util.concurrent.ThreadPoolExecutor."


def consume_request_at(methods: tuple[str, ...]) -> int:
    """The place of ConsumeRequest.run, or of the gRPC client's ConsumeTask.call; -1 when there is none."""
    for index in range(len(methods) - 1, -1, -1):
        method = methods[index]
        if method.endswith("$ConsumeRequest.run"):
            # shaded and renamed clients keep the simple names
            name = method[method.rfind(".", 0, method.rfind(".")) + 1 :]
            if name in _CONSUME_REQUESTS:
                return index
        elif method.endswith(_GRPC_TASK):
            return index
    return -1


def runs_something_else(methods: tuple[str, ...]) -> bool:
    """Whether a whole stack shows work outside of the services and listeners in which a consume thread does its own.

    A worker of a pool between two tasks runs the pool's own frames only: it tells neither.
    """
    if any(part in method.lower() for method in methods for part in _CONSUMES):
        return False
    in_executor = any(method.startswith(_EXECUTOR) for method in methods)
    return not (in_executor and all(method.startswith(JDK) for method in methods))


def listener_at(methods: tuple[str, ...], run: int) -> int:
    """The lowest call of the listener's own method above what runs it."""
    wanted = _LISTENER_METHODS[methods[run].endswith(_GRPC_TASK)]
    for index in range(run - 1, -1, -1):
        if methods[index].endswith(wanted):
            return index
    return -1


def named_listener_at(methods: tuple[str, ...], listener: int, own: int, run: int) -> int:
    """The place of the listener as its author knows it: a wrapper of Spring or an agent is passed over."""
    if listener >= 0 and is_own(methods[listener]):
        return listener
    below = listener if listener >= 0 else run
    for index in range(below - 1, -1, -1):
        if is_own(methods[index]):
            return index
    return listener if listener >= 0 else own
