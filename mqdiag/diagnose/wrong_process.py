"""Evidence that shows nothing of RocketMQ may be of another process than the one that was meant."""

from __future__ import annotations

from mqdiag.facts import HeapFacts, StacksFacts
from mqdiag.findings import Report
from mqdiag.text import NOTHING, Text, say

NOT_OF_ROCKETMQ = frozenset({"other", "pool", "jvm", "virtual", "virtual-carrier"})
"""roles of threads that any process may have"""


def wrong_process(report: Report) -> Text:
    """That the evidence may be of another process, where it shows nothing of RocketMQ."""
    if report.heap is not None and _without_rocketmq(report.heap):
        return say(
            "The dump has no consumer, producer or broker of RocketMQ; check that it is of the right process."
        )
    if report.stacks is not None and report.heap is None and _no_thread_of_rocketmq(report.stacks):
        return say("No thread of the samples is one of RocketMQ; check that they are of the right process.")
    return NOTHING


def _no_thread_of_rocketmq(stacks: StacksFacts) -> bool:
    """Whether dumps of all threads of a JVM have none that RocketMQ named; an excerpt lacks the JVM's own threads."""
    roles = {thread.role for thread in stacks.threads}
    return "jvm" in roles and roles <= NOT_OF_ROCKETMQ and not stacks.servers


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
