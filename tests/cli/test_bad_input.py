"""Inputs that nobody can diagnose: one clear line, the contract's exit code, never a traceback."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mqdiag.errors import EXIT_INPUT, InputError
from mqdiag.redact.redact_dump import redact_dump
from tests.cli.conftest import Run
from tests.folded import folded
from tests.layers import CHECK
from tests.report_schema import validate_report
from tests.waiting import PATIENCE_S
from tests.writers.packings import tarred

HEADER = b"JAVA PROFILE 1.0.2\0" + (8).to_bytes(4, "big") + bytes(8)
JSTACK = b"2026-11-21 08:00:00\nFull thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode):\n"

BAD = {
    "empty": (b"", "is empty"),
    "text": (b"hello, this is no dump\n" * 40, "a text file"),
    "text beyond ASCII": ("堆转储在哪里\n".encode() * 40, "a text file"),
    "jstack": (JSTACK, "thread dumps go to mqdiag stacks"),
    "zip": (b"PK\x03\x04" + bytes(100), "begins like a zip file, and is damaged"),
    "bz2": (b"BZh91AY&SY", "packed data that ends before its first byte; compare its size"),
    "tar": (bytes(257) + b"ustar" + bytes(250), "is damaged: bad checksum; compare its size"),
    "packed tar": (
        gzip.compress(tarred(**{"j1.log": JSTACK})),
        "holds no heap dump; mqdiag diagnose takes evidence of any kind",
    ),
    "packed twice": (gzip.compress(gzip.compress(HEADER)), "no heap dump record"),
    "cut early": (HEADER[:10], "a heap dump that was cut after 10 B; expected"),
    "binary": (bytes(range(256)) * 10, "not a heap dump"),
    "zeros": (bytes(4096), "only zero bytes"),
    "unknown version": (HEADER.replace(b"1.0.2", b"1.0.9"), "version 1.0.9 is not known"),
    "header only": (HEADER, "no heap dump record"),
    "cut in the header": (HEADER[:21], "ends inside its header"),
    "absurd id size": (HEADER.replace(b"\0\0\0\x08", b"\x7f\xff\xff\xff"), "object ids of 2147483647 bytes"),
    "absurd record length": (HEADER + b"\x0c" + bytes(4) + b"\xff\xff\xff\xff", "no object could be read"),
    "corrupt gzip": (b"\x1f\x8b\x08\x00" + b"\xff" * 60, "inflated"),
    "cut gzip": (gzip.compress(HEADER + bytes(1000))[:11], "inflated"),
    "gzip of text": (gzip.compress(b"hello\n" * 50), "a text file"),
}


@folded("content", [HEADER, gzip.compress(HEADER), JSTACK, b'{"schema_version": 1}\n'])
def test_other_evidence_is_no_recording(mqdiag: Run, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "given.jfr").write_bytes(content)
    done = mqdiag("recording", "given.jfr")
    assert (done.code, done.out) == (EXIT_INPUT, "")
    assert done.line == (
        "mqdiag: given.jfr: holds neither a flight recording nor collapsed stacks; take one with jcmd PID JFR.dump"
        " filename=/path/recording.jfr; mqdiag diagnose takes evidence of any kind"
    )


@pytest.mark.parametrize("command", ["heap", "stacks", "logs", "diagnose", "recording"])
def test_one_mistake_has_one_wording(mqdiag: Run, tmp_path: Path, command: str) -> None:
    (tmp_path / "empty").touch()
    for name, told in (
        ("empty", "is empty; copy it again; if the original is empty too, its disk may have been full"),
        ("none", "no such file or folder; check the path; it is relative to the working directory"),
    ):
        done = mqdiag(command, name)
        assert (done.code, done.out) == (EXIT_INPUT, "")
        assert done.line == f"mqdiag: {name}: {told}"


def test_a_page_without_a_line_of_a_log_is_no_log(mqdiag: Run, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(
        "# Orders\n\nThe service takes orders.\nERROR is what it must not say.\n"
    )
    for command in ("logs", "diagnose"):
        done = mqdiag(command, "README.md")
        assert (done.code, done.out) == (EXIT_INPUT, "")
        assert (
            done.line == "mqdiag: README.md: is text, but no log, thread dump, mqadmin output or crash report"
        )


@pytest.mark.parametrize(("content", "says"), BAD.values(), ids=BAD.keys())
def test_a_file_that_is_no_dump(mqdiag: Run, tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "given.hprof").write_bytes(content)
    done = mqdiag("heap", "given.hprof")
    assert done.code == EXIT_INPUT
    assert done.out == ""
    assert done.line.startswith("mqdiag: given.hprof: ")
    assert says in done.line


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("missing.hprof", "no such file"),
        (".", "mqdiag diagnose reads folders"),
        ("/dev/null", "is not a regular file"),
    ],
)
def test_a_path_that_is_no_file(mqdiag: Run, name: str, says: str) -> None:
    done = mqdiag("heap", name)
    assert done.code == EXIT_INPUT
    assert says in done.line


def test_the_json_report_is_written_all_the_same(mqdiag: Run) -> None:
    done = mqdiag("heap", "missing.hprof", "--format", "json")
    assert done.code == EXIT_INPUT
    report = json.loads(done.out)
    validate_report(report)
    (given,) = report["inputs"]
    assert (given["path"], given["kind"], given["complete"]) == ("missing.hprof", "heap", False)
    assert given["error"].startswith("no such file")
    assert report["findings"] == []
    assert report["heap"] is None
    assert "no such file" in done.line


@pytest.mark.parametrize("command", ["heap", "stacks", "logs"])
@pytest.mark.parametrize(("name", "told"), [("folder", "mqdiag diagnose folder"), ("missing", None)])
def test_what_is_not_cut_is_not_to_be_copied_again(
    mqdiag: Run, tmp_path: Path, command: str, name: str, told: str | None
) -> None:
    (tmp_path / "folder").mkdir(exist_ok=True)
    done = mqdiag(command, name, "--format", "json")
    following = json.loads(done.out)["answer"]["next"]
    assert (following and following["command"]) == told


def test_bad_input_on_stdin(mqdiag: Run) -> None:
    done = mqdiag("heap", "-", stdin=b"not a dump")
    assert done.code == EXIT_INPUT
    assert done.line.startswith("mqdiag: -: at byte 0: a text file")
    assert mqdiag("heap", "-").line.startswith("mqdiag: -: is empty; give the input through a pipe")


def test_a_hostile_file_name_does_not_act_on_the_terminal(mqdiag: Run) -> None:
    done = mqdiag("heap", "a\x1b[2J\nb")
    assert done.code == EXIT_INPUT
    assert done.line.startswith("mqdiag: a\\x1b[2J\\nb: no such file")


def test_a_file_name_that_is_not_utf_8(mqdiag: Run) -> None:
    done = mqdiag("heap", os.fsdecode(b"caf\xe9"), "--format", "json")
    assert done.code == EXIT_INPUT
    assert json.loads(done.out)["inputs"][0]["path"] == "caf\\udce9"


AS_NOBODY = """
import importlib, os, pkgutil, sys
import mqdiag
# All code first: the interpreter's own files may stand where only root can read.
# Those of fleets and of assistants are in packages that these commands never import.
for found in pkgutil.walk_packages(mqdiag.__path__, "mqdiag."):
    if not found.name.endswith("__main__") and not found.name.startswith(("mqdiag.fleet", "mqdiag.mcp")):
        importlib.import_module(found.name)
