"""Where compiled kernels are kept when the installation cannot be written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqdiag import kernel_cache


@pytest.fixture
def read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installation that was warmed and can only be read, for a user without a home; gives its package."""
    package, temporary = tmp_path / "package", tmp_path / "temporary"
    temporary.mkdir()
    shipped = package / "_kernel_cache" / kernel_cache.state()
    shipped.mkdir(parents=True)
    for name in ("ready", "kernel.nbi"):
        (shipped / name).write_text(name)
    monkeypatch.setattr(kernel_cache, "_PACKAGE", package)
    monkeypatch.setattr(kernel_cache, "_writable", lambda folder: False)
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    before = kernel_cache.state()
    monkeypatch.setattr(kernel_cache, "state", lambda: before)
    kernel_cache.configure.cache_clear()
    yield package
    kernel_cache.configure.cache_clear()


def test_a_temporary_folder_is_filled_from_the_installation(read_only: Path) -> None:
    folder = kernel_cache.configure()
    assert read_only not in folder.parents
    assert folder.parent.name == f"mqdiag-{os.getuid()}"
    assert (folder / "kernel.nbi").exists()
    assert kernel_cache.is_ready()


def test_a_temporary_folder_that_others_can_write_is_not_used(read_only: Path, tmp_path: Path) -> None:
    planted = tmp_path / "temporary" / f"mqdiag-{os.getuid()}"
    planted.mkdir()
    planted.chmod(0o777)
    folder = kernel_cache.configure()
    assert planted not in folder.parents
    assert (folder / "kernel.nbi").exists()


def test_a_link_in_place_of_the_temporary_folder_is_not_followed(read_only: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "temporary" / f"mqdiag-{os.getuid()}").symlink_to(tmp_path / "elsewhere")
    kernel_cache.configure()
    assert not list((tmp_path / "elsewhere").iterdir())
