from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.stacks import Standstill
from mqdiag.text import say
from tests.rules.examples.standstill import example

READ = Standstill(
    kind="socket-read",
    cause="missing-http-timeout",
    library="HttpURLConnection",
    threads=("ConsumeMessageThread_CID_1", "ConsumeMessageThread_CID_2"),
    role="consume-worker",
    pool="ConsumeMessageThread_CID",
    pool_size=2,
    group="CID",
    frame="com.acme.orders.InventoryClient.reserve(InventoryClient.java:48)",
    listener="com.acme.orders.OrderListener.consumeMessage(OrderListener.java:19)",
    wait="sun.nio.ch.SocketDispatcher.read0",
    samples=5,
    seconds=10.4,
    cpu_growth_ms=0.0,
    confidence="high",
    remedy=(say("Call setConnectTimeout and setReadTimeout."),),
)


def fires() -> Facts:
    """Two workers in the same HTTP read in five samples."""
    return example(READ)


def silent() -> Facts:
    """The same threads wait for a lock: another rule's business."""
    return example(
        Standstill(kind="lock", cause="stuck-holder", threads=READ.threads, role=READ.role, group="CID")
    )
