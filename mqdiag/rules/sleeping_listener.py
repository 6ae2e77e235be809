"""The listener sleeps."""

from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.recordings import Recording
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared import standstill
from mqdiag.rules.shared.recorded_groups import ends_its_calls

RULE = Rule("sleeping-listener")


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Findings:
    """One finding for the threads of a group that stay in a sleep; a moving group is slow-listener's business."""
    stacks = facts.stacks
    assert stacks is not None
    for still in stacks.standstills:
        if still.kind == "sleep" and still.role == "consume-worker":
            yield standstill.case(RULE, "sleep-in-listener", still, limits)
    for still in stacks.same_calls:
        if still.kind == "sleep" and still.role == "consume-worker" and not ends_its_calls(facts, still.group):
            cause = still.cause
            yield standstill.undecided_case(RULE, "one-sleep-or-many", still, limits, cause=cause)


@RULE.recordings
def in_recordings(recording: Recording, limits: Limits) -> Findings:
    """The same for a sleep whose end no event tells."""
    for still in recording.standstills:
        if still.kind == "sleep":
            yield standstill.recorded_case(RULE, "sleep-in-listener", still, limits, recording)
