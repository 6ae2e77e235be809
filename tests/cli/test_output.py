"""Where the report goes: whole or not at all, with sane permissions, and into pipes that close."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mqdiag.cli import run
from mqdiag.cli.common.output import Target
from mqdiag.errors import MqdiagError, UsageError
from tests.layers import CHECK

DUMP = Path(__file__).parents[2] / "fixtures" / "heap" / "oversized-oom-4.3.2" / "dump.hprof.gz"


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        Target(str(tmp_path / "report.json")).write("{}\n")
    finally:
        os.umask(before)
    assert (tmp_path / "report.json").read_text() == "{}\n"
    assert (tmp_path / "report.json").stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["report.json"]


def test_an_old_file_keeps_its_permissions_and_a_link_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "real.txt"
    real.write_text("old")
    real.chmod(0o604)
    (tmp_path / "link.txt").symlink_to(real)
    Target(str(tmp_path / "link.txt")).write("new")
    assert (tmp_path / "link.txt").is_symlink()
    assert real.read_text() == "new"
    assert real.stat().st_mode & 0o777 == 0o604


def test_a_failed_write_leaves_the_old_report_and_no_rubbish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.txt"
    path.write_text("old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(MqdiagError, match=r"could not be written: No space left on device"):
        Target(str(path)).write("new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["report.txt"]


def test_an_output_without_a_buffer_gets_all_of_a_report_that_one_call_does_not_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With PYTHONUNBUFFERED, as containers set it, what was behind 2 GiB was lost without a word."""

    class AtMostSeven(io.RawIOBase):
        taken = b""

        def write(self, data: Any, /) -> int:
            self.taken += bytes(data[:7])
            return min(len(data), 7)

        def writable(self) -> bool:
            return True

    raw = AtMostSeven()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, "utf-8", write_through=True))  # type: ignore[type-var]
    Target("-").write("a report of one line\n")
    Target("-").write_lines(["and ", "rows ", "of a query\n"])
    assert raw.taken == b"a report of one line\nand rows of a query\n"


def test_a_device_is_written_into_and_not_replaced(tmp_path: Path) -> None:
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    Target(str(fifo)).write("report")
    assert os.read(reader, 100) == b"report"
    os.close(reader)
    assert fifo.is_fifo()
    Target("/dev/null").write("report")


@pytest.mark.parametrize("name", ["", "a/b/c.txt", "plain.txt/report.txt"])
def test_a_wrong_target_is_refused_before_the_work(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain.txt").write_text("")
    with pytest.raises(UsageError, match="--output"):
        Target(name)


def test_a_reader_that_goes_away_is_no_error() -> None:
    script = (
        "import sys; from mqdiag.cli.common.output import Target;"
        "Target('-').write('line\\n' * 1_000_000); sys.exit(7)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(30) == 7


@CHECK
@pytest.mark.parametrize(
    ("redirected", "says"),
    [
        (">/dev/full", "standard output could not be written: No space left on device"),
        (">&-", "standard output is closed; name a file with --output"),
    ],
)
def test_a_standard_output_that_takes_nothing(redirected: str, says: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"{sys.executable}" -m mqdiag rules {redirected}'],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert done.stderr.splitlines() == [f"mqdiag: {says}"]


@CHECK
@pytest.mark.parametrize("words", ["--help", "heap --help", "--version"])
def test_a_help_text_that_nobody_takes(words: str) -> None:
    mqdiag = f'"{sys.executable}" -m mqdiag {words}'
    full = subprocess.run(["sh", "-c", f"{mqdiag} >/dev/full"], capture_output=True, text=True, check=False)
    says = "mqdiag: standard output could not be written: No space left on device"
    assert (full.returncode, full.stderr.splitlines()) == (3, [says])
    gone = subprocess.run(
        ["bash", "-c", f"{mqdiag} | true; echo ${{PIPESTATUS[0]}}"], capture_output=True, text=True, check=False
    )
    assert (gone.stdout, gone.stderr) == ("0\n", "")


@CHECK
@pytest.mark.parametrize(
    ("taken_by", "code", "says"),
    [
        ("| head -n 1 >first.txt", 1, []),
        (">/dev/full", 3, ["mqdiag: standard output could not be written: No space left on device"]),
    ],
    ids=["pipe", "full disk"],
)
def test_a_process_that_cannot_write_its_report_leaves_nothing_behind(
    taken_by: str, code: int, says: list[str], tmp_path: Path
) -> None:
    """The process ends without Python's own clean-up, so commands must have done theirs."""
    (tmp_path / "temporary").mkdir()
    done = subprocess.run(
        [
            "bash",
            "-c",
            f'"{sys.executable}" -m mqdiag heap "{DUMP}" --format html {taken_by}; echo ${{PIPESTATUS[0]}} >code',
        ],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path / "temporary")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert int((tmp_path / "code").read_text()) == code
    assert done.stderr.splitlines() == says
    assert os.listdir(tmp_path / "temporary") == []


@CHECK
def test_a_closed_standard_error_changes_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"{sys.executable}" -m mqdiag heap missing 2>&-'],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (3, b"", b"")


@CHECK
def test_a_terminal_of_another_encoding_gets_what_it_can_show() -> None:
    script = "from mqdiag.cli.common.output import Target; Target('-').write('a \\u2500 \\u6d88 b\\n')"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        check=True,
    )
    assert done.stdout == b"a ? ? b\n"


def test_a_run_that_writes_a_file_tells_the_answer_in_one_line(tmp_path: Path, capsys) -> None:
    report = tmp_path / "r.md"
    code = run(["heap", str(DUMP), "-o", str(report)])
    said = capsys.readouterr()
    assert (code, said.out) == (1, "")
    line = r"mqdiag: 1 error, 1 info: Cached messages of consumer group .* \(report: .*r\.md\)\n"
    assert re.fullmatch(line, said.err)


def test_an_ending_of_no_format_is_refused(tmp_path: Path, capsys) -> None:
    dump = str(DUMP)
    assert run(["heap", dump, "-o", str(tmp_path / "r.foo")]) == 2
    assert ".foo is the ending of no format" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    assert run(["heap", dump, "-o", str(tmp_path / "r.foo"), "--format", "text", "--fail-on", "never"]) == 0
