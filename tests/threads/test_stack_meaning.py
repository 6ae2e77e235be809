"""What one stack means: whose code it is in, and whether the thread rests."""

from __future__ import annotations

from pathlib import Path

import msgspec

from mqdiag.read.stacks.body import parse_stack
from mqdiag.threads.stack_meaning import StackMeaning, meaning_of
from tests.threads.made import At, facts

CONSUME = (
    "org.apache.rocketmq.client.impl.consumer.ConsumeMessageConcurrentlyService$ConsumeRequest.run",
    "java.lang.Thread.run",
)
WRAPPED = "org.springframework.aop.Wrapper.consumeMessage"


def of(*methods: str) -> StackMeaning:
    return meaning_of(parse_stack("".join(f"\tat {method}(X.java:1)\n" for method in methods)))


def test_the_listener_is_the_own_code_above_a_wrapper_of_it() -> None:
    view = of("com.acme.Dao.find", "com.acme.Orders.handle", WRAPPED, "com.acme.Traced.around", *CONSUME)
    assert view.listener == "com.acme.Orders.handle(X.java:1)"


def test_a_start_that_waits_in_frames_of_the_jdk_alone_is_told_by_the_first(tmp_path: Path) -> None:
    connect, ask = (
        "java.net.PlainSocketImpl.socketConnect(Native Method)",
        "java.net.Socket.connect(Socket.java:4)",
    )
    wait = facts(tmp_path, [[At("main", 1, (connect, ask))]] * 4).start_wait
    assert wait is not None
    assert wait.frame == connect


def test_a_carrier_without_a_virtual_thread_rests() -> None:
    pool = ("java.util.concurrent.ForkJoinPool.deactivate", "java.util.concurrent.ForkJoinPool.awaitWork")
    assert of(*pool, "java.util.concurrent.ForkJoinWorkerThread.run").idle
    assert of("com.acme.Orders.handle", *pool).own_frame is not None
    assert not of(*(f"com.acme.Orders.step{number}" for number in range(40)), *pool).idle


def test_a_carrier_with_a_virtual_thread_does_not_rest() -> None:
    pool = ("java.util.concurrent.ForkJoinPool.deactivate", "java.util.concurrent.ForkJoinPool.awaitWork")
    stack = parse_stack("".join(f"\tat {method}(X.java:1)\n" for method in pool))
    assert meaning_of(stack).idle
    assert not meaning_of(msgspec.structs.replace(stack, mounted=22)).idle


def test_classes_of_the_application_are_the_outermost_ones_above_the_client() -> None:
    view = of(
        "java.util.HashMap.get",
        "com.acme.Dao$Row.find",
        "com.acme.Orders$1.run",
        *CONSUME,
        "com.acme.Main.main",
    )
    assert view.own_classes == {"com.acme.Dao", "com.acme.Orders"}
