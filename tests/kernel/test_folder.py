"""Where compiled kernels are kept, and that nobody can plant one."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqdiag import progress
from mqdiag.cli import run
from mqdiag.kernel import folder as place
from tests.kernel.other_user import NOBODY, as_root, open_folder_of_root, run_as

MARKS = sorted(f"ready-{task}" for task in place.TASKS)


class Machine:
    """An installation, a home and a folder for temporary files, all in one folder of the test."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.package, self.home, self.temporary = root / "package", root / "home", root / "tmp"
        for folder in (self.package, self.home, self.temporary):
            folder.mkdir()
        self.temporary.chmod(0o1777)
        self.monkeypatch = monkeypatch
        self.state = place.state()
        monkeypatch.setattr(place, "_PACKAGE", self.package)
        monkeypatch.setattr(place, "state", lambda: self.state)
        monkeypatch.setattr(progress, "_noted", set())
        for name, value in (
            ("HOME", self.home),
            ("TMPDIR", self.temporary),
            ("XDG_CACHE_HOME", ""),
            ("MQDIAG_KERNELS", ""),
        ):
            monkeypatch.setenv(name, str(value))
        self.choose_again()

    @property
    def shared(self) -> Path:
        """The installation's kernels."""
        return self.package / "_kernel_cache" / self.state

    @property
    def own(self) -> Path:
        """Those of the user's cache folder."""
        return self.home / ".cache" / "mqdiag" / self.state

    def choose_again(self) -> None:
        """As a new process would."""
        place._chosen.cache_clear()

    def fill_installation(self) -> None:
        """As its owner does with `mqdiag warm`."""
        place.write("kernel.o", b"shared")
        place.mark_ready(place.TASKS)
        assert (self.shared / "kernel.o").exists()
        self.choose_again()

    def make_installation_read_only(self) -> None:
        """For everybody, root too."""
        check = os.access

        def access(path: str, mode: int, *, dir_fd: int, effective_ids: bool) -> bool:
            at = os.readlink(f"/proc/self/fd/{dir_fd}")
            return not at.startswith(f"{self.package}/") and check(
                path, mode, dir_fd=dir_fd, effective_ids=effective_ids
            )

        self.monkeypatch.setattr(place.os, "access", access)
        self.choose_again()

    def set(self, name: str, value: object) -> None:
        """Set a variable of the environment; None takes it away."""
        if value is None:
            self.monkeypatch.delenv(name)
        else:
            self.monkeypatch.setenv(name, str(value))
        self.choose_again()


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    made = Machine(tmp_path, monkeypatch)
    yield made
    place._chosen.cache_clear()


def kept(name: str = "kernel.o") -> list[bytes]:
    return list(place.read(name))


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_an_installation_that_can_be_written_keeps_them(machine: Machine) -> None:
    assert place.needs_warming(place.TASKS)
    place.write("kernel.o", b"code")
    place.mark_ready(place.TASKS)
    assert not place.needs_warming(place.TASKS)
    assert kept() == [b"code"]
    assert sorted(os.listdir(machine.shared)) == ["kernel.o", *MARKS]
    assert os.listdir(machine.home) == []


def test_everybody_can_read_what_the_installation_keeps(machine: Machine) -> None:
    before = os.umask(0o077)
    try:
        place.write("kernel.o", b"code")
        with place.locked("lock"):
            pass
    finally:
        os.umask(before)
    assert mode(machine.shared.parent) == mode(machine.shared) == 0o755
    assert mode(machine.shared / "kernel.o") == 0o644
    # whoever can open the lock can hold it
    assert mode(machine.shared / "lock") == 0o600


