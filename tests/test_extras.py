"""The command that adds the packages of an extra, with and without a pip in the environment."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from mqdiag import extras
from mqdiag.language import english

PYTHON = shlex.quote(sys.executable)


@pytest.mark.parametrize(
    ("pip", "command"),
    [
        (object(), f"{PYTHON} -m pip install 'mqdiag[query]'"),
        (None, f"uv pip install --python {PYTHON} 'mqdiag[query]'"),
    ],
)
def test_the_command_fits_the_environment(pip: object, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: pip)
    assert extras.install_command("query") == command


def test_a_bundle_is_not_told_to_ask_an_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert PYTHON in english()(extras.how_to_add("query", ("duckdb",)))
    (tmp_path / extras.BUNDLE_MARK).touch()
    told = english()(extras.how_to_add("query", ("duckdb",)))
    assert "make bundle EXTRAS=query" in told
    assert PYTHON not in told
