"""What each command imports: the light ones must start fast, so none of them takes numba along."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("numba", "numpy", "pandas", "pyspark", "llvmlite")
SCRIPT = """
import sys
from mqdiag.cli import run
code = run({arguments!r})
print(code, *sorted(set({heavy!r}) & set(sys.modules)), sep=",", file=sys.stderr)
"""


def heavy_modules(*arguments: str) -> tuple[str, set[str]]:
    """Exit code of a command line, and the heavy modules that it left imported."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT.format(arguments=list(arguments), heavy=HEAVY)],
        capture_output=True,
        text=True,
        check=True,
    )
    code, *modules = done.stderr.strip().splitlines()[-1].split(",")
    return code, set(modules)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("--version",),
        ("heap", "--help"),
        ("warm", "--help"),
        ("rules",),
        ("rules", "input-incomplete"),
    ],
    ids=" ".join,
)
def test_a_light_command_imports_nothing_heavy(arguments: tuple[str, ...]) -> None:
    assert heavy_modules(*arguments) == ("0", set())


@pytest.mark.parametrize(
    "arguments", [("heap", "x", "--expect", "bad"), ("heap", "x", "-o", "/no/such/folder/r")]
)
def test_wrong_usage_is_told_before_anything_heavy(arguments: tuple[str, ...]) -> None:
    assert heavy_modules(*arguments) == ("2", set())


def test_the_check_sees_what_it_looks_for() -> None:
    code = "import numpy"
    done = subprocess.run(
        [sys.executable, "-c", code + SCRIPT.format(arguments=["--version"], heavy=HEAVY)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr.strip() == "0,numpy"


def test_the_package_itself_imports_nothing_but_itself() -> None:
    code = "import sys; before = set(sys.modules); import mqdiag; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["mqdiag"]
