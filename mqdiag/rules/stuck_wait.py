"""Threads wait for a future, latch, queue or lock of their own that does not come."""

from __future__ import annotations

from mqdiag.facts import Facts, HeapFacts, StacksFacts
from mqdiag.facts.heap_threads import HeapThread
from mqdiag.facts.recordings import Recording
from mqdiag.facts.stacks import Standstill
from mqdiag.knowledge.remedies import remedy
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.rules.shared import standstill
from mqdiag.rules.shared.peers import peers_of
from mqdiag.rules.shared.recorded_groups import ends_its_calls
from mqdiag.text import Text, Value

VIRTUAL_HELPERS = ("VirtualThread-", "Read-Poller", "MasterPoller", "Master-Poller")
"""beginnings of the names of threads that the JDK starts for virtual threads that sleep, block or wait for a socket"""

RULE = Rule("stuck-wait")


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Findings:
    """One finding for each pool and cause; where the samples do not tell a wait that ends, a note that undecides."""
    stacks = facts.stacks
    assert stacks is not None
    for still in stacks.standstills:
        if still.kind != "wait" or not standstill.is_of_consumers(still):
            continue
        if still.decided:
            yield _stuck(still, stacks, facts.heap, limits)
        else:
            yield standstill.case(RULE, "room-in-queue", still, limits)
    for still in stacks.same_calls:
        if ends_its_calls(facts, still.group):
            continue
        if (
            still.kind == "wait"
            and standstill.is_of_consumers(still)
            and not standstill.computes(stacks, still)
        ):
            peers = peers_of(facts.heap, still.threads)
            words = {"library": still.library}
            yield standstill.undecided_case(RULE, "hangs-or-slow", still, limits, words=words, peers=peers)


def _stuck(still: Standstill, stacks: StacksFacts, heap: HeapFacts | None, limits: Limits) -> Draft:
    asks = _asks_virtual_thread(heap, still) if still.frame else None
    given: dict[str, tuple[Text, ...]] = {}
    words = _words(still)
    if asks is not None and asks.call is not None:
        words |= {"awaits": asks.awaits, "call": asks.call.frame}
        given = {"remedy": asks.call.remedy or still.remedy}
    elif still.holder is None and still.library is None and _leave_out_virtual_threads(stacks):
        words["hidden_threads"] = not {*remedy("dump_virtual_threads")} & {*still.remedy}
    peers = peers_of(heap, still.threads)
    return standstill.case(RULE, _case(still), still, limits, words=words, given=given, peers=peers)


def _asks_virtual_thread(heap: HeapFacts | None, still: Standstill) -> HeapThread | None:
    """The first of the threads of which a heap dump shows the virtual thread that it waits for."""
    for thread in () if heap is None else heap.threads:
        if thread.awaits and thread.call is not None and thread.name in still.threads:
            return thread
    return None


def _leave_out_virtual_threads(stacks: StacksFacts) -> bool:
    """The JVM has virtual threads, and the samples show none, as those of jstack."""
    roles = {thread.role for thread in stacks.threads}
    helpers = any(thread.name.startswith(VIRTUAL_HELPERS) for thread in stacks.threads)
    return "virtual" not in roles and ("virtual-carrier" in roles or helpers)


@RULE.recordings
def in_recordings(recording: Recording, limits: Limits) -> Findings:
    """One finding for each pool and cause: samples show the wait, and no event tells its end."""
    for still in recording.standstills:
        if still.kind == "wait":
            yield standstill.recorded_case(RULE, _case(still), still, limits, recording, _words(still))


def _words(still: Standstill) -> dict[str, Value]:
    return {
        "library": still.library,
        "holder": still.holder,
        "holder_does": still.holder_does,
        "holder_pool": still.holder_pool,
        "awaits": None,
        "call": None,
        "hidden_threads": False,
    }


def _case(still: Standstill) -> str:
    return still.cause if still.cause in ("blocked-log-sink", "pool-starved") else "missing-timeout"
