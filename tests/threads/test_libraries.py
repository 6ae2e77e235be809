"""The real libraries under `fixtures/libraries`, each of which waited in a consume thread: what mqdiag says of them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.findings import Finding
from mqdiag.knowledge.lookup import all_libraries
from mqdiag.language import english
from tests.layers import one_in_each_run

FIXTURES = Path(__file__).parents[2] / "fixtures" / "libraries"
CALLS = [
    pytest.param(file.parent, call, id=f"{file.parent.name}-{call['call']}")
    for file in sorted(FIXTURES.glob("*/truth.json"))
    for call in json.loads(file.read_text(encoding="utf-8"))
]


@cache
def findings_of(folder: Path) -> dict[str | None, Finding]:
    """The first finding of each group of one JVM; each group has one thread."""
    found: dict[str | None, Finding] = {}
    for finding in diagnose_stacks([folder / "series.tar.gz"]).report.findings:
        found.setdefault(finding.subject.group, finding)
    return found


@one_in_each_run(3)
@pytest.mark.parametrize(("folder", "call"), CALLS)
def test_the_own_frame_the_library_and_its_setting_are_named(folder: Path, call: dict[str, Any]) -> None:
    finding = findings_of(folder)[f"CID_{call['call']}"]
    assert finding.severity in ("error", "warning")
    # of a wrapped call the frame is in the class of the application that the wrapper calls
    frame = str(finding.evidence["frame"])
    assert frame.startswith(f"com.acme.calls.{call['call']}Call" + ("$" if "wrapped" in call else "."))
    remedy = " ".join(english()(text) for text in finding.remedy)
    # where no thread uses a connection they leak: the setting that finds the leak, and not the size, is named
    assert call["setting"] in remedy or "must close the connection" in remedy
    framework = next(one for one in all_libraries() if one.name == call["name"]).kind == "framework"
    assert framework or finding.evidence["library"] == call["name"]


def test_enough_libraries_are_known_and_tried() -> None:
    assert len(all_libraries()) >= 60
    assert len({call.values[1]["name"] for call in CALLS}) >= 30
