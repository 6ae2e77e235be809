"""Evidence in the place of a command is diagnosed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from mqdiag.cli import run
from mqdiag.errors import EXIT_FINDINGS, EXIT_INPUT, EXIT_USAGE

STACKS = Path(__file__).parents[2] / "fixtures" / "stacks" / "apache4-stuck" / "series.tar.gz"
Capture = pytest.CaptureFixture[bytes]


def test_a_file_and_a_folder_are_diagnosed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: Capture
) -> None:
    shutil.copy(STACKS, tmp_path / "series")
    monkeypatch.chdir(tmp_path)
    reports = []
    for words in (["diagnose", "series"], ["series"], [str(tmp_path)]):
        assert run([*words, "--format", "json"]) == EXIT_FINDINGS
        reports.append(json.loads(capsysbinary.readouterr().out))
    assert reports[0] == reports[1]
    assert reports[2]["findings"][0]["title"] == reports[1]["findings"][0]["title"]


@pytest.mark.parametrize("word", ["dump.hprof", "some/dump", "/no/such/folder"])
def test_a_file_that_does_not_exist_says_so(capsysbinary: Capture, word: str) -> None:
    assert run([word]) == EXIT_INPUT
    assert f"mqdiag: {word}: no such file or folder".encode() in capsysbinary.readouterr().err


def test_a_process_that_does_not_exist_says_so(capsysbinary: Capture) -> None:
    assert run(["4194999"]) != EXIT_FINDINGS
    assert b"4194999" in capsysbinary.readouterr().err


def test_a_mistyped_command_is_no_file(capsysbinary: Capture) -> None:
    assert run(["heep"]) == EXIT_USAGE
    assert b"did you mean heap?" in capsysbinary.readouterr().err


def test_a_terminal_without_a_word_gets_what_is_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("mqdiag.capture.target.running_jvms", lambda: [])
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert run([]) == 0
    assert capsys.readouterr().out.startswith("No JVM runs here")
    shutil.copy(STACKS, tmp_path / "a series.tar.gz")
    (tmp_path / "broker.conf").write_text("brokerName=broker-a\n")
    (tmp_path / "dump.hprof").write_bytes(b"JAVA PROFILE 1.0.2\0\0\0\0\x08" + bytes(8))
    (tmp_path / "broker.log").write_text(
        "2026-11-20 10:00:00 INFO main - The broker[broker-a, 10.0.0.1:10911] boot success.\n" * 9
    )
    assert run([]) == 0
    shown = capsys.readouterr().out
    for command in ("mqdiag logs broker.log", "mqdiag heap dump.hprof", "mqdiag ."):
        assert f"  {command} " in shown, shown
    assert "broker.conf" not in shown


def test_a_pipe_without_a_word_gets_the_help(capsysbinary: Capture) -> None:
    assert run([]) == EXIT_USAGE
    assert b"Begin with one of these" in capsysbinary.readouterr().err


@pytest.mark.parametrize(
    "options", [["--format", "json"], ["--format=json"], ["--detail", "full", "--format", "json"]]
)
def test_options_may_stand_before_the_evidence(capsysbinary: Capture, options: list[str]) -> None:
    assert run([*options, str(STACKS)]) == run(["diagnose", str(STACKS), *options]) == EXIT_FINDINGS
    before, _, after = capsysbinary.readouterr().out.partition(b"\n{")
    assert json.loads(before) == json.loads(b"{" + after)


@pytest.mark.parametrize("words", [["--lang", "zh", "heap", "dump.hprof"], ["--nonsense"]])
def test_options_before_a_command_are_refused(capsysbinary: Capture, words: list[str]) -> None:
    assert run(words) == EXIT_USAGE
    assert words[0].encode() in capsysbinary.readouterr().err
