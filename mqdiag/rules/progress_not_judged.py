"""The samples cannot tell progress from standstill."""

from __future__ import annotations

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.heap_threads import MessageInHand
from mqdiag.findings import Subject
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.rules.shared.standstill import short_frame
from mqdiag.text import Text

NOT_COMPARABLE = ("one-sample", "identical-samples", "mixed-jvms", "too-close")
"""why no thread of a series is judged, by the facts; each is a case of the card"""
FEWEST_AT_ONE_PLACE = 4
SHARE_AT_ONE_PLACE = 0.8
"""share of the threads of a consume group that are at one frame"""
MOST_PATHS = 8
MOST_THREADS = 20

RULE = Rule("progress-not-judged")


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Findings:
    """At most one finding."""
    waiting = sum(pool.unknown for pool in stacks.pools if pool.role == "consume-worker")
    told = sum(len(still.threads) for still in stacks.same_calls if still.role == "consume-worker")
    if stacks.not_judged_because in NOT_COMPARABLE and not stacks.shows_standstills:
        name: str = stacks.not_judged_because
    elif waiting and stacks.seconds is not None and stacks.seconds < limits["series_seconds"]:
        name = "short-series"
    elif waiting > told and not stacks.has_cpu:
        name = "no-cpu-time"
    else:
        return
    processes = sorted({sample.process for sample in stacks.series}) if name == "mixed-jvms" else []
    paths = {
        process: tuple(sample.path for sample in stacks.series if sample.process == process)
        for process in processes
    }
    yield RULE.case(
        name,
        stacks,
        evidence={"undecided": waiting, "processes": tuple(process + 1 for process in processes)},
        words=_one_place(stacks) if name == "one-sample" else {},
        rows={
            "jvms": tuple(
                {"process": process + 1, "paths": own[:MOST_PATHS]} for process, own in paths.items()
            ),
            "pools": tuple(
                {
                    "pool": pool.group or pool.pool,
                    "share": pool.shared_share,
                    "frame": short_frame(pool.shared_frame),
                }
                for pool in stacks.pools
                if pool.role == "consume-worker" and pool.unknown and pool.shared_frame is not None
            ),
        },
    )


def _one_place(stacks: StacksFacts) -> dict[str, Text | int | None]:
    """The frame at which nearly all threads of a consume group are, and how many; unknown where they are apart."""
    told = {still.pool for still in stacks.same_calls}
    for pool in stacks.pools:
        if pool.pool in told or pool.role != "consume-worker" or pool.shared_frame is None or not pool.busy:
            continue
        there = round(pool.shared_share * pool.busy[0])
        if there >= max(FEWEST_AT_ONE_PLACE, SHARE_AT_ONE_PLACE * len(pool.threads)):
            return {"there": there, "of": len(pool.threads), "frame": short_frame(pool.shared_frame)}
    return {"there": None, "of": None, "frame": None}


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Findings:
    """At most one finding, where no series of thread dumps tells more."""
    heap = facts.heap
    assert heap is not None
    if facts.stacks is not None and facts.stacks.judged:
        return
    of_grpc = {one.group for one in heap.consumers if one.traits.library == "grpc"}
    found = [
        (thread.name, thread.message)
        for thread in heap.threads
        if thread.message is not None and thread.call is not None and thread.message.group in of_grpc
        if _may_hang(thread.message, limits["received_ms"])
    ]
    if not found:
        return
    received = [one.received_age_ms for _, one in found if one.received_age_ms is not None]
    groups = {message.group for _, message in found if message.group is not None}
    yield RULE.case(
        "start-not-noted",
        subject=Subject(group=groups.pop() if len(groups) == 1 else None),
        evidence={
            "thread_count": len(found),
            "threads": tuple(name for name, _ in found[:MOST_THREADS]),
            "received_ms": max(received, default=None),
        },
    )


def _may_hang(message: MessageInHand, long_ms: float) -> bool:
    """Whether a listener may have had a message for long: up to 5.0.1 the client does not even note its arrival."""
    if message.age_ms is not None and message.age_ms >= long_ms:
        return False  # stuck-consumer-thread speaks of it
    return message.received_age_ms is None or message.received_age_ms >= long_ms
