"""Clients are made over and over and never shut down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec

from mqdiag.facts import Facts
from mqdiag.facts.heap import ClientInstance
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import without_graph
from mqdiag.text import say

OWN = ("CLIENT_INNER_PRODUCER", "_INNER_TRACE_PRODUCER", "TOOLS_")
"""producers that the client makes for itself in every instance"""


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


@rule(
    name="client-leak",
    title="Many client instances of one group are alive",
    why=(
        "A producer or consumer that is made for each call and not shut down leaves its connections, its threads and"
        " its tables behind. Their number grows until threads or heap run out."
    ),
    causes=("client-leak",),
    severities=(Severity.WARNING,),
    remedy=(
        "Make one producer or consumer for each group, keep it, and call shutdown() when it is done with.",
        "Look for the code that gives a new instance name each time.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/9375",
        "MQClientManager.factoryTable",
    ),
    needs=("heap",),
    limits={"instances": 20},
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each group that so many running instances carry."""
    heap = facts.heap
    assert heap is not None
    skip = without_graph(heap)
    if skip is not None:
        yield skip
        return
    running = [one for one in heap.instances if one.service_state == "RUNNING"]
    carried = Counter(
        group
        for one in running
        for group in {*one.consumer_groups, *one.producer_groups}
        if not group.startswith(OWN)
    )
    for group, count in sorted(carried.items()):
        if count >= limits["instances"]:
            yield Draft(
                severity=Severity.WARNING,
                cause="client-leak",
                confidence=Confidence.MEDIUM,
                confidence_reason=say("one dump does not tell whether their number grows"),
                title=say(
                    "{count:count} running client instances carry group {group}", count=count, group=group
                ),
                subject=Subject(group=group),
                evidence={"instances": count, "instances_of_all_groups": len(running)},
                explanation=(
                    say(
                        (
                            "Of {running:count} running client instances {count:count} have a producer or consumer of"
                            " group {group}; each has connections and some ten threads of its own."
                        ),
                        running=len(running),
                        count=count,
                        group=group,
                    ),
                ),
                remedy=check.card.remedy,
            )
