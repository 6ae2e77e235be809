"""Messages move, but every consume thread is busy: where the time goes."""

from __future__ import annotations

from mqdiag.facts import StacksFacts
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.consume_pools import busy_pool_case, busy_pools, remedy_of_wait

RULE = Rule("slow-listener")


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Findings:
    """One finding for each pool."""
    for pool in busy_pools(stacks, limits["busy_share"]):
        yield busy_pool_case(RULE, "slow-listener", pool, remedy_of_wait(pool))
