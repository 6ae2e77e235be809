"""How many times as long one program takes as another one, by the pairs of one turn, and whether the runs decide it."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import NamedTuple

from tests.bench.measure import Run

LEAST_PAIRS = 3
"""turns; of fewer a spread says nothing"""


class Ratio(NamedTuple):
    """Median of a ratio over the turns, with the least and the greatest."""

    middle: float
    least: float
    most: float
    pairs: int

    @property
    def decides(self) -> bool:
        """Whether the difference is wider than the spread."""
        return self.pairs >= LEAST_PAIRS and self.most - self.least < abs(self.middle - 1)

    def __str__(self) -> str:
        """Such as "5.2 (5.0 to 5.5)"."""
        return f"{self.middle:.2f} ({self.least:.2f} to {self.most:.2f})"


class Compared(NamedTuple):
    """A program against another one on the same input."""

    what: str
    """name of the input"""
    program: str
    against: str
    wall: Ratio
    cpu: Ratio

    @property
    def verdict(self) -> str:
        """What processor time says, which other work on the machine changes least, and whether the clock agrees."""
        if not self.cpu.decides:
            return "not judged"
        words = "longer" if self.cpu.middle > 1 else "shorter"
        return words if self.wall.decides else f"{words}; not judged on the clock"


def compared(what: str, program: str, runs: Sequence[Run], against: str, others: Sequence[Run]) -> Compared:
    """A program against another one, pair by pair.

    Args:
        what: name of the input.
        program: name of the one.
        runs: of it, by turn.
        against: name of the other.
        others: its runs, by turn.
    """
    pairs = list(zip(runs, others, strict=False))
    return Compared(
        what,
        program,
        against,
        _ratio([one.wall_s / max(other.wall_s, 1e-3) for one, other in pairs]),
        _ratio([one.cpu_s / max(other.cpu_s, 1e-3) for one, other in pairs]),
    )


def _ratio(values: Sequence[float]) -> Ratio:
    return Ratio(round(statistics.median(values), 3), round(min(values), 3), round(max(values), 3), len(values))


def table(rows: Sequence[Compared]) -> list[str]:
    """Lines of a page."""
    return [
        "| input | program | against | runs of each | on the clock | processor time | takes |",
        "|---|---|---|---|---|---|---|",
        *(
            f"| {one.what} | {one.program} | {one.against} | {one.cpu.pairs} | {one.wall} | {one.cpu} | {one.verdict} |"
            for one in rows
        ),
    ]
