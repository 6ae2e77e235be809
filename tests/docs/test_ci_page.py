"""Every mqdiag command of docs/ci.md runs, in the order of the page, in a folder like that of a pipeline."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from mqdiag.baseline import read_baseline
from mqdiag.cli import run
from mqdiag.errors import EXIT_CLEAN, EXIT_FINDINGS
from mqdiag.render import TABLES, formats
from tests.layers import CHECK

pytestmark = CHECK

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
DUMP = ROOT / "fixtures" / "heap" / "oversized-oom-4.3.2" / "dump.hprof.gz"
COMMANDS = re.findall(r"\bmqdiag ((?:heap|stacks|logs|diagnose|diff) .*?)['\"]?$", PAGE, re.MULTILINE)


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_every_command_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "consumer.hprof").symlink_to(DUMP)
    shown = [command for command in COMMANDS if "build/consumer.hprof" in command]
    assert len(shown) >= 6
    codes = [run(shlex.split(command)) for command in shown]
    written = {command: code for command, code in zip(shown, codes, strict=True) if code not in (0, 1)}
    assert not written, capfd.readouterr().err
    # without a baseline the gate fails, with one it passes
    for command, code in zip(shown, codes, strict=True):
        known = "--baseline" in command or "--fail-on never" in command
        assert code == (EXIT_CLEAN if known else EXIT_FINDINGS), command
    outputs = {"mqdiag.md", "mqdiag.json", "mqdiag.sarif", "mqdiag.xml", "queues.csv"}
    assert outputs < {path.name for path in (tmp_path / "build").iterdir()}


def test_the_baseline_shown_is_one(tmp_path: Path) -> None:
    (block,) = blocks("toml")
    path = tmp_path / "mqdiag-baseline.toml"
    path.write_text(block)
    (entry,) = read_baseline(path).entries
    assert entry.rule == "consumer-cache-exceeds-heap"
    assert entry.acceptance.until is not None
    assert tomllib.loads(block)["known"][0]["severity"] == "error"


def test_formats_and_tables_are_those_that_there_are() -> None:
    named = set(re.findall(r"^\| `(\w+)` \| ", PAGE, re.MULTILINE))
    assert named <= set(formats())
    assert {"json", "sarif", "junit", "github", "gitlab", "markdown", "csv"} == named
    for table in TABLES:
        assert f"`{table}`" in PAGE


def test_the_snippets_read_what_the_commands_write() -> None:
    snippets = "\n".join([*blocks("yaml"), *blocks("groovy")])
    written = set(re.findall(r"--also \w+=(build/\S+?)['\s]", snippets))
    read = set(re.findall(r"(?:sarif_file: |junit: |cat |junit '|artifacts: '|\[)(build/[\w.]+)", snippets))
    assert read <= written
    assert len(read) == 2
