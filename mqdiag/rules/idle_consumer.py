"""The consume threads wait for messages: the listener keeps up, or nothing is pulled."""

from __future__ import annotations

from mqdiag.facts import StacksFacts
from mqdiag.findings import Confidence
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.consume_pools import SURE_SAMPLES, pool_subject
from mqdiag.rules.shared.pulling import nothing_is_pulled

RULE = Rule("idle-consumer")


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Findings:
    """One finding for each idle pool."""
    pulled = not nothing_is_pulled(stacks)
    sure = stacks.samples >= SURE_SAMPLES
    for pool in stacks.pools:
        size = len(pool.threads)
        if pool.role != "consume-worker" or pool.stuck or pool.blocked:
            continue
        if pool.idle >= limits["idle_share"] * size:
            yield RULE.case(
                "listener-keeps-up" if pulled else "nothing-is-pulled",
                pool,
                stacks,
                subject=pool_subject(pool),
                evidence={"pool_size": size},
                words={"all": pool.idle == size, "few_samples": not sure},
                confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
                weight=float(size),
            )
