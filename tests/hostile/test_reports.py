"""Saved reports from somebody else, whose sentences are read back as templates with values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mqdiag.cli import run
from tests.hostile.crafted_texts import ring_of_locks

MANY, DEEP = 10, 300


def multiplied(levels: int) -> dict[str, Any]:
    """A text that names a text ten times, which names a text ten times, and so on."""
    text: dict[str, Any] = {"template": "x", "values": {}}
    for _ in range(levels):
        text = {"template": "{a}" * MANY, "values": {"a": text}}
    return text


def nested(levels: int) -> dict[str, Any]:
    text: dict[str, Any] = {"template": "x", "values": {}}
    for _ in range(levels):
        text = {"template": "{a}", "values": {"a": text}}
    return text


def of_number(number: float) -> dict[str, Any]:
    return {"template": "{n:bytes} {n:ms} {n:percent}", "values": {"n": number}}


REFUSED = {
    "a text that is 10^12 characters long when it is written": (multiplied(12), "repeats its values too often"),
    "a text in a text in a text": (nested(DEEP), "it is nested too deeply"),
    "a number that no duration has": (of_number(1e308), "a number is too large"),
    "an attribute": ({"template": "{n[0].__class__}", "values": {"n": "x"}}, "does not fit its values"),
}
ODD = {
    "a width": {"template": "{n:>999999999}", "values": {"n": "x"}},
    "a text where a number is expected": {"template": "{n:count} {n:bytes} {n:time}", "values": {"n": "x"}},
    "a number where a time is expected": {"template": "{n:time}", "values": {"n": 5}},
    "a list where an argument is expected": {"template": "{n:arg X}", "values": {"n": ["-x", 1]}},
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("reports")
    (folder / "jstack.txt").write_text(ring_of_locks(4))
    run(["stacks", str(folder / "jstack.txt"), "--format", "json", "-o", str(folder / "report.json")])
    report: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return report


def changed(saved: dict[str, Any], title: dict[str, Any], folder: Path) -> tuple[str, str]:
    """The report, and another one with a finding of this title."""
    report = json.loads(json.dumps(saved))
    report["findings"][0]["texts"]["title"] = title
    report["findings"][0]["fingerprint"] = "0123456789abcdef"
    before, after = folder / "before.json", folder / "after.json"
    before.write_text(json.dumps(saved))
    after.write_text(json.dumps(report))
    return str(before), str(after)


@pytest.mark.parametrize(("title", "why"), REFUSED.values(), ids=REFUSED)
def test_a_sentence_that_is_no_report_s_is_refused(
    title: dict[str, Any],
    why: str,
    saved: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before, after = changed(saved, title, tmp_path)
    for words in (["diff", before, after], ["diagnose", after]):
        assert run(words) == 3
        said = capsys.readouterr()
        assert why in said.err
        assert len(said.err.splitlines()) == 1


@pytest.mark.parametrize("title", ODD.values(), ids=ODD)
def test_an_odd_sentence_is_written_all_the_same(
    title: dict[str, Any], saved: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = changed(saved, title, tmp_path)
    assert run(["diff", before, after]) == 1
    assert len(capsys.readouterr().out) < 10_000
