"""The listener computes and does not end."""

from __future__ import annotations

from mqdiag.facts import StacksFacts
from mqdiag.facts.recordings import Recording
from mqdiag.findings import Severity
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared import standstill

RULE = Rule("cpu-bound-listener")


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Findings:
    """One finding for each pool; where the samples do not tell a loop from work, it is a note that undecides."""
    for still in stacks.standstills:
        if still.kind == "cpu":
            yield standstill.case(RULE, "busy-loop" if still.decided else "loop-or-work", still, limits)
    for still in stacks.same_calls:
        if still.kind == "wait" and still.role == "consume-worker" and standstill.computes(stacks, still):
            # a pool without a free thread in any sample is a fault, whichever of the two it is
            if len(still.threads) == still.pool_size:
                yield standstill.undecided_case(RULE, "all-seen-running", still, limits)
            else:
                yield standstill.undecided_case(
                    RULE, "seen-running", still, limits, worst=Severity.INFO, cause="busy-loop"
                )


@RULE.recordings
def in_recordings(recording: Recording, limits: Limits) -> Findings:
    """One finding for each pool of threads that compute at one place, end no call and make no objects."""
    for still in recording.standstills:
        if still.kind == "cpu":
            yield standstill.recorded_case(RULE, "busy-loop", still, limits)
