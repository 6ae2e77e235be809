"""What is said of a pool whose threads are all at work, and how sure it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.language import english
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
    assert "8 of them move on" in english()(found.findings[0].title)
    assert any(
        english()(line).startswith("2 more threads may or may not move")
        for line in found.findings[0].explanation
    )
