"""Nothing is read from where somebody else could have written it."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from mqdiag import trusted
from mqdiag.trusted import Untrusted, open_folder, read_file
from tests.kernel.other_user import NOBODY, as_root, open_folder_of_root, run_as


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder that nobody else can write, below one that everybody can enter."""
    folder = tmp_path / "home"
    folder.mkdir(mode=0o755)
    return folder


def read(folder: Path | str, name: str = "kernel.o") -> bytes:
    descriptor = open_folder(str(folder))
    try:
        return read_file(descriptor, name)
    finally:
        os.close(descriptor)


def test_an_own_file_in_an_own_folder_is_read(home: Path) -> None:
    (home / "kernel.o").write_bytes(b"code")
    assert read(home) == b"code"


@pytest.mark.parametrize("path", ["", "kernels", "./kernels", "~/.cache/mqdiag", "../kernels"])
def test_a_relative_path_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.chdir(home)
    (home / "kernels").mkdir()
    (home / "~" / ".cache" / "mqdiag").mkdir(parents=True)
    with pytest.raises(Untrusted, match="not an absolute path"):
        open_folder(path)


@pytest.mark.parametrize("mode", [0o775, 0o757, 0o777, 0o2775], ids=oct)
@pytest.mark.parametrize("depth", ["home", "home/a", "home/a/b"])
def test_a_folder_that_others_can_write_is_refused_anywhere_on_the_way(
    home: Path, depth: str, mode: int
) -> None:
    (home / "a" / "b").mkdir(parents=True)
    (home.parent / depth).chmod(mode)
    with pytest.raises(Untrusted, match=f"others can write to {home.parent / depth}$"):
        open_folder(str(home / "a" / "b"))


def test_below_a_folder_of_everybody_an_own_folder_is_safe(home: Path) -> None:
    home.chmod(0o1777)
    (home / "own").mkdir(mode=0o700)
    (home / "own" / "kernel.o").write_bytes(b"code")
    assert read(home / "own") == b"code"
    with pytest.raises(Untrusted, match="everybody can write"):
        open_folder(str(home))


def test_a_link_in_a_folder_of_everybody_is_refused(home: Path) -> None:
    """Anybody can make it, and lead to files that the user unpacked from the evidence."""
    unpacked = home / "evidence"
    unpacked.mkdir()
    shared = home / "tmp"
    shared.mkdir()
    shared.chmod(0o1777)
    (shared / "mqdiag-0").symlink_to(unpacked)
    with pytest.raises(Untrusted, match="is a link in a folder of everybody"):
        open_folder(str(shared / "mqdiag-0"))


def test_links_of_the_user_are_followed_and_their_targets_checked(home: Path) -> None:
    (home / "disk" / "cache").mkdir(parents=True)
    (home / "disk" / "cache" / "kernel.o").write_bytes(b"code")
    (home / "absolute").symlink_to(home / "disk")
    (home / "relative").symlink_to("./absolute/../disk/cache")
    assert read(home / "relative") == b"code"
    assert read(home / "absolute" / "cache") == b"code"
    (home / "disk").chmod(0o777)
    for path in ("relative", "absolute/cache"):
        with pytest.raises(Untrusted, match=f"others can write to {home / 'disk'}$"):
            open_folder(str(home / path))


def test_links_in_a_circle_end(home: Path) -> None:
    (home / "one").symlink_to("two")
    (home / "two").symlink_to("one")
    with pytest.raises(Untrusted, match="too many links"):
        open_folder(str(home / "one"))


@pytest.mark.parametrize("mode", [0o664, 0o646, 0o666], ids=oct)
def test_a_file_that_others_can_write_is_refused(home: Path, mode: int) -> None:
    (home / "kernel.o").write_bytes(b"code")
    (home / "kernel.o").chmod(mode)
    with pytest.raises(Untrusted, match="others can write"):
        read(home)


def _link(path: Path) -> None:
    (path.parent / "elsewhere").write_bytes(b"planted")
    path.symlink_to("elsewhere")


