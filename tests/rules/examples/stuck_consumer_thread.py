from __future__ import annotations

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import ConsumerFacts
from mqdiag.facts.heap_threads import HeapThread, ListenerCall, MessageInHand
from mqdiag.text import say


def _facts(age_ms: int) -> Facts:
    frame = "com.acme.InventoryClient.reserve(InventoryClient.java:48)"
    thread = HeapThread(
        name="ConsumeMessageThread_CID_wash_7",
        role="consume-worker",
        state="RUNNABLE",
        message=MessageInHand(
            group="CID_wash",
            topic="segments",
            queue_topic="segments",
            broker="broker-a",
            queue_id=3,
            offset=2101,
            msg_id="7F0000010000",
            keys="order-77",
            age_ms=age_ms,
            batch=1,
        ),
        frames=("java.net.SocketInputStream.socketRead0(Native Method)", frame),
        call=ListenerCall(
            listener="com.acme.Wash.consumeMessage(Wash.java:20)",
            frame=frame,
            doing="socket-read",
            cause="missing-http-timeout",
            library="Apache HttpClient 4",
            remedy=(say("Set RequestConfig.setSocketTimeout."),),
        ),
    )
    heap = HeapFacts(
        objects=1,
        shallow_bytes=1,
        unreachable_objects=0,
        unreachable_bytes=0,
        consumers=(ConsumerFacts(group="CID_wash", kind="push", config={"consumeTimeout": 15}),),
        process_queues=1,
        threads=(thread,),
    )
    return Facts(heap=heap)


def fires() -> Facts:
    """A thread has been in a socket read for sixteen minutes, and consumeTimeout is fifteen."""
    return _facts(16 * 60_000)


def silent() -> Facts:
    """It has been there for half a minute, which a listener may take."""
    return _facts(30_000)
