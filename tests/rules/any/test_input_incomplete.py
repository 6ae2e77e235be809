"""What is said of the share that was read."""

from __future__ import annotations

import msgspec
import pytest

from mqdiag.config import Settings
from mqdiag.diagnose.judge import judge
from mqdiag.rules.any.input_incomplete import fires


@pytest.mark.parametrize(("source", "told"), [("declared-size", True), ("references", False)])
def test_references_do_not_tell_the_share_of_the_bytes(source: str, told: bool) -> None:
    facts = fires()
    given = msgspec.structs.replace(facts.inputs[0], read_share=0.8, read_share_source=source)
    found = judge(msgspec.structs.replace(facts, inputs=(given,)), Settings()).report.findings[0]
    assert ("80.0% of it was read" in found.title) is told
    assert ("how many of its bytes are missing cannot be told" in " ".join(found.explanation)) is not told
    assert found.evidence["read_share"] == 0.8
