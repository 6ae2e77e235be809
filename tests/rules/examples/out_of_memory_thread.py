from __future__ import annotations

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap_threads import HeapThread


def _facts(hit: bool) -> Facts:
    thread = HeapThread(
        name="NettyClientPublicExecutor_1",
        role="client-callback",
        hit_out_of_memory=hit,
        frames=(
            "java.lang.OutOfMemoryError.<init>(OutOfMemoryError.java:48)",
            "org.apache.rocketmq.common.message.MessageDecoder.decode(MessageDecoder.java:320)",
        )[0 if hit else 1 :],
    )
    heap = HeapFacts(
        objects=1,
        shallow_bytes=1,
        unreachable_objects=0,
        unreachable_bytes=0,
        threads=(thread,),
        out_of_memory=hit,
    )
    return Facts(heap=heap)


def fires() -> Facts:
    """The pull callback failed while it decoded messages."""
    return _facts(True)


def silent() -> Facts:
    """The same thread in a dump that was asked for."""
    return _facts(False)