from mqdiag.cli import run
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
sys.exit(run(sys.argv[1:]))
"""


def without_rights(folder: Path, *arguments: str) -> tuple[int, str]:
    """Run as somebody who is not root: root may read and write everything."""
    folder.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-c", AS_NOBODY, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


def test_redact_has_no_permission_to_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret.hprof").write_bytes(HEADER)

    def forbid(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", forbid)
    with pytest.raises(InputError, match=r"no permission to read it; run as its owner, or: chmod \+r"):
        redact_dump(tmp_path / "secret.hprof", tmp_path / "out.hprof")


@CHECK
@pytest.mark.parametrize("command", ["heap", "stacks", "logs"])
def test_no_permission_to_read(command: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret.hprof"
    secret.write_bytes(HEADER)
    secret.chmod(0)
    code, err = without_rights(tmp_path, command, "secret.hprof")
    assert code == EXIT_INPUT
    assert err.splitlines() == [
        "mqdiag: secret.hprof: no permission to read it; run as its owner, or: chmod +r"
    ]


@CHECK
def test_no_permission_to_write(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o555)
    code, err = without_rights(tmp_path, "heap", "x.hprof", "-o", "closed/report.txt")
    assert code == 2
    assert len(err.splitlines()) == 1
    assert "--output closed/report.txt: " in err
    assert "ermission" in err


@CHECK
@pytest.mark.parametrize("command", [["heap", "-"], ["show", "-", "X"], ["stacks", "-"]])
def test_a_closed_standard_input(command: list[str]) -> None:
    program = [sys.executable, "-m", "mqdiag", *command]
    done = subprocess.run(["sh", "-c", 'exec "$@" <&-', "sh", *program], capture_output=True, check=False)
    assert done.returncode == EXIT_INPUT
    assert done.stderr == b"mqdiag: -: standard input is closed\n"


@CHECK
def test_the_exit_code_stands_when_stderr_takes_nothing(tmp_path: Path) -> None:
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "mqdiag", "heap", str(tmp_path / "missing")]
        assert subprocess.run(command, stderr=full, check=False).returncode == EXIT_INPUT


@CHECK
@pytest.mark.parametrize("command", ["heap", "stacks", "show"])
def test_an_endless_pipe_is_refused(command: str, tmp_path: Path) -> None:
    with open("/dev/zero", "rb") as zeros:
        done = subprocess.run(
            [sys.executable, "-m", "mqdiag", command, "-", *(["x"] if command == "show" else [])],
            stdin=zeros,
            capture_output=True,
            env={**os.environ, "TMPDIR": str(tmp_path)},
            timeout=PATIENCE_S,
            check=False,
        )
    assert done.returncode == EXIT_INPUT
    assert b"zero bytes" in done.stderr or b"is a device" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom", "/dev/full"])
def test_devices_are_refused(mqdiag: Run, device: str) -> None:
    for command in ("heap", "stacks"):
        done = mqdiag(command, device)
        assert done.code == EXIT_INPUT
        assert done.line.startswith(f"mqdiag: {device}: is ")
    assert mqdiag("diagnose", device).code == EXIT_INPUT


def test_a_pipe_with_a_name_is_read(mqdiag: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["sh", "-c", f"echo no dump > {tmp_path / 'pipe'}"]):
        done = mqdiag("stacks", "pipe")
    assert done.line.startswith("mqdiag: pipe: holds no thread dump")


def test_a_slow_pipe_is_read_to_its_end(mqdiag: Run, tmp_path: Path) -> None:
    """The pauses are in the middle of a line, where a read gives a part of it."""
    os.mkfifo(tmp_path / "pipe")
    line = "2026-11-21 10:00:00,000 WARN BrokerFastFailure - [TIMEOUT_CLEAN_QUEUE]broker busy"
    pieces = (
        f"printf '{line[:30]}'; sleep 0.2; printf '{line[30:]}\\n{line[:50]}'; sleep 0.2; echo '{line[50:]}'"
    )
    with subprocess.Popen(["sh", "-c", f"({pieces}) > {tmp_path / 'pipe'}"]):
        done = mqdiag("logs", "pipe", "--format", "json")
    assert json.loads(done.out)["logs"]["lines"] == 2


@CHECK
def test_a_killed_run_leaves_no_copy_of_its_input(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "mqdiag", "heap", "-"],
        stdin=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    ) as process:
        assert process.stdin is not None
        process.stdin.write(
            b"JAVA PROFILE 1.0.2" + bytes(1 << 22)
        )  # more than a pipe holds: it is reading when this returns
        process.stdin.flush()
        process.kill()
    assert not list(tmp_path.glob("mqdiag-stdin-*"))


@pytest.mark.parametrize("arguments", [("heap", ""), ("stacks", "")])
def test_an_empty_name_is_not_the_working_directory(mqdiag: Run, arguments: tuple[str, ...]) -> None:
    done = mqdiag(*arguments)
    assert (done.code, done.line) == (3, "mqdiag: '': is not a file name")
