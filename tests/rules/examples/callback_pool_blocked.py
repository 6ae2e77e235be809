from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.stacks import Standstill
from mqdiag.text import say
from tests.rules.examples.standstill import example

HUNG = Standstill(
    kind="socket-read",
    cause="missing-http-timeout",
    threads=("NettyClientPublicExecutor_1", "NettyClientPublicExecutor_2"),
    role="client-callback",
    pool="NettyClientPublicExecutor",
    pool_size=2,
    frame="com.acme.orders.Audit.onSuccess(Audit.java:20)",
    samples=5,
    seconds=10.4,
    cpu_growth_ms=0.0,
    confidence="high",
    remedy=(say("Set a read timeout."),),
)


def fires() -> Facts:
    """Both callback threads in the same HTTP call."""
    return example(HUNG)


def silent() -> Facts:
    """One of two is free: pulls go on."""
    return example(
        Standstill(
            kind="socket-read",
            cause="slow-remote",
            threads=HUNG.threads[:1],
            role=HUNG.role,
            pool=HUNG.pool,
            pool_size=2,
        )
    )
