from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.stacks import Standstill
from mqdiag.text import say
from tests.rules.examples.standstill import example

CONVOY = Standstill(
    kind="lock",
    cause="stuck-holder",
    threads=("ConsumeMessageThread_CID_1", "ConsumeMessageThread_CID_2"),
    role="consume-worker",
    pool="ConsumeMessageThread_CID",
    pool_size=3,
    group="CID",
    frame="com.acme.orders.StockLedger.post(StockLedger.java:17)",
    listener="com.acme.orders.OrderListener.consumeMessage(OrderListener.java:19)",
    samples=5,
    seconds=10.4,
    cpu_growth_ms=0.0,
    confidence="high",
    holder="ConsumeMessageThread_CID_3",
    holder_does="socket-read at com.acme.orders.InventoryClient.reserve(InventoryClient.java:48)",
    lock_class="com.acme.orders.StockLedger",
    remedy=(say("Fix what the holder waits for."),),
)


def fires() -> Facts:
    """Two workers blocked on a monitor of a third."""
    return example(CONVOY)


def silent() -> Facts:
    """A network call holds nobody up."""
    return example(
        Standstill(kind="socket-read", cause="slow-remote", threads=CONVOY.threads, role=CONVOY.role)
    )
