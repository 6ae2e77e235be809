"""The application makes clients over and over and never shuts them down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec

from mqdiag.facts import Facts
from mqdiag.facts.heap import ClientInstance
from mqdiag.facts.stacks import StacksFacts, ThreadKind
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.text import say

OWN = ("CLIENT_INNER_PRODUCER", "_INNER_TRACE_PRODUCER", "TOOLS_")
"""producers that the client makes for itself in every instance"""
ONE_EACH = (
    "RebalanceService",
    "PullMessageService",
    "MQClientFactoryScheduledThread",
    "NettyClientSelector_#",
    "ClientHouseKeepingService",
)
"""threads of which each client instance has exactly one"""

GRPC_SCHEDULER = "RocketmqClientScheduler-"
"""the pool that each gRPC client has, with the client's number in the process behind it since 5.0.2"""
_GRPC_REMEDY = (
    say("Make one producer or consumer, keep it, and call close() when you no longer need it."),
    say("Look for the code that calls build() of a ProducerBuilder for each message or request."),
)

RULE = Rule(
    name="client-leak",
    title="Many client instances of one group are running",
    why=(
        "Some applications make a producer or consumer for each call and do not shut it down. Its connections, threads"
        " and tables then stay. The number of instances grows until the process has no more threads or heap."
    ),
    causes=("client-leak",),
    severities=(Severity.WARNING,),
    remedy=(
        "Make one producer or consumer for each group, keep it, and call shutdown() when you no longer need it.",
        "Look for the code that gives a new instance name each time.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/9375",
        "MQClientManager.factoryTable",
    ),
    limits={"instances": 20},
)


def _facts(groups: list[str]) -> Facts:
    facts = example()
    assert facts.heap is not None
    made = tuple(
        ClientInstance(
            object_id=hex(at), service_state="RUNNING", producer_groups=("CLIENT_INNER_PRODUCER", group)
        )
        for at, group in enumerate(groups)
    )
    return msgspec.structs.replace(facts, heap=msgspec.structs.replace(facts.heap, instances=made))


def fires() -> Facts:
    """Forty instances with a producer of the same group."""
    return _facts(["PID_orders"] * 40)


def silent() -> Facts:
    """Forty tenants with a group each."""
    return _facts([f"PID_{number}" for number in range(40)])


