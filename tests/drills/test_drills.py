"""Whole incidents of real systems: the answer and the first screen are what an expert would say of them."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.language import english
from mqdiag.render import UNWRAPPED, View, renderer
from tests.layers import one_in_each_run
from tests.left_over import assert_told

DRILLS = Path(__file__).parents[2] / "fixtures" / "drills"
SCREEN = 24
"""paragraphs and points, or lines of 80 columns, that a reader sees without scrolling"""


def parts() -> Iterator[Any]:
    """Each part of each drill."""
    for file in sorted(DRILLS.glob("*/truth.json")):
        for part, truth in json.loads(file.read_text())["parts"].items():
            yield pytest.param(file.parent / f"{part}.tar.xz", truth, id=f"{file.parent.name}-{part}")


@one_in_each_run(17)
@pytest.mark.parametrize(("evidence", "truth"), list(parts()))
def test_an_operator_reads_what_an_expert_would_say(
    evidence: Path, truth: dict[str, Any], tmp_path: Path
) -> None:
    """State, first finding, the words that a first screen must have and must not have, and no word for a known name."""
    with tarfile.open(evidence) as packed:
        packed.extractall(tmp_path, filter="data")
    report = diagnose_incident([tmp_path]).report
    first = report.findings[0] if truth["state"] == "fault" and report.findings else None
    told = (report.answer.state, *((first.rule, first.cause) if first else (None, None)))
    assert told == (truth["state"], truth.get("rule"), truth.get("cause")), english()(report.answer.reason)
    screen = "\n".join(renderer("text")(report, View(width=UNWRAPPED)).splitlines()[:SCREEN])
    assert [word for word in truth.get("first_screen", ()) if word not in screen] == []
    assert [word for word in truth.get("not_said", ()) if word in screen] == []
    assert report.answer.margins or truth["state"] != "healthy"
    narrow = renderer("text")(report, View(width=80)).splitlines()[:SCREEN]
    step = first.now[0] if first else report.answer.next
    for part in () if step is None else (step.text, step.command):
        assert "".join(english()(part).split()) in "".join("".join(narrow).split()), "the first action is below"
    assert step is not None or truth["state"] == "healthy"
    assert_told(report, tmp_path)


@one_in_each_run(3)
@pytest.mark.parametrize(
    ("file", "before", "after"),
    [
        ("consumerProgress.txt", "Consume TPS: 20.00", "Consume TPS: 0.00"),
        ("consumerProgress.txt", "%RETRY%CID_orders ", "%RETRY%CID_others "),
        ("orders/logs/rocketmq_client.log", "CID_orders", "CID_others"),
    ],
    ids=["consumes-nothing", "progress-of-others", "log-of-others"],
)
def test_a_restart_is_over_only_by_the_progress_of_the_same_group(
    file: str, before: str, after: str, tmp_path: Path
) -> None:
    with tarfile.open(DRILLS / "broker-restart" / "client_alone.tar.xz") as packed:
        packed.extractall(tmp_path, filter="data")
    text = (tmp_path / file).read_text()
    assert before in text
    (tmp_path / file).write_text(text.replace(before, after))
    assert diagnose_incident([tmp_path]).report.answer.state == "undecided"
