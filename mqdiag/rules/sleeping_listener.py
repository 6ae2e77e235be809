"""The listener sleeps."""

from __future__ import annotations

from mqdiag.facts import StacksFacts
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared import standstill

RULE = Rule("sleeping-listener")


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Findings:
    """One finding for the threads of a group that stay in a sleep; a moving group is slow-listener's business."""
    for still in stacks.standstills:
        if still.kind == "sleep" and still.role == "consume-worker":
            yield standstill.case(RULE, "sleep-in-listener", still, limits)
    for still in stacks.same_calls:
        if still.kind == "sleep" and still.role == "consume-worker":
            cause = still.cause
            yield standstill.undecided_case(RULE, "one-sleep-or-many", still, limits, cause=cause)
