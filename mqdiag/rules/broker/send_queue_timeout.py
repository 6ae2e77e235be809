"""Sends wait too long for a thread of the broker."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.broker import RequestQueue
from mqdiag.findings import Severity
from mqdiag.rules.broker._example import example
from mqdiag.rules.broker._remedies import TIMEOUTS
from mqdiag.rules.broker._send_queue_timeout_admin import in_admin
from mqdiag.rules.broker._send_queue_timeout_heap import in_heap
from mqdiag.rules.broker._send_queue_timeout_logs import in_logs
from mqdiag.rules.registry import Draft, Limits, Skip, rule


def fires() -> Facts:
    """A long queue whose head waits for a second."""
    return example(send_queue=RequestQueue(size=700, capacity=10_000, head_wait_ms=1000))


def silent() -> Facts:
    """Three requests that look old after a collection of a third of a second."""
    return example(send_queue=RequestQueue(size=3, capacity=10_000, head_wait_ms=330))


@rule(
    name="send-queue-timeout",
    title="Sends wait in the broker's queue until they are thrown out",
    why=(
        "A send that waits for longer than waitTimeMillsInSendQueue (200 ms) is answered with"
        " [TIMEOUT_CLEAN_QUEUE]broker busy, the commonest of the busy errors. It says that no thread was free in time,"
        " not that the page cache is slow: a collection, one send thread, a synchronous flush or slave or a busy CPU"
        " do it as well."
    ),
    causes=("page-cache-busy", "sync-flush", "sync-slave", "short-limit", "one-send-thread", "slow-sends"),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=TIMEOUTS,
    references=(
        "https://github.com/apache/rocketmq/issues/2471",
        "https://github.com/apache/rocketmq/issues/5088",
        "BrokerFastFailure.cleanExpiredRequest, RequestTask.createTimestamp",
    ),
    any_of=("heap", "logs", "admin"),
    limits={"requests": 100, "wait_ms": 3000, "answers": 10},
    explained_by=(
        "page-cache-busy",
        "transient-pool-exhausted",
        "slave-behind:slow-slave",
        "stuck-lock-time",
        "broker-send-blocked",
    ),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each broker of a heap or of brokerStatus, one for all logs."""
    yield from in_heap(facts, limits)
    yield from in_logs(facts, limits)
    yield from in_admin(facts, limits)
