"""The command line as a report repeats it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.cli import run

DUMP = Path(__file__).parents[2] / "fixtures/stacks/convoy-stuck/series.tar.gz"


def made_by(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    run([*words, "--detail", "full", "--width", "900"])
    lines = capsys.readouterr().out.splitlines()
    return " ".join(next(line for line in lines if line.lstrip().startswith("made by")).split())


def test_given_options_are_named_by_their_long_names(capsys: pytest.CaptureFixture[str]) -> None:
    told = made_by(capsys, "stacks", "-o", "-", "--threads", str(DUMP))
    assert told == f"made by `mqdiag stacks --threads --output - --detail full --width 900 {DUMP}`"


def test_redaction_hides_free_text_and_keeps_names_of_files(capsys: pytest.CaptureFixture[str]) -> None:
    secret = "orders:namespace=secret"
    told = made_by(capsys, "diagnose", "--redact", "--expect", secret, str(DUMP))
    assert "secret" not in told
    assert "--expect '(hidden)'" in told
    assert str(DUMP) in told
    assert secret in made_by(capsys, "diagnose", "--expect", secret, str(DUMP))
