"""A file is there whole or not at all, and a disk keeps its reserve."""

from __future__ import annotations

import ast
import os
import stat
from pathlib import Path

import pytest

from mqdiag.files import RESERVE_BYTES, fits, free_bytes, whole_file, write_whole
from tests.layers import CHECK

PACKAGE = Path(__file__).parents[1] / "mqdiag"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_name_appears_with_the_whole_content(tmp_path: Path) -> None:
    path = tmp_path / "report"
    with whole_file(path) as file:
        file.write(b"first half, ")
        file.flush()
        assert not path.exists()
        file.write(b"second half")
    assert path.read_bytes() == b"first half, second half"
    assert os.listdir(tmp_path) == ["report"]


@pytest.mark.parametrize("fault", [ValueError, KeyboardInterrupt])
def test_after_a_fault_the_old_file_is_there_and_nothing_else(
    tmp_path: Path, fault: type[BaseException]
) -> None:
    path = tmp_path / "report"
    path.write_bytes(b"old")

    def write_half() -> None:
        with whole_file(path) as file:
            file.write(b"half")
            raise fault

    with pytest.raises(fault):
        write_half()
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["report"]


def test_a_disk_that_fails_at_the_end_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(tmp_path / "report", b"text", durable=True)
    assert os.listdir(tmp_path) == []
    write_whole(tmp_path / "report", b"text")


def test_a_folder_cannot_be_replaced(tmp_path: Path) -> None:
    (tmp_path / "report").mkdir()
    with pytest.raises(OSError, match="directory"):
        write_whole(tmp_path / "report", b"text")
    assert os.listdir(tmp_path) == ["report"]


def test_permissions_are_the_umasks_or_those_asked_for(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "by umask", b"")
        write_whole(tmp_path / "shared", b"", mode=0o644)
        with whole_file(tmp_path / "private", mode=0o600) as file:
            assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == 0o600
    finally:
        os.umask(before)
    assert [mode(tmp_path / name) for name in ("by umask", "shared", "private")] == [0o640, 0o644, 0o600]


def test_a_link_is_replaced_and_the_file_behind_it_stays(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"kept")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write_whole(tmp_path / "link", b"new")
    assert not (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"kept"


@pytest.mark.parametrize("name", ["x" * 255, "消" * 85])
def test_the_longest_names_work(tmp_path: Path, name: str) -> None:
    write_whole(tmp_path / name, b"text")
    assert os.listdir(tmp_path) == [name]


def test_a_disk_keeps_its_reserve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # blocks of 1 MiB: 200 are free, of which 100 are for root only
    disk = os.statvfs_result((1 << 20, 1 << 20, 1000, 200, 100, 0, 0, 0, 0, 255))
    monkeypatch.setattr("os.statvfs", lambda folder: disk)
    assert free_bytes(tmp_path) == 100 << 20
    assert fits(tmp_path, (100 << 20) - RESERVE_BYTES)
    assert not fits(tmp_path, (100 << 20) - RESERVE_BYTES + 1)


@CHECK
def test_nothing_else_renames_files_or_asks_the_disk() -> None:
    """A second way to do either would have to repeat the care for permissions, faults and the reserve."""
    asked = {"os.replace", "os.statvfs", "shutil.disk_usage"}
    found = {
        str(file.relative_to(PACKAGE))
        for file in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Attribute) and ast.unparse(node) in asked
    }
    assert found == {"files.py"}
