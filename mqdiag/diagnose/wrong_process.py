"""Evidence that shows nothing of RocketMQ may be of another process than the one that was meant."""

from __future__ import annotations

import msgspec

from mqdiag.facts import HeapFacts, StacksFacts
from mqdiag.findings import Report
from mqdiag.text import NOTHING, Text, say


class WrongProcess(msgspec.Struct, frozen=True):
    """That nothing of RocketMQ was found, and what to do about it."""

    advice: Text
    headline: Text = NOTHING
    """empty where the evidence is of something else as well"""


def wrong_process(report: Report) -> WrongProcess | None:
    """That heap and thread dumps show nothing of RocketMQ; None where they do, or leave it open."""
    processes = ((report.heap, report.stacks), *((one.heap, one.stacks) for one in report.other_processes))
    shown = [_of_process(heap, stacks) for heap, stacks in processes if heap is not None or stacks is not None]
    # of several processes it is enough that one is of RocketMQ: others on its host may have been taken along
    return shown[0] if shown and None not in shown else None


def _of_process(heap: HeapFacts | None, stacks: StacksFacts | None) -> WrongProcess | None:
    if heap is not None and not _without_rocketmq(heap):
        return None
    of_stacks = None if stacks is None else _of_stacks(stacks)
    if heap is None or (stacks is not None and of_stacks is None):
        return of_stacks
    advice = say(
        "The dump has no consumer, producer or broker of RocketMQ; check that it comes from the right process."
    )
    if of_stacks is not None:
        return WrongProcess(advice, of_stacks.headline)
    return WrongProcess(
        say(
            "The dump has no consumer, producer or broker of RocketMQ; check that it comes from the right process, and"
            " take what shows the trouble while it lasts: `mqdiag capture PID`."
        ),
        say("No RocketMQ client or broker was found in the heap dump, and nothing that fills it."),
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
    return WrongProcess(
        say("No thread of the samples is one of RocketMQ{advice}.", advice=_advice(stacks)),
        say("No RocketMQ client or broker was found in the thread dumps."),
    )


def _advice(stacks: StacksFacts) -> Text:
    """An excerpt lacks the JVM's own threads, and shows nothing of the process by what it lacks."""
    if any(thread.role == "jvm" for thread in stacks.threads):
        return say("; check that they come from the right process")
    return NOTHING


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
        or (heap.sending and (heap.sending.producers or heap.sending.remoting))
    )
