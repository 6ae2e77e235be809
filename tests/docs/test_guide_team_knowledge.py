"""The three examples of the guide for a team's own knowledge: they are the files in fixtures, and do what it says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from mqdiag.cli import run
from tests.threads.made import CONSUME, READ, At, dump

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "guides" / "team-knowledge.md").read_text("utf-8")
FOLDER = ROOT / "fixtures" / "knowledge" / "acme"
LISTENER = tuple(frame.replace("com.acme.", "com.shop.") for frame in CONSUME)


def finding(evidence: Path, rule: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert run(["diagnose", str(evidence), "--knowledge", str(FOLDER), "--format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    (found,) = [one for one in report["findings"] if one["rule"] == rule]
    return dict(found)


def test_the_files_are_those_of_the_guide() -> None:
    shown = dict(re.findall(r"<!-- file: (\S+) -->\n```toml\n(.*?)```", GUIDE, re.DOTALL))
    there = {str(path.relative_to(FOLDER)): path.read_text() for path in FOLDER.rglob("*.toml")}
    assert shown == there


def test_the_library_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frames = (*READ, "com.acme.http.Client.call(Client.java:88)", *LISTENER)
    text = "\n".join(dump([At("ConsumeMessageThread_1", 31, frames)], 5.0 * number) for number in range(5))
    (tmp_path / "stacks.txt").write_text(text, "utf-8")
    found = finding(tmp_path / "stacks.txt", "stuck-socket-read", capsys)
    assert "in a network call of Acme HTTP" in found["title"]
    assert found["then"][0]["text"].startswith("Set acme.http.read-timeout")
    assert found["evidence"]["frame"].startswith("com.shop.Listener.consumeMessage")
    assert [one["by"] for one in found["team"]] == ["acme.toml", "acme/rules/stuck-socket-read.toml"]


def test_the_rate_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        f"2026-11-21 20:00:{second:02d}.000 WARN  [pay-1] com.shop.pay.Desk - payment {second} refused by visa: 05\n"
        for second in range(0, 50, 10)
    ]
    (tmp_path / "app.log").write_text("".join(lines))
    found = finding(tmp_path / "app.log", "team-statement", capsys)
    assert (found["cause"], found["severity"], found["confidence"]) == ("payment-refused", "error", "medium")
    assert found["evidence"]["measured_lines"] == 5
    (tmp_path / "app.log").write_text("".join(lines[:4]))
    assert run(["logs", str(tmp_path / "app.log"), "--knowledge", str(FOLDER)]) == 0


def test_the_limits_of_the_table_are_understood(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = re.findall(r"^\| `((?:count|rate|gap|sequence) = .*?)` \|", GUIDE, re.MULTILINE)
    assert len(rows) == 4
    text = (FOLDER / "log_statements" / "pay.toml").read_text()
    (tmp_path / "log_statements").mkdir()
    for number, row in enumerate(rows):
        changed = text.replace("rate = { per_minute = 5 }", row).replace("payment-refused", f"payment-{number}")
        (tmp_path / "log_statements" / f"limit-{number}.toml").write_text(changed)
    assert run(["knowledge", "check", str(tmp_path)]) == 0
    assert "4 log statements" in capsys.readouterr().out
