"""The application makes clients over and over and never shuts them down."""

from __future__ import annotations

from collections import Counter

from mqdiag.facts import HeapFacts
from mqdiag.facts.stacks import StacksFacts
from mqdiag.findings import Subject
from mqdiag.rules.rule import Findings, Limits, Rule

MIN_KINDS = 2
"""different threads of a client that must be there as often"""
GRPC_SCHEDULER = "RocketmqClientScheduler-"
"""the pool that each gRPC client has, with the client's number in the process behind it since 5.0.2"""
_OF_APPLICATION = ("pool", "other")
"""roles of threads whose frames deny the name that they have"""

RULE = Rule("client-leak")


@RULE.heap
def by_count(heap: HeapFacts, limits: Limits) -> Findings:
    """At most one finding, where only the counts of classes are known."""
    counted = heap.counted
    if counted is not None and counted.client_instances >= limits["instances"]:
        yield RULE.case("counted-in-heap", evidence={"instances": counted.client_instances})


@RULE.graph
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """One finding for each group that so many running instances have."""
    running = [one for one in heap.instances if one.service_state == "RUNNING"]
    instances_of = Counter(
        group
        for one in running
        for group in {*one.consumer_groups, *one.producer_groups}
        if not group.startswith(RULE.names("own_producers"))
    )
    producers = sum(one.library == "grpc" and not one.consumer_groups for one in running)
    if producers >= limits["instances"]:
        numbers = {"instances": producers, "instances_of_all_groups": len(running)}
        yield RULE.case("grpc-producers-in-heap", evidence=numbers)
    for group, count in sorted(instances_of.items()):
        if count >= limits["instances"]:
            numbers = {"instances": count, "instances_of_all_groups": len(running)}
            yield RULE.case("running-in-heap", subject=Subject(group=group), evidence=numbers)


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Findings:
    """One finding for a process with many threads of which a client has one."""
    threads_of_process = stacks.series[-1].threads if stacks.series else None
    kinds = [
        kind
        for kind in stacks.kinds
        if kind.thread.rstrip("#_") in RULE.names("threads_of_client")
        and kind.threads
        and not _is_borrowed(kind.thread.rstrip("#_"), stacks)
    ]
    # two different threads: an application may have a pool that it calls RebalanceService
    many = [kind for kind in kinds if kind.threads[-1] >= limits["instances"]]
    if len(many) >= MIN_KINDS:
        grow = any(kind.threads[-1] > kind.threads[0] for kind in many)
        yield RULE.case(
            "threads-grow" if grow else "many-threads",
            evidence={
                "instances": min(kind.threads[-1] for kind in many),
                "threads": tuple(kind.thread for kind in many),
                "thread_counts": tuple(kind.threads[-1] for kind in many),
                "first_thread_counts": tuple(kind.threads[0] for kind in many),
                "threads_of_process": threads_of_process,
            },
            words={
                "kinds": tuple(
                    RULE.word("kind", thread=kind.thread, thread_count=kind.threads[-1]) for kind in many
                )
            },
        )
    pools = {
        thread.pool
        for thread in stacks.threads
        if (thread.pool or "").startswith(GRPC_SCHEDULER) and thread.role not in _OF_APPLICATION
    }
    if len(pools) >= limits["instances"]:
        numbers = {"instances": len(pools), "threads_of_process": threads_of_process}
        yield RULE.case("many-grpc-pools", evidence=numbers)


def _is_borrowed(name: str, stacks: StacksFacts) -> bool:
    """Whether the frames of all threads whose names begin so deny them."""
    roles = [one.role for one in stacks.threads if one.name.startswith(name)]
    return bool(roles) and all(role in _OF_APPLICATION for role in roles)
