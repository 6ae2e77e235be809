"""Clients that an application has by design, and those that each call makes one more of."""

from __future__ import annotations

import pytest

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.stacks import ThreadAt, ThreadFacts
from mqdiag.rules.executors_pile_up import in_stacks

LIMITS = {"executors": 30, "resting_share": 0.8, "threads": 500}


def _thread(name: str, java_id: int) -> ThreadFacts:
    rests = (ThreadAt(state="RUNNABLE", doing="select"),)
    return ThreadFacts(name=name, java_id=java_id, role="other", state="idle", samples=rests)


@pytest.mark.parametrize(("last", "told"), [(400, True), (2_000, False)], ids=["goes on", "from the start"])
def test_producers_that_are_there_from_the_start_are_not_made_for_each_call(last: int, told: bool) -> None:
    producers = [_thread(f"kafka-producer-network-thread | producer-{n}", 20 + 5 * n) for n in range(1, 61)]
    facts = Facts(stacks=StacksFacts(samples=1, threads=(*producers, _thread("http-exec-1", last))))
    cases = [one for one in in_stacks(facts, LIMITS) if hasattr(one, "severity")]
    assert bool(cases) is told
