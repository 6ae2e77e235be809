from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.stacks import Standstill
from mqdiag.text import say
from tests.rules.examples.standstill import example

SENDS = Standstill(
    kind="broker-put",
    cause="page-cache-busy",
    threads=("SendMessageThread_1", "SendMessageThread_2"),
    role="broker-send",
    pool="SendMessageThread",
    pool_size=2,
    wait="jdk.internal.misc.Unsafe.park",
    samples=5,
    seconds=10.4,
    cpu_growth_ms=0.1,
    confidence="high",
    remedy=(say("Look at PAGECACHERT in store.log."),),
)


def fires() -> Facts:
    """Both send threads wait for the put lock in five samples."""
    return example(SENDS)


def silent() -> Facts:
    """One of ten waits: the others write."""
    return example(
        Standstill(
            kind="broker-put",
            cause="slow-disk",
            threads=("SendMessageThread_1",),
            role="broker-send",
            pool_size=10,
        )
    )
