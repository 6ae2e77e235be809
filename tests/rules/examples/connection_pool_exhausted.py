from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.stacks import Standstill
from mqdiag.text import say
from tests.rules.examples.standstill import example

DRY = Standstill(
    kind="pool",
    cause="pool-too-small",
    library="HikariCP",
    threads=("ConsumeMessageThread_CID_1", "ConsumeMessageThread_CID_2"),
    role="consume-worker",
    pool="ConsumeMessageThread_CID",
    pool_size=20,
    group="CID",
    frame="com.acme.orders.OrderDao.insert(OrderDao.java:22)",
    listener="com.acme.orders.OrderListener.consumeMessage(OrderListener.java:19)",
    samples=5,
    seconds=10.4,
    cpu_growth_ms=0.0,
    confidence="high",
    remedy=(say("Set maximumPoolSize."),),
)


def fires() -> Facts:
    """Two workers wait in HikariPool.getConnection in five samples."""
    return example(DRY)


def silent() -> Facts:
    """The holders of the connections are another rule's business."""
    return example(Standstill(kind="socket-read", cause="slow-database", threads=DRY.threads, role=DRY.role))
