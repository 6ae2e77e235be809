"""Where compiled kernels are kept when the installation cannot be written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqdiag.kernel import folder as place


@pytest.fixture
def read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installation that was warmed and can only be read, for a user without a home; gives its package."""
    package, temporary = tmp_path / "package", tmp_path / "temporary"
    temporary.mkdir()
    shipped = package / "_kernel_cache" / place.state()
    shipped.mkdir(parents=True)
    for name in ("ready", "kernel.o"):
        (shipped / name).write_text(name)
    monkeypatch.setattr(place, "_PACKAGE", package)
    monkeypatch.setattr(place, "_writable", lambda folder: False)
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    monkeypatch.setenv("MQDIAG_KERNELS", "")
    before = place.state()
    monkeypatch.setattr(place, "state", lambda: before)
    place.kernel_folder.cache_clear()
    yield package
    place.kernel_folder.cache_clear()


def test_a_temporary_folder_is_filled_from_the_installation(read_only: Path) -> None:
    folder = place.kernel_folder()
    assert read_only not in folder.parents
    assert folder.parent.name == f"mqdiag-{os.getuid()}"
    assert (folder / "kernel.o").exists()
    assert place.is_ready()


def test_a_temporary_folder_that_others_can_write_is_not_used(read_only: Path, tmp_path: Path) -> None:
    planted = tmp_path / "temporary" / f"mqdiag-{os.getuid()}"
    planted.mkdir()
    planted.chmod(0o777)
    folder = place.kernel_folder()
    assert planted not in folder.parents
    assert (folder / "kernel.o").exists()


def test_a_link_in_place_of_the_temporary_folder_is_not_followed(read_only: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "temporary" / f"mqdiag-{os.getuid()}").symlink_to(tmp_path / "elsewhere")
    place.kernel_folder()
    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.fixture
def named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder that the user named."""
    monkeypatch.setenv("MQDIAG_KERNELS", str(tmp_path / "volume"))
    place.kernel_folder.cache_clear()
    yield tmp_path / "volume"
    place.kernel_folder.cache_clear()


def test_kernels_of_another_version_in_the_named_folder_are_not_taken(
    named: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = place.kernel_folder()
    assert older.parent == named
    place.mark_ready()
    monkeypatch.setattr(place, "state", lambda: "another")
    place.kernel_folder.cache_clear()
    assert place.kernel_folder() == named / "another"
    assert not place.is_ready()


def test_a_named_folder_that_cannot_be_made_is_passed_over(named: Path) -> None:
    named.write_text("a file")
    assert named not in place.kernel_folder().parents