@pytest.mark.parametrize(
    ("plant", "refusal"),
    [
        (_link, OSError),
        (os.mkfifo, Untrusted),
        (Path.mkdir, (OSError, Untrusted)),
    ],
    ids=["link", "pipe", "folder"],
)
def test_what_is_no_regular_file_is_refused(
    home: Path, plant: Callable[[Path], None], refusal: type[Exception]
) -> None:
    plant(home / "kernel.o")
    with pytest.raises(refusal):
        read(home)


def test_missing_folders_are_made_with_the_given_permissions(home: Path) -> None:
    before = os.umask(0o077)
    try:
        os.close(open_folder(str(home / "shared" / "state"), make=0o755))
    finally:
        os.umask(before)
    os.close(open_folder(str(home / "own" / "state"), make=0o700))
    modes = [stat.S_IMODE((home / name).stat().st_mode) for name in ("shared", "shared/state", "own/state")]
    assert modes == [0o755, 0o755, 0o700]
    with pytest.raises(FileNotFoundError):
        open_folder(str(home / "missing"))


@as_root
@pytest.mark.parametrize("planted", ["home", "home/a", "home/a/kernel.o"])
def test_what_another_user_owns_is_refused(home: Path, planted: str) -> None:
    (home / "a").mkdir()
    (home / "a" / "kernel.o").write_bytes(b"planted")
    os.chown(home.parent / planted, NOBODY, -1)
    with pytest.raises(Untrusted, match="belongs to another user"):
        read(home / "a")


@as_root
def test_a_user_reads_files_of_root_and_own_ones_and_no_others() -> None:
    def read_or_refusal() -> str:
        try:
            return read(folder).decode()
        except Untrusted as error:
            return str(error)

    with open_folder_of_root() as folder:
        (folder / "kernel.o").write_bytes(b"code")
        assert run_as(NOBODY, read_or_refusal) == "code"
        os.chown(folder, NOBODY, NOBODY)
        os.chown(folder / "kernel.o", NOBODY, NOBODY)
        assert run_as(NOBODY, read_or_refusal) == "code"
        assert run_as(NOBODY - 1, read_or_refusal) == f"{folder} belongs to another user"
        assert read_or_refusal() == f"{folder} belongs to another user"


def test_a_folder_exchanged_after_its_check_changes_nothing(home: Path) -> None:
    (home / "kernels").mkdir()
    (home / "kernels" / "kernel.o").write_bytes(b"code")
    descriptor = open_folder(str(home / "kernels"))
    try:
        (home / "kernels").rename(home / "away")
        (home / "kernels").mkdir()
        (home / "kernels" / "kernel.o").write_bytes(b"planted")
        assert read_file(descriptor, "kernel.o") == b"code"
    finally:
        os.close(descriptor)


def test_a_file_exchanged_after_its_check_changes_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "kernel.o").write_bytes(b"code")
    check = os.fstat

    def check_then_exchange(descriptor: int) -> os.stat_result:
        found = check(descriptor)
        if stat.S_ISREG(found.st_mode):
            (home / "planted").write_bytes(b"planted")
            (home / "planted").rename(home / "kernel.o")
        return found

    monkeypatch.setattr(trusted.os, "fstat", check_then_exchange)
    assert read(home) == b"code"
    assert (home / "kernel.o").read_bytes() == b"planted"


def test_a_folder_exchanged_for_a_link_before_it_is_opened_is_refused(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "kernels").mkdir()
    (home / "evidence").mkdir()
    look = trusted._link_target

    def look_then_exchange(folder: int, name: str) -> str | None:
        target = look(folder, name)
        if name == "kernels":
            (home / "kernels").rmdir()
            (home / "kernels").symlink_to("evidence")
        return target

    monkeypatch.setattr(trusted, "_link_target", look_then_exchange)
    with pytest.raises(NotADirectoryError):
        open_folder(str(home / "kernels"))


def test_no_descriptor_stays_open(home: Path) -> None:
    (home / "link").symlink_to(home)
    (home / "open").mkdir()
    (home / "open").chmod(0o777)
    (home / "kernel.o").write_bytes(b"code")
    before = os.listdir("/proc/self/fd")
    read(home / "link" / "link")
    for path in ("open", "missing", "kernel.o"):
        with pytest.raises((OSError, Untrusted)):
            open_folder(str(home / path))
    assert os.listdir("/proc/self/fd") == before
