"""docs/accuracy.md has the parts that `make accuracy` fills, and no difference that nothing explains."""

from __future__ import annotations

import re

import pytest

from tests.accuracy.page import PAGE


@pytest.mark.parametrize("name", ["histograms", "mat", "netbeans", "netbeans-objects", "threads"])
def test_a_part_is_there_once_and_filled(name: str) -> None:
    (part,) = re.findall(f"<!-- {name} -->\n(.*?)<!-- /{name} -->", PAGE.read_text(), re.DOTALL)
    assert part.count("\n|") > 3


@pytest.mark.parametrize("name", ["mat", "netbeans"])
def test_every_other_reader_agrees_on_at_least_three_dumps(name: str) -> None:
    (part,) = re.findall(f"<!-- {name} -->\n(.*?)<!-- /{name} -->", PAGE.read_text(), re.DOTALL)
    rows = [line.strip("| ").split(" | ") for line in part.splitlines()[2:]]
    assert len(rows) >= 3
    assert {row[-1] for row in rows} == {"0"}
