"""A thread that computes for one message while the others finish theirs: which message, and what to bound."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.heap_threads import HeapThread, MessageInHand
from mqdiag.facts.stacks import Standstill
from mqdiag.language import english
from mqdiag.rules import cpu_bound_listener
from tests.rules.checks import findings
from tests.rules.examples.consumer import example as consumer_example

LOOP: dict[str, Any] = {
    "kind": "cpu",
    "cause": "busy-loop",
    "threads": ("worker_1",),
    "role": "consume-worker",
    "pool": "worker",
    "pool_size": 20,
    "group": "CID",
    "frame": "com.acme.Price.inCents(Price.java:12)",
    "samples": 5,
    "seconds": 12.0,
    "decided": False,
}


def told(
    wait: str = "java.math.BigInteger.square", age_ms: int | None = 35_000, size: int = 20
) -> tuple[str, str]:
    """Cause and first action."""
    message = MessageInHand(
        topic="orders", queue_id=2, offset=240, broker="broker-a", keys="order-7", age_ms=age_ms
    )
    heap = msgspec.structs.replace(
        consumer_example().heap, threads=(HeapThread(name="worker_1", message=message),)
    )
    still = Standstill(**{**LOOP, "wait": wait, "pool_size": size})
    stacks = StacksFacts(samples=5, seconds=12.0, judged=True, has_cpu=True, standstills=(still,))
    (finding,) = findings(cpu_bound_listener, Facts(stacks=stacks, heap=heap))
    text = " ".join(english()(line) for line in (*finding.explanation, *finding.remedy))
    return str(finding.cause), text


@pytest.mark.parametrize(
    ("wait", "word"),
    [
        ("java.math.BigDecimal.setScale", "precision and scale"),
        ("java.util.regex.Pattern$Loop.match", "backtrack"),
        ("com.fasterxml.jackson.core.json.UTF8StreamJsonParser.nextToken", "depth of the document"),
        ("com.acme.Sort.bubble", "does not end a computation"),
    ],
)
def test_the_action_fits_what_is_computed(wait: str, word: str) -> None:
    cause, text = told(wait)
    assert cause == "poison-message"
    assert word in text
    assert "queue 2 on broker-a, offset 240, keys order-7, for 35 s" in text


@pytest.mark.parametrize("case", [{"age_ms": 11_000}, {"age_ms": None}, {"size": 1}])
def test_a_short_time_or_a_pool_that_all_computes_is_no_poison(case: dict[str, Any]) -> None:
    assert told(**case)[0] == "busy-loop"
