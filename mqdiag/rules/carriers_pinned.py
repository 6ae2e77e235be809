"""Virtual threads wait without leaving their carriers, and no carrier is left for others."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts, StacksFacts
from mqdiag.facts.heap import VirtualThreads
from mqdiag.facts.stacks import PinnedCarriers
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.text import say

RULE = Rule(
    name="carriers-pinned",
    title="All carriers of virtual threads are pinned",
    why=(
        "Virtual threads run on a few carrier threads, as many as there are processors. A virtual thread that waits"
        " normally leaves its carrier. Before JDK 24 it cannot in a synchronized block, and in any JDK not below a"
        " native frame: it is pinned. When all carriers are pinned, no other virtual thread runs, and a listener that"
        " waits for one waits too."
    ),
    causes=("pinned-while-waiting",),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Use a ReentrantLock instead of synchronized around calls that wait, or run on JDK 24 or later.",
        "Give the call in which the pinned threads wait a timeout.",
        "-Djdk.tracePinnedThreads=full (JDK 21 to 23) or the event jdk.VirtualThreadPinned of JFR shows where threads"
        " are pinned. -Djdk.virtualThreadScheduler.parallelism=N gives more carriers until the code is changed.",
    ),
    references=("https://openjdk.org/jeps/444", "https://openjdk.org/jeps/491"),
    in_chain=say("all carriers of virtual threads are pinned"),
)


def fires() -> Facts:
    """Two carriers, both pinned in all samples, and three threads that do not begin."""
    pinned = PinnedCarriers(
        carriers=2,
        threads=("virtual thread #27", "virtual thread #28"),
        frame="com.acme.Stock.reserve(Stock.java:31)",
        waiting=3,
        samples=3,
    )
    return Facts(stacks=StacksFacts(samples=3, pinned_carriers=pinned))


def silent() -> Facts:
    """A dump with as many pinned threads as carriers, and nobody else who wants to run."""
    heap = HeapFacts(
        objects=1,
        shallow_bytes=1,
        unreachable_objects=0,
        unreachable_bytes=0,
        virtual_threads=VirtualThreads(alive=2, without_stack=0, waiting_for_carrier=0, pinned=2, carriers=2),
    )
    return Facts(heap=heap)


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Iterator[Said]:
    """At most one finding."""
    assert facts.stacks is not None
    pinned = facts.stacks.pinned_carriers
    if pinned is None:
        return
    several = pinned.samples > 1
    yield Draft(
        severity=Severity.ERROR if several else Severity.WARNING,
        cause="pinned-while-waiting",
        confidence=Confidence.HIGH if several else Confidence.MEDIUM,
        confidence_reason=(
            say("the same threads hold all carriers in {samples:count} samples")
            if several
            else say("one sample does not show for how long")
        ),
        title=say(
            "{carriers:count} virtual {carriers:thread holds|threads hold} all carriers while"
            " {carriers:it waits|they wait}, and {waiting:count} {waiting:other does|others do} not begin"
        ),
        evidence={
            "threads": pinned.threads,
            "carriers": pinned.carriers,
            "waiting": pinned.waiting,
            "samples": pinned.samples,
            "frame": pinned.frame,
        },
        explanation=(say("The application's own frame of the first is {frame}."),) if pinned.frame else (),
        remedy=RULE.remedy,
        weight=1.0,
    )


@RULE.sees("heap")
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """At most one finding; one dump does not show for how long."""
    assert facts.heap is not None
    virtual = facts.heap.virtual_threads
    if virtual is None or not virtual.carriers or not virtual.waiting_for_carrier:
        return
    if virtual.pinned < virtual.carriers:
        return
    yield Draft(
        severity=Severity.WARNING,
        cause="pinned-while-waiting",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("one dump does not show for how long"),
        title=say(
            "All {carriers:count} {carriers:carrier|carriers} of virtual threads {carriers:is|are} pinned, and"
            " {waiting_for_carrier:count} virtual {waiting_for_carrier:thread waits|threads wait} for one"
        ),
        evidence={
            "carriers": virtual.carriers,
            "pinned": virtual.pinned,
            "waiting_for_carrier": virtual.waiting_for_carrier,
            "alive": virtual.alive,
        },
        explanation=(
            say(
                "{pinned:count} of {alive:count} virtual {alive:thread|threads} {pinned:waits|wait} without leaving"
                " {pinned:its carrier|their carriers}."
            ),
        ),
        remedy=RULE.remedy,
        weight=1.0,
    )
