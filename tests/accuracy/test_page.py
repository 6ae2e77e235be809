"""The pages of measurements have the parts that `make accuracy` fills, and no difference that nothing explains."""

from __future__ import annotations

import pytest

from tests.accuracy.page import part_of
from tests.folded import folded


@folded("name", ["histograms", "mat", "netbeans", "netbeans-objects", "threads", "public"])
def test_a_part_is_there_once_and_filled(name: str) -> None:
    _, part = part_of(name)
    assert part.count("\n|") > 3


@pytest.mark.parametrize("name", ["mat", "netbeans"])
def test_every_other_reader_agrees_on_at_least_three_dumps(name: str) -> None:
    _, part = part_of(name)
    rows = [line.strip("| ").split(" | ") for line in part.splitlines()[2:]]
    assert len(rows) >= 3
    assert {row[-1] for row in rows} == {"0"}
