"""What is said of a pool whose threads are all at work, and how sure it is."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from mqdiag.facts import Facts, StacksFacts
from mqdiag.language import english
from mqdiag.rules import slow_listener, workers_saturated
from tests.rules.checks import findings
from tests.rules.examples import example_of
from tests.rules.examples.consume_pools import BUSY
from tests.threads.made import CONSUME, HTTP, MYSQL, At, report

OTHER = ("com.acme.Pricing.price(Pricing.java:7)", *CONSUME)


def at(number: int, cpu: float, frames: tuple[str, ...] = MYSQL) -> At:
    return At(f"ConsumeMessageThread_CID_{number}", 26 + number, frames, "RUNNABLE", cpu)


@pytest.mark.parametrize(("changes", "confidence"), [(False, "medium"), (True, "high")])
def test_cpu_time_alone_does_not_make_progress_sure(tmp_path: Path, changes: bool, confidence: str) -> None:
    ways = (MYSQL, HTTP, OTHER) if changes else (MYSQL,)
    samples = [
        [at(number, 1.0 + 20 * sample, ways[(number + sample) % len(ways)]) for number in range(1, 11)]
        for sample in range(5)
    ]
    (found,) = [each for each in report(tmp_path, samples).findings if each.rule == "workers-saturated"]
    assert found.confidence == confidence


def test_undecided_threads_beside_slow_ones_are_busy_too(tmp_path: Path) -> None:
    """Calls of 10 s in a series of 10 s: most threads come back within it, two do not."""
    samples = [
        [at(number, 1.0 if number > 8 or sample < 3 else 1.4) for number in range(1, 11)] for sample in range(5)
    ]
    found = report(tmp_path, samples)
    assert {each.rule for each in found.findings} == {"workers-saturated", "slow-listener"}
    assert "; 8 of 10 work and move on" in english()(found.findings[0].title)
    assert any(
        english()(line).startswith("2 more threads may or may not move")
        for line in found.findings[0].explanation
    )


def test_threads_that_wait_for_each_other_are_not_called_busy() -> None:
    facts = example_of(workers_saturated).fires()
    assert facts.stacks is not None
    (pool,) = facts.stacks.pools
    waiting = msgspec.structs.replace(pool, shared_doing="monitor")
    stacks = msgspec.structs.replace(facts.stacks, pools=(waiting,))
    (finding,) = findings(workers_saturated, msgspec.structs.replace(facts, stacks=stacks))
    assert "move, but most of them wait for a lock at InventoryClient.reserve" in english()(finding.title)
    assert "Do not add consume threads" in " ".join(map(english(), finding.remedy))


@pytest.mark.parametrize("module", [workers_saturated, slow_listener])
@pytest.mark.parametrize(
    ("doing", "advice"),
    [
        ("monitor", "more threads make the wait longer"),
        ("lock", "more threads make the wait longer"),
        ("pool", "Make the pool that InventoryClient.reserve(InventoryClient.java:48) waits for larger"),
        ("sleep", "Find out why the listener sleeps at InventoryClient.reserve"),
    ],
)
def test_threads_that_wait_for_each_other_or_sleep_need_no_more_threads(
    module: ModuleType, doing: str, advice: str
) -> None:
    pool = msgspec.structs.replace(BUSY, shared_doing=doing)
    facts = Facts(stacks=StacksFacts(samples=5, seconds=10.4, judged=True, pools=(pool,)))
    (found,) = findings(module, facts)
    remedy = " ".join(map(english(), found.remedy))
    assert advice in remedy
    assert "Raise consumeThreadMin" not in remedy


@pytest.mark.parametrize("module", [workers_saturated, slow_listener])
def test_threads_that_a_rate_limit_holds_need_a_higher_rate(module: ModuleType) -> None:
    pool = msgspec.structs.replace(BUSY, shared_doing="sleep", shared_pause="Guava RateLimiter")
    facts = Facts(stacks=StacksFacts(samples=5, seconds=10.4, judged=True, pools=(pool,)))
    (found,) = findings(module, facts)
    assert "Raise the rate of Guava RateLimiter" in " ".join(map(english(), found.remedy))
