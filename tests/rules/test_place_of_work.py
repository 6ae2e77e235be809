"""Where the workers are, who holds the consumer: what consumer-cache-exceeds-heap and config-not-in-force add."""

from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.heap import ConsumerOwner
from mqdiag.facts.heap_classes import EqualNumber
from mqdiag.facts.heap_threads import HeapThread, ListenerCall, MessageInHand
from mqdiag.rules import config_not_in_force
from mqdiag.rules import consumer_cache_exceeds_heap as module
from tests.rules.checks import findings, said, with_consumer, with_heap
from tests.rules.examples import example_of

HOLD = "com.acme.StockClient.hold(StockClient.java:31)"
OWNER = ConsumerOwner(
    label="com.acme.StockConsumer.consumer",
    object_id="0x10",
    equal_numbers=(
        EqualNumber(field="com.acme.BaseConsumer.defaultThreshold", setting="pullThresholdForQueue", value=100),
        EqualNumber(field="com.acme.BaseConsumer.sizeMib", setting="pullThresholdSizeForQueue", value=100),
    ),
)


def _worker(number: int, age_ms: int | None, frame: str = HOLD) -> HeapThread:
    call = ListenerCall(
        listener="com.acme.Stock.consumeMessage(Stock.java:9)",
        frame=frame,
        doing="sleep",
        cause="sleep-in-listener",
    )
    message = MessageInHand(group="CID_wash", topic="t", age_ms=age_ms)
    return HeapThread(name=f"ConsumeMessageThread_{number}", message=message, call=call)


def _facts(*threads: HeapThread, out_of_memory: bool = True, **consumer: object) -> Facts:
    facts = with_consumer(example_of(module).fires(), pool_threads=20, **consumer)
    return with_heap(facts, threads=threads, out_of_memory=out_of_memory)


def test_the_frame_of_the_workers_and_the_longest_time_are_told() -> None:
    threads = [_worker(number, 40_000 - number) for number in range(19)]
    (finding,) = findings(module, _facts(*threads, _worker(19, 5, "com.acme.Other.run(Other.java:1)")))
    assert finding.evidence["worker_frame"] == HOLD
    assert (finding.evidence["workers_there"], finding.evidence["workers"]) == (19, 20)
    assert finding.evidence["worker_age_ms"] == 40_000
    assert f"19 of 20 consume threads are in {HOLD}; the longest call has taken 40 s so far." in said(finding)


def test_without_start_times_the_frame_is_told_alone() -> None:
    (finding,) = findings(module, _facts(_worker(1, None)))
    assert finding.evidence["worker_age_ms"] is None
    assert f"1 of 20 consume threads is in {HOLD}." in said(finding)


def test_threads_of_another_group_do_not_count() -> None:
    other = HeapThread(name="x", message=MessageInHand(group="CID_other"), call=_worker(1, 1).call)
    (finding,) = findings(module, _facts(other))
    assert "worker_frame" not in finding.evidence


def test_after_an_out_of_memory_error_no_thread_dumps_of_that_jvm_are_to_explain_the_listener() -> None:
    (dead,) = findings(module, _facts(_worker(1, 40_000)))
    assert "thread dumps" not in said(dead)
    (unknown,) = findings(module, _facts())
    assert "after the restart, take five thread dumps" in said(unknown)
    (alive,) = findings(module, _facts(_worker(1, 40_000), out_of_memory=False))
    assert "Take five thread dumps" in said(alive)


def test_the_number_that_equals_the_threshold_is_named() -> None:
    (finding,) = findings(module, _facts(owner=OWNER))
    assert finding.evidence["owner_field"] == "com.acme.StockConsumer.consumer"
    assert finding.evidence["equal_fields"] == ("com.acme.BaseConsumer.defaultThreshold",)
    told = said(finding)
    assert (
        "com.acme.StockConsumer.consumer holds the consumer; 100, the value of pullThresholdForQueue in force, is also"
        " in com.acme.BaseConsumer.defaultThreshold." in told
    )
    assert "Look first at the code that uses com.acme.BaseConsumer.defaultThreshold:" in told


def test_an_owner_without_an_equal_number_is_named_alone() -> None:
    owner = ConsumerOwner(label="com.acme.StockConsumer.consumer", object_id="0x10")
    (finding,) = findings(module, _facts(owner=owner))
    assert "com.acme.StockConsumer.consumer holds the consumer." in said(finding)
    assert "Look first" not in said(finding)


def test_who_overrides_a_setting_is_told_where_it_was_intended_otherwise() -> None:
    (finding,) = findings(
        config_not_in_force, with_consumer(example_of(config_not_in_force).fires(), owner=OWNER)
    )
    assert finding.evidence["equal_fields"] == ("com.acme.BaseConsumer.defaultThreshold",)
    assert "it may set pullThresholdForQueue after your configuration" in said(finding)
