"""Processes that evidence cannot be taken of, and places where none can be kept; no JVM is needed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mqdiag.capture.folder import CaptureFolder
from mqdiag.capture.inside import open_file
from mqdiag.capture.target import Target, shown_command
from mqdiag.cli import run
from mqdiag.errors import MqdiagError
from mqdiag.language import english


def told(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = run(["capture", *arguments])
    return code, capfd.readouterr().err


def test_no_such_process(capfd: pytest.CaptureFixture[str]) -> None:
    code, err = told(capfd, "4194304999")
    assert (code, err) == (
        3,
        "mqdiag: process 4194304999: there is no such process; mqdiag capture lists the JVMs\n",
    )


def test_no_jvm(capfd: pytest.CaptureFixture[str]) -> None:
    code, err = told(capfd, str(os.getpid()))
    assert code == 3
    assert "is not a JVM but python" in err


@pytest.mark.parametrize("pid", ["0", "-1", "java"])
def test_no_pid(pid: str, capfd: pytest.CaptureFixture[str]) -> None:
    code, err = told(capfd, pid)
    assert code == 2
    assert len(err.splitlines()) == 1


def test_yes_to_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    assert told(capfd, "1", "--yes") == (2, "mqdiag: --yes goes with --heap only\n")


def test_a_folder_with_something_in_it_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("mine")
    with pytest.raises(MqdiagError, match="is not empty"):
        CaptureFolder(tmp_path, {})
    assert [path.name for path in tmp_path.iterdir()] == ["kept.txt"]


def test_a_full_disk_ends_the_capture_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = CaptureFolder(tmp_path / "taken", {})
    with (
        pytest.raises(MqdiagError, match=r"01\.txt: cannot be written: No space left"),
        folder.new_file("01.txt"),
    ):
        raise OSError(28, "No space left on device")
    assert not (tmp_path / "taken" / "01.txt").exists()


def test_links_of_a_container_stay_inside_it(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "var" / "log").mkdir(parents=True)
    (root / "var" / "log" / "app.log").symlink_to("/etc/passwd")
    (root / "logs").symlink_to("/var/log")
    (root / "up").symlink_to("../../../../etc")
    (root / "loop").symlink_to("loop")
    (root / "etc").mkdir()
    for name in ("etc/passwd", "etc/hosts", "var/x"):
        (root / name).write_text(name)

    def read(path: str) -> str:
        with open(open_file(str(root), path)) as file:
            return file.read()

    assert read("/logs/app.log") == "etc/passwd"
    assert read("/up/hosts") == "etc/hosts"
    assert read("/var/log/../x") == "var/x"
    with pytest.raises(OSError, match="Too many levels"):
        read("/loop/x")
    with pytest.raises(OSError, match="No regular file"):
        read("/var/log")
    with pytest.raises(OSError, match="Invalid argument"):
        read("/var/\0x")


def test_secrets_of_a_command_line_are_hidden() -> None:
    given = ("java", "-Ddb.password=a=b", "-DaccessKey=k", "-Duser.home=/h", "--api-token=t", "-jar", "x.jar")
    assert shown_command(given) == [
        "java", "-Ddb.password=(hidden)", "-DaccessKey=(hidden)", "-Duser.home=/h", "--api-token=(hidden)", "-jar",
        "x.jar",
    ]  # fmt: skip


def test_the_way_out_of_a_container() -> None:
    from mqdiag.capture.run import way_out

    target = Target(
        pid=4711, inner_pid=1, uid=0, gid=0, command=("java",), program=None, own_files=True,
        container="ab" * 32, in_pod=False, catches_sigquit=True,
    )  # fmt: skip
    assert "docker exec abababababab kill -QUIT 1" in english()(way_out(target))
