"""The thread that pulls messages is gone."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.heap import ClientInstance
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.graph_needed import of_remoting_only
from mqdiag.rules.shared.pulling import PULL_THREAD
from mqdiag.text import NOTHING, say

RULE = Rule(
    name="pull-service-dead",
    title="The PullMessageService thread is gone",
    why=(
        "One thread sends the pull requests of all groups of a client. Up to 5.3.2 it catches Exception only, so an"
        " OutOfMemoryError or a NoClassDefFoundError ends it. From then on nothing is pulled, though heartbeats and"
        " rebalancing go on and the broker shows the consumer as online."
    ),
    causes=("lost-pull",),
    severities=(Severity.ERROR,),
    remedy=(
        "Look for the Error in the log or on standard error (OutOfMemoryError, NoClassDefFoundError) and cure it.",
        "Restart the process.",
        "Upgrade the client to 5.3.3 or later, which catches Throwable there.",
    ),
    references=(
        "https://github.com/apache/rocketmq/pull/9278",
        "https://github.com/apache/rocketmq/issues/1918",
    ),
    in_chain=say("nothing is pulled any more"),
)


def fires() -> Facts:
    """A client that rebalances and has no PullMessageService."""
    return Facts(stacks=StacksFacts(samples=3, missing=(PULL_THREAD,)))


def silent() -> Facts:
    """All threads of the client are there."""
    return Facts(stacks=StacksFacts(samples=3))


@RULE.sees("heap")
@of_remoting_only(say("the gRPC client has no pull service"))
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each client instance whose pull thread has ended though nobody stopped the service."""
    assert facts.heap is not None
    for instance in facts.heap.instances:
        if instance.service_state != "RUNNING" or instance.pull_stopped is not False:
            continue
        if instance.pull_thread == "terminated" and instance.consumer_groups:
            yield _of_instance(instance)


def _of_instance(instance: ClientInstance) -> Draft:
    return Draft(
        severity=Severity.ERROR,
        cause="lost-pull",
        confidence=Confidence.HIGH,
        title=say("The PullMessageService thread of client {client_id} has ended: nothing is pulled any more"),
        evidence={
            "threads": (PULL_THREAD,),
            "client_id": instance.client_id,
            "client_version": instance.client_version,
            "groups": instance.consumer_groups,
        },
        explanation=(
            say(
                "The client is in state RUNNING and its pull service was not stopped, but the service's thread is"
                " terminated. These groups depend on it: {groups}."
            ),
            say("This client is {client_version}; 5.3.3 is the first that survives an Error there.")
            if instance.client_version
            else say(
                "The client's version could not be found in the dump; 5.3.3 is the first that survives an Error there."
            ),
        ),
        remedy=RULE.remedy,
        weight=1.0,
    )


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for the client."""
    stacks = facts.stacks
    assert stacks is not None
    if PULL_THREAD not in stacks.missing:
        return
    several = stacks.samples > 1
    yield Draft(
        severity=Severity.ERROR,
        cause="lost-pull",
        confidence=Confidence.HIGH if several else Confidence.MEDIUM,
        confidence_reason=NOTHING if several else say("one sample may show a client that starts or stops"),
        title=say(
            "There is no PullMessageService thread, though the client rebalances: nothing is pulled any more"
        ),
        evidence={"threads": (PULL_THREAD,), "samples": stacks.samples, "frame": None},
        explanation=(
            say("RebalanceService is there and PullMessageService is not; a running client has both."),
        ),
        remedy=RULE.remedy,
        weight=1.0,
    )
