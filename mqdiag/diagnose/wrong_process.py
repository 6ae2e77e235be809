"""Evidence that shows nothing of RocketMQ may be of another process than the one that was meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from mqdiag.facts import HeapFacts, StacksFacts
from mqdiag.facts.known import NO_NAMES
from mqdiag.findings import Report
from mqdiag.text import NOTHING, Text, say

ADVICE = say("; check that they come from the right process")
RIGHT = "right_process"
HOLDER = "show_holder"
"""names of actions of knowledge/actions.toml"""


class WrongProcess(msgspec.Struct, frozen=True):
    """That nothing of RocketMQ was found, and what to do about it."""

    advice: Text
    headline: Text = NOTHING
    """empty where the evidence is of something else as well"""
    wants: str = ""
    """name of the action in knowledge/actions.toml that finds the right one, or shows what the heap has instead"""
    named: Mapping[str, str | None] = NO_NAMES
    """names for its sentences"""
    beside_fault: Text = NOTHING
    """what of the headline is true where a fault was found all the same; empty where all of it is"""


def wrong_process(report: Report) -> WrongProcess | None:
    """That heap and thread dumps show nothing of RocketMQ; None where they do, or leave it open."""
    processes = ((report.heap, report.stacks), *((one.heap, one.stacks) for one in report.other_processes))
    shown = [_of_process(heap, stacks) for heap, stacks in processes if heap is not None or stacks is not None]
    if _heap_of_another(processes):
        return WrongProcess(
            say("Check that both come from the same process, and take the heap dump of the one with RocketMQ."),
            say("The thread dumps show RocketMQ, and the heap dump has no consumer, producer or broker of it."),
            wants=RIGHT,
        )
    # of several processes it is enough that one is of RocketMQ: others on its host may have been taken along
    return shown[0] if shown and None not in shown else None


def _heap_of_another(processes: Sequence[tuple[HeapFacts | None, StacksFacts | None]]) -> bool:
    """Whether thread dumps show RocketMQ, and all heap dumps that might be of that process do not."""
    seen = [heap for heap, stacks in processes if stacks is not None and stacks.signs_of_rocketmq == "seen"]
    if not seen:
        return False
    heaps = [heap for heap, _ in processes if heap is not None]
    return bool(heaps) and all(_without_rocketmq(heap) for heap in heaps)


def _of_process(heap: HeapFacts | None, stacks: StacksFacts | None) -> WrongProcess | None:
    if heap is not None and not _without_rocketmq(heap):
        return None
    of_stacks = None if stacks is None else _of_stacks(stacks)
    if heap is None:
        return of_stacks
    if stacks is not None and of_stacks is None:
        return None
    advice = say(
        "The dump has no consumer, producer or broker of RocketMQ; check that it comes from the right process."
    )
    if of_stacks is not None:
        return WrongProcess(advice, of_stacks.headline, wants=RIGHT)
    largest = next(heap.worth_a_look(), None)
    return WrongProcess(
        # a heap alone that has something to look at may well be the one that was meant
        advice if largest is None else NOTHING,
        say("No RocketMQ client or broker was found in the heap dump, and nothing that fills it."),
        wants=RIGHT if largest is None else HOLDER,
        named=NO_NAMES if largest is None else {"object_id": largest.object_id},
        beside_fault=say("No RocketMQ client or broker was found in the heap dump."),
    )


def _of_stacks(stacks: StacksFacts) -> WrongProcess | None:
    if stacks.signs_of_rocketmq in ("seen", None):
        return None
    if stacks.signs_of_rocketmq == "names-alone":
        return WrongProcess(
            say(
                "No frame of RocketMQ is in the samples, and none of the other threads that a client has, such as"
                " PullMessageService; take whole thread dumps: jcmd PID Thread.print."
            ),
            say("No RocketMQ client or broker was found: consume threads are there by their names alone."),
        )
    # an excerpt lacks the JVM's own threads, and shows nothing of the process by what it lacks
    is_whole = any(thread.role == "jvm" for thread in stacks.threads)
    return WrongProcess(
        say("No thread of the samples is one of RocketMQ{advice}.", advice=ADVICE if is_whole else NOTHING),
        say("No RocketMQ client or broker was found in the thread dumps."),
        wants=RIGHT if is_whole else "",
    )


def _without_rocketmq(heap: HeapFacts) -> bool:
    """Whether a dump that was read with its graph is of a process that does not use RocketMQ."""
    return heap.process_queues is not None and not (
        heap.consumers
        or heap.instances
        or heap.grpc_client
        or heap.broker
        or heap.servers
        or heap.proxy
        or heap.raft_members
        or heap.messages
        or (
            heap.sending
            and (
                heap.sending.producers
                or heap.sending.remoting
                or heap.sending.request_futures
                or heap.sending.messages
            )
        )
    )
