"""What is said of how much is missing: bytes where the file states its size, references where only they tell."""

from __future__ import annotations

import msgspec

from mqdiag.facts import Facts
from mqdiag.findings import Finding
from mqdiag.rules import run_rules
from mqdiag.rules.any import input_incomplete


def finding(read_share: float | None, found_references_share: float | None) -> Finding:
    given = msgspec.structs.replace(
        input_incomplete.fires().inputs[0],
        read_share=read_share,
        found_references_share=found_references_share,
    )
    return run_rules([input_incomplete.check], Facts(inputs=(given,))).findings[0]


def test_a_stated_size_gives_the_share_of_its_bytes() -> None:
    said = finding(0.8, None)
    assert "80.0% of it was read" in said.title
    assert not any("cannot be told" in line for line in said.explanation)


def test_references_are_told_as_references_never_as_bytes() -> None:
    said = finding(None, 0.8)
    assert "was read" not in said.title
    assert "How many of its bytes are missing cannot be told." in said.explanation
    assert any(line.startswith("20.0% of the references lead to objects") for line in said.explanation)
