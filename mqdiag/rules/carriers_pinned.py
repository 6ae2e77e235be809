"""Virtual threads wait without leaving their carriers, and no carrier is left for others."""

from __future__ import annotations

from mqdiag.facts import HeapFacts, StacksFacts
from mqdiag.facts.recordings import Recording
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.standstill import frame_shown

VERSION = lazy_pattern(r"\((\d+)[.+-]")
"""the major version in the name of a JVM: "OpenJDK 64-Bit Server VM (21.0.7+6 mixed mode)" """
MONITORS_LET_GO = 24
"""the JDK with JEP 491"""

RULE = Rule("carriers-pinned")


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Findings:
    """At most one finding."""
    if (pinned := stacks.pinned_carriers) is not None:
        name = "in-all-samples" if pinned.samples > 1 else "in-one-sample"
        if not pinned.waiting:
            name = "nobody-waits"
        elif pinned.in_one_place:
            name = "in-one-place"
        yield RULE.case(name, pinned, words={"monitors_let_go": _lets_monitors_go(stacks)})


def _lets_monitors_go(stacks: StacksFacts) -> bool:
    """Whether the JVM is one in which a virtual thread leaves its carrier in a synchronized block as well."""
    version = VERSION.search((stacks.series[-1].jvm if stacks.series else None) or "")
    return version is not None and int(version[1]) >= MONITORS_LET_GO


@RULE.heap
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """At most one finding; one dump does not show for how long."""
    virtual = heap.virtual_threads
    if virtual is None or not virtual.carriers or not virtual.waiting_for_carrier:
        return
    if virtual.pinned >= virtual.carriers:
        yield RULE.case("in-heap", virtual, words={"monitors_let_go": False})


@RULE.recordings
def in_recordings(recording: Recording, limits: Limits) -> Findings:
    """A note where waits held a carrier at each moment; a recording does not show how many carriers there are."""
    pinned = recording.pinned
    if pinned is None or not recording.seconds:
        return
    held = pinned.total_ms / 1000 / recording.seconds
    if held >= limits["carriers_held"]:
        yield RULE.case(
            "recorded",
            pinned,
            recording=recording,
            evidence={"carriers_held": round(held, 2)},
            words={"frame": frame_shown(pinned.frame)},
            weight=held,
        )