def test_of_a_read_only_installation_kernels_are_read_and_the_rest_is_the_users(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.fill_installation()
    machine.make_installation_read_only()
    assert kept() == [b"shared"]
    assert not place.needs_warming(place.TASKS)
    place.write("other.o", b"own")
    assert kept("other.o") == [b"own"]
    assert mode(machine.own) == 0o700
    assert mode(machine.own / "other.o") == 0o600
    assert sorted(os.listdir(machine.shared)) == ["kernel.o", *MARKS]
    assert capsys.readouterr().err == ""


@as_root
def test_another_user_reads_the_installation_of_root(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_folder_of_root() as root:
        machine = Machine(root, monkeypatch)
        machine.fill_installation()
        os.chown(machine.home, NOBODY, NOBODY)

        def use() -> list[str]:
            place.write("kernel.o", b"own")
            return [data.decode() for data in place.read("kernel.o")]

        assert run_as(NOBODY, use) == ["shared", "own"]
        assert (machine.own / "kernel.o").stat().st_uid == NOBODY
        machine.choose_again()
    place._chosen.cache_clear()


def test_without_home_they_are_below_the_folder_for_temporary_files(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No HOME and no entry for the user, as in a container; the folder of the evidence is left alone."""
    machine.make_installation_read_only()
    evidence = machine.home / "evidence"
    planted = evidence / "~" / ".cache" / "mqdiag" / machine.state
    planted.mkdir(parents=True)
    (planted / "kernel.o").write_bytes(b"planted")
    monkeypatch.chdir(evidence)

    def no_entry(user: int) -> None:
        raise KeyError(user)

    monkeypatch.setattr("pwd.getpwuid", no_entry)
    machine.set("HOME", None)
    assert kept() == []
    place.write("kernel.o", b"code")
    own = machine.temporary / f"mqdiag-{os.geteuid()}"
    assert (own / machine.state / "kernel.o").read_bytes() == b"code"
    assert mode(own) == 0o700
    assert os.listdir(evidence) == ["~"]


@pytest.mark.parametrize("name", ["XDG_CACHE_HOME", "HOME", "MQDIAG_KERNELS"])
@pytest.mark.parametrize("relative", [".", "cache", "./~"])
def test_a_relative_path_never_leads_to_the_working_folder(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, name: str, relative: str
) -> None:
    machine.make_installation_read_only()
    evidence = machine.home / "evidence"
    for below in ("", "mqdiag", ".cache/mqdiag", f"mqdiag-{os.geteuid()}"):
        planted = evidence / relative / below / machine.state
        planted.mkdir(parents=True)
        (planted / "kernel.o").write_bytes(b"planted")
    monkeypatch.chdir(evidence)
    machine.set(name, relative)
    assert kept() == []


@pytest.mark.parametrize("relative", ["", ".", "cache"])
def test_a_relative_folder_for_temporary_files_counts_as_none(machine: Machine, relative: str) -> None:
    machine.set("TMPDIR", relative)
    assert place._temporary_folder() == f"/tmp/mqdiag-{os.geteuid()}"


def test_a_relative_named_folder_is_said_to_be_passed_over_once(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.set("MQDIAG_KERNELS", "kernels")
    place.write("kernel.o", b"code")
    machine.choose_again()
    assert kept() == [b"code"]
    assert (machine.shared / "kernel.o").exists()
    said = f"mqdiag: MQDIAG_KERNELS is not used: kernels/{machine.state} is not an absolute path\n"
    assert capsys.readouterr().err == said


@pytest.mark.parametrize("open_part", ["home", "home/.cache", "home/.cache/mqdiag"])
def test_a_home_that_others_can_write_is_not_used(machine: Machine, open_part: str) -> None:
    machine.make_installation_read_only()
    machine.own.mkdir(parents=True)
    (machine.own / "kernel.o").write_bytes(b"planted")
    (machine.home.parent / open_part).chmod(0o777)
    assert kept() == []
    place.write("kernel.o", b"code")
    assert (machine.own / "kernel.o").read_bytes() == b"planted"
    assert kept() == [b"code"]


@as_root
def test_the_home_of_another_user_is_not_used(machine: Machine) -> None:
    """`sudo` may leave HOME as it was."""
    machine.make_installation_read_only()
    machine.own.mkdir(parents=True)
    (machine.own / "kernel.o").write_bytes(b"planted")
    os.chown(machine.home, NOBODY, -1)
    assert kept() == []


@as_root
def test_a_file_of_another_user_is_not_read_from_an_own_folder(machine: Machine) -> None:
    machine.fill_installation()
    os.chown(machine.shared / "kernel.o", NOBODY, -1)
    assert kept() == []


def test_a_link_in_place_of_a_file_is_not_read(machine: Machine) -> None:
    machine.fill_installation()
    (machine.home / "planted").write_bytes(b"planted")
    (machine.shared / "kernel.o").unlink()
    (machine.shared / "kernel.o").symlink_to(machine.home / "planted")
    assert kept() == []
    place.write("kernel.o", b"code")
    assert kept() == [b"code"]
    assert (machine.home / "planted").read_bytes() == b"planted"


def nothing_but_temporary(machine: Machine) -> Path:
    """The folder for temporary files is all that is left; gives the user's own in it."""
    machine.make_installation_read_only()
    machine.home.chmod(0o777)
    return machine.temporary / f"mqdiag-{os.geteuid()}"


def test_a_link_in_place_of_the_temporary_folder_is_not_followed(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    own = nothing_but_temporary(machine)
    (machine.package / machine.state).mkdir()
    (machine.package / machine.state / "kernel.o").write_bytes(b"planted")
    own.symlink_to(machine.package)
    assert kept() == []
    assert f"{own} is a link in a folder of everybody" in capsys.readouterr().err


@as_root
def test_the_temporary_folder_that_another_user_made_first_is_not_used(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    own = nothing_but_temporary(machine)
    (own / machine.state).mkdir(parents=True)
    (own / machine.state / "kernel.o").write_bytes(b"planted")
    shutil.chown(own, NOBODY)
    assert kept() == []
    assert f"{own} belongs to another user" in capsys.readouterr().err


def test_where_no_folder_is_safe_nothing_is_kept_and_one_line_says_so(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    own = nothing_but_temporary(machine)
    own.mkdir()
    own.chmod(0o777)
    (own / machine.state).mkdir()
    (own / machine.state / "kernel.o").write_bytes(b"planted")
    assert kept() == []
    assert not place.needs_warming(place.TASKS)
    place.write("kernel.o", b"code")
    with place.locked("lock"):
        pass
    assert kept() == []
    assert os.listdir(own / machine.state) == ["kernel.o"]
    machine.choose_again()
    assert kept() == []
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("mqdiag: every run compiles the kernels again, in memory: ")
    assert said.count(f"others can write to {machine.home}") == 1
    assert f"others can write to {own}" in said


def test_warm_fails_where_nothing_is_kept(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    machine.monkeypatch.setattr("mqdiag.kernel.ahead.listed", lambda: ())
    assert run(["warm"]) == 0
    assert capsys.readouterr().out.startswith("kernels are ready")
    shutil.rmtree(machine.package / "_kernel_cache")
    nothing_but_temporary(machine).symlink_to(machine.home)
    assert run(["warm"]) == 4
    said = capsys.readouterr()
    assert said.out == ""
    assert "the compiled kernels could not be kept; MQDIAG_KERNELS names another folder" in said.err


def test_a_named_folder_is_used_instead_of_all_others(machine: Machine) -> None:
    machine.fill_installation()
    machine.set("MQDIAG_KERNELS", machine.home / "volume")
    assert kept() == []
    assert place.needs_warming(place.TASKS)
    place.write("kernel.o", b"code")
    assert kept() == [b"code"]
    assert mode(machine.home / "volume" / machine.state / "kernel.o") == 0o644


def test_a_task_that_was_compiled_says_nothing_of_the_others(machine: Machine) -> None:
    place.mark_ready(["heap"])
    assert not place.needs_warming(["heap"])
    assert place.needs_warming(["heap", "redact"])


def test_a_named_folder_that_is_filled_and_cannot_be_written_is_used(machine: Machine) -> None:
    """As a pipeline mounts what an earlier run of `mqdiag heap` compiled."""
    machine.set("MQDIAG_KERNELS", machine.package / "volume")
    place.write("kernel.o", b"code")
    place.mark_ready(["heap"])
    machine.make_installation_read_only()
    assert kept() == [b"code"]
    assert not place.needs_warming(["redact"])


def test_kernels_of_another_version_in_the_named_folder_are_not_taken(machine: Machine) -> None:
    machine.set("MQDIAG_KERNELS", machine.home / "volume")
    place.write("kernel.o", b"older")
    place.mark_ready(place.TASKS)
    machine.state = "another"
    machine.choose_again()
    assert place.needs_warming(place.TASKS)
    assert kept() == []
    assert len(os.listdir(machine.home / "volume")) == 2


def test_a_named_folder_that_cannot_be_made_is_passed_over(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    (machine.home / "volume").write_text("a file")
    machine.set("MQDIAG_KERNELS", machine.home / "volume")
    place.write("kernel.o", b"code")
    assert (machine.shared / "kernel.o").exists()
    assert "MQDIAG_KERNELS is not used" in capsys.readouterr().err


def test_a_named_folder_that_others_can_write_is_passed_over(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    planted = machine.home / "volume" / machine.state
    planted.mkdir(parents=True)
    (planted / "kernel.o").write_bytes(b"planted")
    planted.parent.chmod(0o777)
    machine.set("MQDIAG_KERNELS", machine.home / "volume")
    assert kept() == []
    said = f"mqdiag: MQDIAG_KERNELS is not used: others can write to {planted.parent}\n"
    assert capsys.readouterr().err == said
