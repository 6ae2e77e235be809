"""What a run of `make bench` judges."""

from __future__ import annotations

from tests.bench.measure import Run
from tests.bench.ratios import compared
from tests.folded import folded


@folded(
    "walls, cpus, verdict",
    [
        ([5, 6, 5], [5, 5.1, 5.2], "longer"),
        ([5, 6, 12], [5, 5.1, 5.2], "longer; not judged on the clock"),
        ([0.5, 0.5, 0.5], [0.5, 0.6, 0.5], "shorter"),
        ([5, 5, 5], [1, 1.3, 0.8], "not judged"),
        ([5, 5], [5, 5], "not judged"),
    ],
)
def test_what_spreads_wider_than_it_differs_is_not_judged(
    walls: list[float], cpus: list[float], verdict: str
) -> None:
    runs = [Run(wall, cpu, 0, 0) for wall, cpu in zip(walls, cpus, strict=True)]
    assert compared("dump", "one", runs, "other", [Run(1, 1, 0, 0)] * len(runs)).verdict == verdict