@RULE.sees("heap")
def by_count(facts: Facts, limits: Limits) -> Iterator[Said]:
    """At most one finding, where only the counts of classes are known."""
    heap = facts.heap
    assert heap is not None
    counted = heap.counted
    if counted is not None and counted.client_instances >= limits["instances"]:
        yield Draft(
            severity=Severity.WARNING,
            cause="client-leak",
            confidence=Confidence.LOW,
            confidence_reason=say("counts tell neither the groups nor whether the instances still run"),
            title=say("{instances:count} client instances of RocketMQ are in the heap"),
            evidence={"instances": counted.client_instances},
            explanation=(say("Each instance has its own connections and about ten threads."),),
            remedy=RULE.remedy,
        )


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each group that so many running instances have."""
    heap = facts.heap
    assert heap is not None
    running = [one for one in heap.instances if one.service_state == "RUNNING"]
    instances_of = Counter(
        group
        for one in running
        for group in {*one.consumer_groups, *one.producer_groups}
        if not group.startswith(OWN)
    )
    producers = sum(one.library == "grpc" and not one.consumer_groups for one in running)
    if producers >= limits["instances"]:
        yield _grpc_producers(producers, len(running))
    for group, count in sorted(instances_of.items()):
        if count >= limits["instances"]:
            yield Draft(
                severity=Severity.WARNING,
                cause="client-leak",
                confidence=Confidence.MEDIUM,
                confidence_reason=say("one dump does not show whether their number grows"),
                title=say("{instances:count} running client instances have a client of group {group}"),
                subject=Subject(group=group),
                evidence={"instances": count, "instances_of_all_groups": len(running)},
                explanation=(
                    say(
                        "{instances_of_all_groups:count} client instances run in this JVM. {instances:count} of them"
                        " have a producer or consumer of group {group}."
                    ),
                    say("Each instance has its own connections and about ten threads."),
                ),
                remedy=RULE.remedy,
            )


def _grpc_producers(producers: int, running: int) -> Draft:
    """The finding for producers of the gRPC client, which have no group."""
    return Draft(
        severity=Severity.WARNING,
        cause="client-leak",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("one dump does not show whether their number grows"),
        title=say("{instances:count} producers of the gRPC client are running"),
        evidence={"instances": producers, "instances_of_all_groups": running},
        explanation=(
            say(
                "{instances_of_all_groups:count} clients of RocketMQ run in this JVM. {instances:count} of them are"
                " producers of the gRPC client."
            ),
            say("Each of them has its own connections and thread pools. One producer can send to any topic."),
        ),
        remedy=_GRPC_REMEDY,
    )


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for a process with many threads of which a client has one."""
    stacks = facts.stacks
    assert stacks is not None
    kinds = [kind for kind in stacks.kinds if kind.thread.rstrip("#_") in _STEMS and kind.threads]
    # two different threads: an application may have a pool that it calls RebalanceService
    many = [kind for kind in kinds if kind.threads[-1] >= limits["instances"]]
    if len(many) >= MIN_KINDS:
        yield _of_threads(stacks, many)
    pools = {thread.pool for thread in stacks.threads if (thread.pool or "").startswith(GRPC_SCHEDULER)}
    if len(pools) >= limits["instances"]:
        yield _of_pools(stacks, len(pools))


_STEMS = frozenset(name.rstrip("#_") for name in ONE_EACH)
MIN_KINDS = 2
"""different threads of a client that must be there as often"""


def _of_pools(stacks: StacksFacts, clients: int) -> Draft:
    """The finding for clients of the gRPC library: each names its pools by its number in the process."""
    return Draft(
        severity=Severity.WARNING,
        cause="client-leak",
        confidence=Confidence.MEDIUM,
        confidence_reason=say(
            "an application may need so many clients; only a later dump shows whether their number grows"
        ),
        title=say("The process runs {instances:count} clients of the gRPC library"),
        evidence={
            "instances": clients,
            "threads_of_process": stacks.series[-1].threads if stacks.series else None,
        },
        explanation=(
            say(
                "Each of them has a pool RocketmqClientScheduler of its own, and there are {instances:count} of these."
            ),
            say("Each client has its own connections and thread pools."),
        ),
        remedy=_GRPC_REMEDY,
    )


def _of_threads(stacks: StacksFacts, kinds: list[ThreadKind]) -> Draft:
    counts = [kind.threads[-1] for kind in kinds]
    grows = any(kind.threads[-1] > kind.threads[0] for kind in kinds)
    return Draft(
        severity=Severity.WARNING,
        cause="client-leak",
        confidence=Confidence.HIGH if grows else Confidence.MEDIUM,
        confidence_reason=say("their number grows from sample to sample")
        if grows
        else say("an application may need so many clients; only a later dump shows whether their number grows"),
        title=say("The process runs about {instances:count} client instances"),
        evidence={
            "instances": min(counts),
            "threads": tuple(kind.thread for kind in kinds),
            "thread_counts": tuple(counts),
            "first_thread_counts": tuple(kind.threads[0] for kind in kinds),
            "threads_of_process": stacks.series[-1].threads if stacks.series else None,
        },
        explanation=(
            say(
                "A client instance has one thread of each of these kinds: {kinds}.",
                kinds=tuple(
                    say("{thread} ({thread_count:count})", thread=kind.thread, thread_count=kind.threads[-1])
                    for kind in kinds
                ),
            ),
            say("Each instance has its own connections and about ten threads."),
        ),
        remedy=RULE.remedy,
    )
