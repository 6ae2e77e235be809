from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.stacks import Standstill
from mqdiag.text import say
from tests.rules.examples.standstill import example

LOOP = Standstill(
    kind="cpu",
    cause="busy-loop",
    threads=("ConsumeMessageThread_CID_1",),
    role="consume-worker",
    pool="ConsumeMessageThread_CID",
    pool_size=3,
    group="CID",
    frame="com.acme.orders.Address.parse(Address.java:12)",
    samples=5,
    seconds=10.4,
    cpu_growth_ms=9900.0,
    confidence="high",
    remedy=(say("Limit the input of the regular expression."),),
)


def fires() -> Facts:
    """One worker that computes in the same place and allocates nothing."""
    return example(LOOP)


def silent() -> Facts:
    """A wait is no computation."""
    return example(Standstill(kind="wait", cause="missing-timeout", threads=LOOP.threads, role=LOOP.role))
