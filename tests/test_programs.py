"""A test that lacks a program says so, and the run ends with one line about all of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.layers import CHECK
from tests.programs import PACKAGES, need, summary

ROOT = Path(__file__).parents[1]


def test_a_missing_program_skips(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(pytest.skip.Exception, match="no zsh: apt-get install zsh"):
        need("zsh")


def test_ci_installs_every_program() -> None:
    run = (ROOT / ".ci" / "run").read_text()
    assert [package for package in PACKAGES.values() if f":{package}" not in run] == []


def test_the_line_counts_by_program() -> None:
    reasons = ["Skipped: no jcmd: apt-get install openjdk-17-jdk-headless"] * 2 + ["only root can do that"]
    assert summary([*reasons, "no zsh: apt-get install zsh"]) == (
        "skipped for lack of a program: 2 without jcmd (apt-get install openjdk-17-jdk-headless),"
        " 1 without zsh (apt-get install zsh)"
    )
    assert summary(["only root can do that"]) is None


@CHECK
def test_it_is_the_last_line_of_a_run() -> None:
    run = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-n0",
        "-m",
        "check",
        "tests/cli/test_completion.py::test_fish",
    ]
    done = subprocess.run(
        run, cwd=ROOT, env={"PATH": "/nonexistent"}, capture_output=True, text=True, check=False
    )
    assert (
        done.stdout.splitlines()[-1] == "skipped for lack of a program: 1 without fish (apt-get install fish)"
    )


def test_the_readme_names_every_package() -> None:
    readme = (ROOT / "README.md").read_text()
    assert [package for package in PACKAGES.values() if package not in readme] == []
