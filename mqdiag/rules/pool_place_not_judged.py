"""Most threads of a pool stay in one place, and nothing tells whether they rest there."""

from __future__ import annotations

from mqdiag.facts.stacks import StacksFacts
from mqdiag.findings import Subject
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("pool-place-not-judged")


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Findings:
    """One finding for each pool."""
    if not stacks.judged or stacks.seconds is None or stacks.seconds < limits["seconds"]:
        return
    for place in stacks.common_places:
        if (
            place.doing not in RULE.names("rests_or_works")
            and not place.moving
            and len(place.at_place) > 1
            and len(place.threads) >= max(2, limits["pool_share"] * place.pool_size)
        ):
            yield RULE.case(
                "place-unknown",
                place,
                subject=Subject(thread=place.pool),
                evidence={"thread_count": len(place.threads)},
            )
