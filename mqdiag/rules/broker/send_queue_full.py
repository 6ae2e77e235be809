"""The broker's queue of sends is full."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.broker import RequestQueue
from mqdiag.findings import Severity
from mqdiag.rules.broker._example import example
from mqdiag.rules.broker._remedies import BUSY
from mqdiag.rules.broker._send_queue_full_admin import in_admin
from mqdiag.rules.broker._send_queue_full_heap import in_heap
from mqdiag.rules.broker._send_queue_full_logs import in_logs
from mqdiag.rules.registry import Draft, Limits, Skip, rule


def fires() -> Facts:
    """As many sends wait as the queue takes."""
    return example(send_queue=RequestQueue(size=10_000, capacity=10_000, head_wait_ms=2500))


def silent() -> Facts:
    """A tenth of them."""
    return example(send_queue=RequestQueue(size=1000, capacity=10_000, head_wait_ms=90))


@rule(
    name="send-queue-full",
    title="The broker refuses messages because its send queue is full",
    why=(
        "Sends wait in a queue of sendThreadPoolQueueCapacity requests until a send thread takes them. When more come"
        " in than are written, the queue fills up, and what comes then is refused with [OVERLOAD]system busy."
    ),
    causes=("overload", "small-queue"),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=BUSY,
    references=(
        "article 001: system busy and broker busy",
        "BrokerController.sendThreadPoolQueue, NettyRemotingAbstract.processRequestCommand",
    ),
    any_of=("heap", "logs", "admin"),
    limits={"share": 0.9},
    explained_by=("page-cache-busy", "stuck-lock-time", "broker-send-blocked"),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each broker of a heap or of brokerStatus, one for all logs."""
    yield from in_heap(facts, limits)
    yield from in_logs(facts)
    yield from in_admin(facts, limits)
