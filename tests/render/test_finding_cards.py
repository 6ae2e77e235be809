"""The evidence of a finding: a name does not repeat the unit that its value is written with."""

from __future__ import annotations

import msgspec

from mqdiag.findings import EvidenceValue
from mqdiag.render import View, renderer
from tests.folded import folded
from tests.render import samples


@folded(
    "key, value, shown",
    [
        ("age_ms", 195_000, "age 3 min 15 s"),
        ("body_bytes", 2048, "body 2,048 (2 KiB)"),
        ("freed_share", 0.25, "freed 25 %"),
        ("share", 0.25, "share 25 %"),
        ("pause_share_by_log", (0.5, 0.25), "pause by log 50 %, 25 %"),
        ("largest_bytes", (1024, 2048), "largest 1,024 (1 KiB), 2,048 (2 KiB)"),
        ("queue_id", 3, "queue id 3"),
        ("share_name", "a", "share name a"),
    ],
)
def test_a_name_has_no_unit_that_its_value_says(key: str, value: EvidenceValue, shown: str) -> None:
    found = msgspec.structs.replace(samples.OVERSIZED, evidence={key: value})
    report = msgspec.structs.replace(samples.ARTICLE, findings=(found,))
    text = " ".join(renderer("text")(report, View(width=250, detail="full")).split())
    assert f"sources {shown} " in text
