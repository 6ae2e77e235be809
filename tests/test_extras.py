"""The command that adds the packages of an extra, with and without a pip in the environment."""

from __future__ import annotations

import shlex
import sys

import pytest

from mqdiag import extras

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
