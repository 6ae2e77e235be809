"""Messages move, but every consume thread is busy: where the time goes."""

from __future__ import annotations

from mqdiag.facts import StacksFacts
from mqdiag.facts.recordings import Recording
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.consume_pools import busy_pool_case, busy_pools, remedy_of_wait
from mqdiag.rules.shared.recorded_groups import busy_group_case, busy_groups

RULE = Rule("slow-listener")


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Findings:
    """One finding for each pool."""
    for pool in busy_pools(stacks, limits["busy_share"]):
        yield busy_pool_case(RULE, "slow-listener", pool, remedy_of_wait(pool))


@RULE.recordings
def in_recordings(recording: Recording, limits: Limits) -> Findings:
    """One finding for each group whose threads are never free, where the recording shows what they do."""
    for budget in busy_groups(recording, limits["busy_share"]):
        if budget.frame is not None and budget.doing is not None:
            yield busy_group_case(RULE, recording, budget)
