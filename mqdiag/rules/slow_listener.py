"""Messages move, but every consume thread is busy: where the time goes."""

from __future__ import annotations

from mqdiag.facts import StacksFacts
from mqdiag.facts.profiles import Profile
from mqdiag.facts.recordings import Recording
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.consume_pools import busy_pool_case, busy_pools, remedy_of_wait
from mqdiag.rules.shared.recorded_groups import busy_group_case, busy_groups
from mqdiag.rules.shared.sampled_groups import sampled_group_case, sampled_groups

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


@RULE.profiles
def in_profiles(profile: Profile, limits: Limits) -> Findings:
    """One finding for each group whose threads are hardly ever free, where waiting threads were sampled, too."""
    for group in sampled_groups(profile) if profile.by_wall else ():
        if group.busy_share >= limits["busy_share"] and group.frame is not None:
            yield sampled_group_case(RULE, "profiled", profile, group)
