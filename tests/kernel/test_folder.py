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
