"""How close a rule is to its limit: what is below a limit is not written equal to it."""

from __future__ import annotations

import msgspec
import pytest

from mqdiag.findings import Answer, Margin
from mqdiag.render import View, renderer
from mqdiag.text import say
from tests.render import samples


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.00095, "<0.1 % 0.1 %"), (0.00105, ">0.1 % 0.1 %"), (0.001, "0.1 % 0.1 %"), (0.0005, "<0.1 % 0.1 %")],
)
def test_a_value_that_rounds_to_its_limit_is_not_written_equal(value: float, shown: str) -> None:
    margin = Margin(rule="slow-writes", label=say("slow"), value=value, limit=0.001, kind="percent")
    answer = Answer(state="healthy", text=say("No fault found."), margins=(margin,))
    report = msgspec.structs.replace(samples.HEALTHY, answer=answer)
    assert f" slow {shown}" in " ".join(renderer("text")(report, View(width=250)).split())


def test_margins_that_read_the_same_are_one_row() -> None:
    """The files that they come from are no words of theirs."""
    margins = tuple(
        Margin(rule="slow-writes", label=say("slow", path=path), value=value, limit=100, kind="count")
        for path, value in (("a.log", 40), ("b.log", 70))
    )
    answer = Answer(state="healthy", text=say("No fault found."), margins=margins)
    report = msgspec.structs.replace(samples.HEALTHY, answer=answer)
    shown = renderer("text")(report, View(width=250)).split(" slow ")
    assert [part.split()[0] for part in shown[1:]] == ["70"]
