"""Evidence is written with the unit that its name has; the unit of a limit in the name of a count is not one."""

from __future__ import annotations

import msgspec
import pytest

from mqdiag.findings import EvidenceValue
from mqdiag.render import View, renderer
from tests.render import samples


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("age_ms", 65_000, "age 65 s"),
        ("held_bytes", 2048, "held 2,048 (2 KiB)"),
        ("puts_from_100_ms", 216, "puts from 100 ms 216"),
        ("from_1_s", 3, "from 1 s 3"),
    ],
)
def test_a_value_has_the_unit_of_its_name(name: str, value: EvidenceValue, line: str) -> None:
    report = samples.ARTICLE
    finding = msgspec.structs.replace(report.findings[0], evidence={name: value})
    text = renderer("text")(
        msgspec.structs.replace(report, findings=(finding, *report.findings[1:])), View(detail="full")
    )
    assert any(" ".join(row.split()) == line for row in text.splitlines()), text
