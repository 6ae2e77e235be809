"""The thread that pulls messages is gone."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts, StacksFacts
from mqdiag.facts.heap import ClientInstance
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import Draft, Limits, rule
from mqdiag.text import NOTHING, say


def fires() -> Facts:
    """A client that rebalances and has no PullMessageService."""
    return Facts(stacks=StacksFacts(samples=3, missing=("PullMessageService",)))


def silent() -> Facts:
    """All threads of the client are there."""
    return Facts(stacks=StacksFacts(samples=3))


@rule(
    name="pull-service-dead",
    title="The PullMessageService thread is gone",
    why=(
        "One thread sends the pull requests of all groups of a client. Up to 5.3.2 it catches Exception only: an"
        " OutOfMemoryError or NoClassDefFoundError ends it, and from then on nothing is pulled, though heartbeats and"
        " rebalancing go on and the broker shows the consumer as online."
    ),
    causes=("lost-pull",),
    severities=(Severity.ERROR,),
    remedy=(
        "Restart the process.",
        "Look for the Error in the log or on standard error (OutOfMemoryError, NoClassDefFoundError) and cure it.",
        "Upgrade the client to 5.3.3 or later, which catches Throwable there.",
    ),
    references=(
        "https://github.com/apache/rocketmq/pull/9278",
        "https://github.com/apache/rocketmq/issues/1918",
    ),
    any_of=("stacks", "heap"),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft]:
    """One finding for the client, from thread dumps, and one for each client instance of a heap dump."""
    stacks, heap = facts.stacks, facts.heap
    if heap is not None:
        yield from _in_heap(heap)
    if stacks is not None and "PullMessageService" in stacks.missing:
        yield Draft(
            severity=Severity.ERROR,
            cause="lost-pull",
            confidence=Confidence.HIGH if stacks.samples > 1 else Confidence.MEDIUM,
            confidence_reason=NOTHING
            if stacks.samples > 1
            else say("one sample may show a client that starts or stops"),
            title=say(
                "There is no PullMessageService thread, though the client rebalances: nothing is pulled any more"
            ),
            evidence={"threads": ("PullMessageService",), "samples": stacks.samples, "frame": None},
            explanation=(
                say("RebalanceService is there and PullMessageService is not; a client that runs has both."),
            ),
            remedy=check.card.remedy,
            weight=1.0,
            seen_in=("stacks",),
        )


def _in_heap(heap: HeapFacts) -> Iterator[Draft]:
    """The thread object of a service that nobody stopped says that it has ended."""
    for instance in heap.instances:
        if instance.service_state != "RUNNING" or instance.pull_stopped is not False:
            continue
        if instance.pull_thread == "terminated" and instance.consumer_groups:
            yield _dead(instance)


def _dead(instance: ClientInstance) -> Draft:
    version = instance.client_version
    return Draft(
        severity=Severity.ERROR,
        cause="lost-pull",
        confidence=Confidence.HIGH,
        title=say(
            "The PullMessageService thread of client {client_id} has ended: nothing is pulled any more",
            client_id=instance.client_id,
        ),
        evidence={
            "threads": ("PullMessageService",),
            "client_id": instance.client_id,
            "client_version": version,
            "groups": instance.consumer_groups,
        },
        explanation=(
            say(
                "The client is in state RUNNING and its pull service was not stopped, but the"
                " service's thread is terminated; groups {consumer_groups} depend on it.",
                consumer_groups=", ".join(instance.consumer_groups),
            ),
            (
                say("This client is {version}", version=version)
                if version
                else say("The client's version could not be found in the dump")
            )
            + say("; 5.3.3 is the first that survives an Error there."),
        ),
        remedy=check.card.remedy,
        weight=1.0,
        seen_in=("heap",),
    )
