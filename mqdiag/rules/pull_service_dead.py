"""The thread that pulls messages is gone."""

from __future__ import annotations

from mqdiag.facts import HeapFacts, StacksFacts
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.pulling import PULL_THREAD

RULE = Rule("pull-service-dead")


@RULE.heap
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """One finding for each client instance whose pull thread has ended though nobody stopped the service."""
    for instance in heap.instances:
        if instance.service_state != "RUNNING" or instance.pull_stopped is not False:
            continue
        if instance.pull_thread == "terminated" and instance.consumer_groups:
            yield RULE.case(
                "thread-ended",
                instance,
                evidence={"threads": (PULL_THREAD,), "groups": instance.consumer_groups},
            )


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Findings:
    """One finding for the client."""
    if PULL_THREAD in stacks.missing:
        yield RULE.case(
            "no-thread" if stacks.samples > 1 else "no-thread-in-one-sample",
            stacks,
            evidence={"threads": (PULL_THREAD,), "frame": None},
        )
