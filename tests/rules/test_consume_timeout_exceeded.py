"""consume-timeout-exceeded: from when on it fires, and which timeout it suggests."""

from __future__ import annotations

import msgspec

from mqdiag.rules import consume_timeout_exceeded
from tests.folded import folded
from tests.rules.checks import findings, heap_of, margins, said, with_consumer, with_heap, with_queue
from tests.rules.examples import example_of

MINUTE = 60_000


@folded(
    "age, consumer, fires",
    [
        (15 * MINUTE, {}, True),
        (15 * MINUTE - 1, {}, False),
        (None, {}, False),
        (60 * MINUTE, {"orderly": True}, False),
        (60 * MINUTE, {"config": {}}, False),
        (2 * MINUTE, {"config": {"consumeTimeout": 2}}, True),
    ],
)
def test_consume_timeout(age: int | None, consumer: dict[str, object], fires: bool) -> None:
    facts = with_queue(example_of(consume_timeout_exceeded).fires(), longest_consume_age_ms=age)
    assert bool(findings(consume_timeout_exceeded, with_consumer(facts, **consumer))) is fires


def test_the_consume_timeout_named_is_above_the_work() -> None:
    """Four minutes of work with a limit of one: twice the limit would end it too."""
    facts = with_consumer(
        with_queue(example_of(consume_timeout_exceeded).fires(), longest_consume_age_ms=4 * MINUTE + 2000),
        config={"consumeTimeout": 1},
    )
    (found,) = findings(consume_timeout_exceeded, facts)
    assert "setConsumeTimeout(5)" in said(found)


def test_a_healthy_group_learns_how_close_its_timeout_is() -> None:
    (margin,) = margins(consume_timeout_exceeded, example_of(consume_timeout_exceeded).silent())
    assert (margin.value, margin.limit, margin.kind) == (14 * MINUTE, 15 * MINUTE, "ms")
    unused = with_queue(example_of(consume_timeout_exceeded).silent(), longest_consume_age_ms=None)
    assert margins(consume_timeout_exceeded, unused) == ()


def test_of_several_groups_the_one_nearest_to_its_timeout_is_shown() -> None:
    facts = example_of(consume_timeout_exceeded).silent()
    heap = heap_of(facts)
    slower = msgspec.structs.replace(heap.consumers[0], group="CID_slow", config={"consumeTimeout": 60})
    queue = msgspec.structs.replace(heap.queues[0], group="CID_slow", longest_consume_age_ms=30 * MINUTE)
    both = with_heap(facts, consumers=(slower, *heap.consumers), queues=(queue, *heap.queues))
    (margin,) = margins(consume_timeout_exceeded, both)
    assert (margin.value, margin.limit) == (14 * MINUTE, 15 * MINUTE)
