"""Threads hang in a socket read, write or connect that has no timeout."""

from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.recordings import Recording
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared import standstill
from mqdiag.rules.shared.peers import peers_of
from mqdiag.rules.shared.recorded_groups import ends_its_calls
from mqdiag.text import Value

RULE = Rule("stuck-socket-read")


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Findings:
    """One finding for each pool and cause."""
    stacks = facts.stacks
    assert stacks is not None
    for still in stacks.standstills:
        if still.kind == "socket-read" and standstill.is_of_consumers(still):
            used_cpu = (still.cpu_growth_ms or 0.0) >= standstill.NO_CPU_MS
            words: dict[str, Value] = {"library": still.library, "used_cpu": used_cpu}
            peers = peers_of(facts.heap, still.threads)
            yield standstill.case(RULE, "network-call", still, limits, words=words, peers=peers)
    for still in stacks.same_calls:
        if ends_its_calls(facts, still.group):
            continue
        if still.kind == "socket-read" and standstill.is_of_consumers(still):
            peers = peers_of(facts.heap, still.threads)
            words = {"library": still.library}
            yield standstill.undecided_case(RULE, "hangs-or-slow", still, limits, words=words, peers=peers)


@RULE.recordings
def in_recordings(recording: Recording, limits: Limits) -> Findings:
    """One finding for each pool and cause: samples show the call, and no event tells its end."""
    for still in recording.standstills:
        if still.kind == "socket-read":
            words: dict[str, Value] = {"library": still.library, "used_cpu": False}
            yield standstill.recorded_case(RULE, "network-call", still, limits, recording, words)
