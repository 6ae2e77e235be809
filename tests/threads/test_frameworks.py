"""Listeners under real frameworks, under `fixtures/frameworks`: the stuck ones, and the same at slow work."""

from __future__ import annotations

import json
import tarfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.findings import Finding, Report
from mqdiag.language import english
from tests.layers import one_in_each_run
from tests.threads.real_series import STANDS

PACK = Path(__file__).parents[2] / "fixtures" / "frameworks" / "series.tar.xz"
APPLICATIONS = ("kotlin", "micronaut", "plain", "quarkus", "spring", "stream")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All series, unpacked."""
    unpacked = tmp_path_factory.mktemp("frameworks")
    with tarfile.open(PACK) as tar:
        tar.extractall(unpacked, filter="data")
    return unpacked


def truth_of(case: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((case / "truth.json").read_text(encoding="utf-8"))
    return loaded


@cache
def report_of(case: Path) -> Report:
    return diagnose_stacks(sorted(case.glob("j*.log"))).report


def said_of(case: Path, group: str, wanted: dict[str, Any]) -> list[Finding]:
    """What is said of a group; some clients do not name it in their threads."""
    findings = report_of(case).findings
    if wanted["named"]:
        return [one for one in findings if one.subject.group == group]
    return [
        one for one in findings if one.subject.group is None and one.subject.thread == "ConsumeMessageThread"
    ]


def words(finding: Finding) -> str:
    return " ".join(map(english(), finding.remedy))


@pytest.mark.parametrize("name", APPLICATIONS)
def test_the_own_frame_and_the_setting_are_named(folder: Path, name: str) -> None:
    case = folder / f"{name}-stuck"
    for group, wanted in truth_of(case)["groups"].items():
        found = said_of(case, group, wanted)
        (finding,) = [one for one in found if (one.rule, one.cause) == (wanted["rule"], wanted["cause"])]
        assert str(finding.evidence["frame"]).startswith(wanted["frame"]), group
        assert len(finding.evidence["threads"]) == wanted["threads"], group
        assert wanted["says"] in words(finding), group


@pytest.mark.parametrize("name", APPLICATIONS)
def test_slow_work_is_not_called_stuck(folder: Path, name: str) -> None:
    case = folder / f"{name}-progressing"
    for group, wanted in truth_of(case)["groups"].items():
        (finding,) = [one for one in said_of(case, group, wanted) if one.rule == "workers-saturated"]
        assert wanted["at_work"] in words(finding), group


@one_in_each_run(3)
@pytest.mark.parametrize("kind", ["stuck", "progressing"])
@pytest.mark.parametrize("name", APPLICATIONS)
def test_states(folder: Path, name: str, kind: str) -> None:
    case = folder / f"{name}-{kind}"
    stacks = report_of(case).stacks
    assert stacks is not None
    states = {thread.java_id: thread.state for thread in stacks.threads}
    for thread in truth_of(case)["threads"]:
        assert (states[thread["java_id"]] in STANDS) == (thread["truth"] == "stuck"), thread
