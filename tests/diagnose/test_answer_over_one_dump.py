"""What the answer says of a single dump, which proves nothing: at least whether its threads only wait for work."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.config import Settings
from mqdiag.diagnose.answer import answered
from mqdiag.diagnose.judge import judge
from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.facts import Facts, HeapFacts, Input
from mqdiag.facts.heap import ConsumerFacts
from mqdiag.findings import Answer, Report
from mqdiag.language import english
from mqdiag.text import say

THREAD = '"pool-1-thread-{number}" #1{number} prio=5 os_prio=0 tid=0x00007f001000{number}000 nid=0x1{number} {state}\n'
IDLE = (
    "   java.lang.Thread.State: WAITING (parking)\n"
    "\tat sun.misc.Unsafe.park(Native Method)\n"
    "\tat java.util.concurrent.locks.LockSupport.park(LockSupport.java:175)\n"
    "\tat java.util.concurrent.LinkedBlockingQueue.take(LinkedBlockingQueue.java:442)\n"
    "\tat java.util.concurrent.ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1074)\n"
    "\tat java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1134)\n"
    "\tat java.lang.Thread.run(Thread.java:748)\n\n"
)
READING = (
    "   java.lang.Thread.State: RUNNABLE\n"
    "\tat java.net.SocketInputStream.socketRead0(Native Method)\n"
    "\tat com.acme.Shop.order(Shop.java:31)\n"
    "\tat java.lang.Thread.run(Thread.java:748)\n\n"
)


def reason(folder: Path, *stacks: str) -> tuple[str, str]:
    dump = folder / "jstack.txt"
    dump.write_text(
        "".join(
            THREAD.format(number=place, state="waiting on condition") + stack
            for place, stack in enumerate(stacks)
        )
    )
    answer = diagnose_stacks([dump]).report.answer
    assert answer is not None
    return answer.state, english()(answer.reason)


def test_threads_that_only_wait_for_work_are_told(tmp_path: Path) -> None:
    state, words = reason(tmp_path, IDLE, IDLE)
    assert state == "undecided"
    assert "2 threads wait for work and hold nothing up" in words


def test_one_that_does_something_leaves_it_open(tmp_path: Path) -> None:
    state, words = reason(tmp_path, IDLE, READING)
    assert state == "undecided"
    assert "wait for work" not in words


@pytest.mark.parametrize(("queues", "told"), [(0, True), (None, False)])
def test_a_dump_without_rocketmq_is_said_to_be_one(queues: int | None, told: bool) -> None:
    """A dump of which only the classes were counted does not tell."""
    heap = HeapFacts(
        objects=9, shallow_bytes=99, unreachable_objects=0, unreachable_bytes=0, process_queues=queues
    )
    answer = answered(Report(mqdiag="0", inputs=(), checked=("direct-buffers",), heap=heap)).answer
    assert english()(answer.reason).startswith("The dump has no consumer, producer or broker") is told


@pytest.mark.parametrize(
    ("limit", "bound", "state"),
    [(None, 700, "undecided"), (None, 500, "healthy"), (2000, 700, "healthy")],
)
def test_a_cache_that_may_outgrow_a_heap_of_unknown_limit_is_no_all_clear(
    limit: int | None, bound: int, state: str
) -> None:
    why = {} if limit else {"heap limit": say("two places of the dump contradict each other")}
    consumer = ConsumerFacts(group="g", kind="push", bound_bytes=bound)
    heap = HeapFacts(
        objects=1,
        shallow_bytes=800,
        unreachable_objects=1,
        unreachable_bytes=200,
        process_queues=1,
        heap_bytes=limit,
        consumers=(consumer,),
        unknown=why,
    )
    answer = judge(Facts(inputs=(Input(path="d", kind="heap", bytes=1),), heap=heap), Settings()).report.answer
    assert answer.state == state
    assert ("how large the heap may grow" in english()(answer.reason)) is (state == "undecided")


def test_thread_dumps_of_another_process_are_called_so(tmp_path: Path) -> None:
    jvm = '"main" #1 prio=5 os_prio=0 tid=0x00007f00100000 nid=0x11 waiting on condition\n' + IDLE
    jvm += '"Signal Dispatcher" #4 daemon prio=9 os_prio=0 tid=0x00007f00100400 nid=0x14 runnable\n\n'
    assert "check that they come from the right process" in reason(tmp_path, IDLE + jvm)[1]
    worker = jvm.replace('"main"', '"ConsumeMessageThread_CID_1"')
    assert "right process" not in reason(tmp_path, IDLE + worker)[1]


def answer_over(folder: Path, samples: list[str]) -> Answer:
    """The answer over whole dumps of these threads, five seconds apart."""
    dumps = []
    for number, threads in enumerate(samples):
        dumps.append(folder / f"{number}.txt")
        dumps[-1].write_text(
            f"2026-11-23 05:52:{number * 5:02}\nFull thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode):\n\n"
            + threads
            + "JNI global refs: 5, weak refs: 0\n\n"
        )
    answer = diagnose_stacks(dumps).report.answer
    assert answer is not None
    return answer


WORKER = '"ConsumeMessageThread_CID_{number}" #2{number} prio=5 tid=0x00007f001000{number}000 nid=0x1{number} {state}\n'
SIGNALS = '"Signal Dispatcher" #4 daemon prio=9 os_prio=0 tid=0x00007f00100400 nid=0x14 runnable\n\n'
PULL = (
    '"PullMessageService" #31 prio=5 os_prio=0 tid=0x00007f00100900 nid=0x19 waiting on condition\n'
    "   java.lang.Thread.State: WAITING (parking)\n"
    "\tat sun.misc.Unsafe.park(Native Method)\n"
    "\tat java.util.concurrent.LinkedBlockingQueue.take(LinkedBlockingQueue.java:442)\n"
    "\tat org.apache.rocketmq.client.impl.consumer.PullMessageService.run(PullMessageService.java:114)\n"
    "\tat java.lang.Thread.run(Thread.java:748)\n\n"
)


@pytest.mark.parametrize(
    ("head", "more", "state", "headline"),
    [
        (THREAD, SIGNALS, "undecided", "No RocketMQ client or broker was found in the thread dumps."),
        (WORKER, SIGNALS, "undecided", "consume threads are there by their names alone"),
        (WORKER, "", "undecided", "consume threads are there by their names alone"),
        (WORKER, SIGNALS + PULL, "healthy", "No fault found in thread dumps."),
    ],
)
def test_no_all_clear_over_a_series_without_a_frame_of_rocketmq(
    head: str, more: str, state: str, headline: str, tmp_path: Path
) -> None:
    threads = "".join(head.format(number=number, state="waiting on condition") + IDLE for number in (1, 2))
    answer = answer_over(tmp_path, [threads + more] * 4)
    assert answer.state == state
    assert headline in english()(answer.text)


def test_what_stands_in_one_dump_is_the_answer_and_the_next_step_is_more_dumps(tmp_path: Path) -> None:
    reads = (
        "   java.lang.Thread.State: RUNNABLE\n"
        "\tat java.net.SocketInputStream.socketRead0(Native Method)\n"
        "\tat com.acme.Shop.order(Shop.java:31)\n"
        "\tat java.lang.Thread.run(Thread.java:748)\n\n"
    )
    threads = "".join(THREAD.format(number=number, state="runnable") + reads for number in (1, 2))
    answer = answer_over(tmp_path, [threads + SIGNALS])
    assert answer.state == "undecided"
    assert "2 threads are at com.acme.Shop.order(Shop.java:31), and one sample does not show" in english()(
        answer.text
    )
    assert "right process" in english()(answer.reason)
    assert answer.next is not None
    assert "--samples 4" in str(answer.next.command)


def test_threads_at_work_are_the_answer_and_that_they_are_no_rocketmq_a_remark(tmp_path: Path) -> None:
    samples = []
    for sample in range(3):
        computes = (
            "   java.lang.Thread.State: RUNNABLE\n"
            f"\tat java.util.regex.Pattern$Step{sample}.match(Pattern.java:{sample})\n"
            "\tat com.acme.Shop.order(Shop.java:31)\n"
            "\tat java.lang.Thread.run(Thread.java:748)\n\n"
        )
        threads = "".join(THREAD.format(number=number, state="runnable") + computes for number in (1, 2))
        samples.append(threads + SIGNALS)
    answer = answer_over(tmp_path, samples)
    assert answer.state == "undecided"
    text, words = english()(answer.text), english()(answer.reason)
    assert "2 threads are at work at com.acme.Shop.order(Shop.java:31)" in text
    assert "right process" in words
    assert answer.next is not None
    assert "capture" in str(answer.next.command)
