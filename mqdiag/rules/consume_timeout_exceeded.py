"""A listener works on a message for longer than consumeTimeout: the client sends it back, and it is consumed twice."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.facts.bounds import whole
from mqdiag.facts.heap import QueueFacts
from mqdiag.findings import Margin, Subject
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.consumers import queue_name

RULE = Rule("consume-timeout-exceeded")
MINUTE_MS = 60_000


@RULE.ages
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """One finding for each group."""
    margins: list[Margin] = []
    for group in dict.fromkeys(consumer.group for consumer in heap.consumers):
        consumer = next(one for one in heap.consumers if one.group == group)
        timeout = whole(consumer.config.get("consumeTimeout"))
        if timeout is None or timeout <= 0 or consumer.orderly:
            continue  # before 3.5.3 there is no such limit; orderly queues are not cleaned
        in_listener = [
            one for one in heap.queues if one.group == group and one.longest_consume_age_ms is not None
        ]
        if not in_listener:
            continue
        worst = max(in_listener, key=_age_ms)
        age = _age_ms(worst)
        if age < timeout * MINUTE_MS:
            margins.append(RULE.margin("consume-timeout", age, timeout * MINUTE_MS, group=group))
            continue
        yield RULE.case(
            "slow-listener",
            worst,
            subject=Subject(group=group),
            evidence={
                "consumeTimeout": timeout,
                "queues": sum(_age_ms(queue) >= timeout * MINUTE_MS for queue in in_listener),
                "suggested_consumeTimeout": max(2 * timeout, age // MINUTE_MS + 1),
            },
            words={"queue": queue_name(worst)},
            age_ms=age,
        )
    if margins:
        yield max(margins, key=lambda margin: margin.value / margin.limit)


def _age_ms(queue: QueueFacts) -> int:
    return queue.longest_consume_age_ms or 0
