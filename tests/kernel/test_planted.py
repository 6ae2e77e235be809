"""A planted kernel is valid object code for the right call, with another answer: it must never run."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from mqdiag import progress
from mqdiag.kernel import folder, native
from tests.kernel import sample_kernels as sample
from tests.kernel.other_user import as_root, open_folder_of_root, run_as
from tests.layers import CHECK

NO_ENTRY = 54321
"""a user without name and home, as containers run them"""


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A folder in which the code of `is_even` is that of `is_odd`."""
    kernels = tmp_path / "planted"
    monkeypatch.setattr(progress, "_noted", set())
    monkeypatch.setenv("MQDIAG_KERNELS", str(kernels))
    start_again()
    assert sample.is_even(np.int64(4)) is True
    assert sample.is_odd(np.int64(4)) is False
    (even,) = kernels.rglob("*.is_even-*.o")
    (odd,) = kernels.rglob("*.is_odd-*.o")
    odd.replace(even)
    yield kernels
    start_again()


def start_again() -> None:
    """As a new process would."""
    folder._chosen.cache_clear()
    native._check_calls.cache_clear()
    for kernel in (sample.is_even, sample.is_odd):
        kernel._natives.clear()


def answer() -> bool:
    """Whether 4 is even; False is what the planted code says."""
    start_again()
    answer: bool = sample.is_even(np.int64(4))
    return answer


def test_code_in_a_trusted_folder_runs(planted: Path) -> None:
    """So that the tests below see something that would run."""
    assert answer() is False


def test_code_in_a_folder_that_others_can_write_does_not_run(planted: Path) -> None:
    planted.chmod(0o777)
    assert answer() is True


def test_code_below_the_working_folder_does_not_run(planted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(planted.parent)
    monkeypatch.setenv("MQDIAG_KERNELS", planted.name)
    assert answer() is True


def test_code_behind_a_link_in_a_folder_of_everybody_does_not_run(
    planted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = planted.parent / "tmp"
    shared.mkdir()
    shared.chmod(0o1777)
    (shared / "kernels").symlink_to(planted)
    monkeypatch.setenv("MQDIAG_KERNELS", str(shared / "kernels"))
    assert answer() is True


@as_root
def test_code_of_another_user_does_not_run(planted: Path) -> None:
    (code,) = planted.rglob("*.is_even-*.o")
    os.chown(code, NO_ENTRY, -1)
    assert answer() is True


@CHECK
@as_root
@pytest.mark.parametrize("variable", ["HOME", "XDG_CACHE_HOME"])
@pytest.mark.parametrize("value", [None, "", "~", ".", "cache"])
def test_a_user_without_a_home_runs_nothing_from_the_evidence(
    planted: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str | None
) -> None:
    """The evidence holds every folder that a wrong reading of the variables could mean."""
    state = next(planted.iterdir())
    with open_folder_of_root() as root:
        evidence, package = root / "evidence", root / "package"
        package.mkdir()
        for base in (
            "~/.cache/mqdiag",
            ".cache/mqdiag",
            "mqdiag",
            "cache/mqdiag",
            "~/mqdiag",
            "cache/.cache/mqdiag",
        ):
            shutil.copytree(state, evidence / base / state.name)
        for path in (evidence, *evidence.rglob("*")):
            os.chown(path, NO_ENTRY, NO_ENTRY)
        monkeypatch.setattr(folder, "_PACKAGE", package)
        monkeypatch.chdir(evidence)
        monkeypatch.setenv("MQDIAG_KERNELS", "")
        monkeypatch.setenv("TMPDIR", str(root))
        for name in ("HOME", "XDG_CACHE_HOME"):
            monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(variable, value)
        assert run_as(NO_ENTRY, answer) is True
