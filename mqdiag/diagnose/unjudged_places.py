"""Pools of threads that stand in one place, of which no rule speaks: a report over them is no all-clear."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.causes.same_finding import threads_of
from mqdiag.facts import StacksFacts
from mqdiag.facts.vocabulary import Doing
from mqdiag.findings import Report
from mqdiag.text import Text, say

RESTS: frozenset[Doing] = frozenset({"idle", "queue", "select", "accept", "sleep", "running"})
"""what threads do that wait for work, or have some"""
MOST_OF_POOL = 0.5
LEAST_SECONDS = 5.0


def unjudged_places(report: Report, stacks: StacksFacts) -> Iterator[Text]:
    """One sentence for each pool."""
    if stacks.seconds is None or stacks.seconds < LEAST_SECONDS:
        return
    told = {name for found in report.findings for name in threads_of(found)}
    for place in stacks.common_places:
        stay = [name for name in place.threads if name not in told]
        if (
            place.doing not in RESTS
            and not place.moving
            and len(place.at_place) > 1
            and len(stay) >= max(2, MOST_OF_POOL * place.pool_size)
        ):
            yield say(
                "{threads:count} of {pool_size:count} threads of pool {pool} are at {frame} in all samples, and no rule"
                " knows whether they wait for work there.",
                threads=len(stay),
                pool_size=place.pool_size,
                pool=place.pool,
                frame=place.frame,
            )
