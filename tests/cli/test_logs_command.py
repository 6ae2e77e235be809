"""`mqdiag logs` from the command line: exit codes, bad input, standard input, packed and cut files."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Done, here
from tests.folded import folded
from tests.layers import CHECK

ROOT = Path(__file__).parents[2] / "fixtures" / "logs"
BUSY = ROOT / "page-cache-busy-4.3.2" / "broker" / "store.log.gz"
HEALTHY = ROOT / "healthy-4.3.2"


def mqdiag(*arguments: object, stdin: bytes = b"") -> Done:
    return here("logs", *arguments, stdin=stdin)


def report(*arguments: object, stdin: bytes = b"") -> tuple[int, dict[str, Any]]:
    done = mqdiag(*arguments, "--format", "json", stdin=stdin)
    return done.code, json.loads(done.out)


def test_a_healthy_log_is_said_to_be_healthy() -> None:
    done = mqdiag(*sorted(HEALTHY.rglob("*.gz")))
    text = done.out
    assert done.code == 0
    assert text.startswith("OK No fault found in ")
    assert "How long the broker's writes took" in text
    assert "0 took 1 s or longer" in text
    assert "GMT+8" in text


def test_a_fault_is_exit_1_and_comes_first() -> None:
    done = mqdiag(BUSY)
    text = done.out
    assert done.code == 1
    assert text.startswith("ERROR The broker's page cache was busy")
    assert "PAGECACHERT" in text


@pytest.mark.parametrize(
    ("pack", "name"),
    [(gzip.compress, "a.gz"), (bz2.compress, "a.bz2"), (lzma.compress, "a.xz"), (lambda data: data, "a.log")],
)
def test_packed_files(tmp_path: Path, pack: Any, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(pack(gzip.decompress(BUSY.read_bytes())))
    code, read = report(path)
    assert code == 1
    assert read["logs"]["lines"] == gzip.decompress(BUSY.read_bytes()).count(b"\n")
    assert read["inputs"][0]["kind"] == "log"
    assert read["inputs"][0]["captured_at"].endswith("+08:00")


def test_archives(tmp_path: Path) -> None:
    path = tmp_path / "logs.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("broker/store.log", gzip.decompress(BUSY.read_bytes()))
        archive.writestr("broker/storeerror.log.gz", (BUSY.parent / "storeerror.log.gz").read_bytes())
        archive.writestr("empty.log", b"")
    code, read = report(path)
    assert code == 1
    assert [file["kind"] for file in read["logs"]["files"]] == ["store", "store-error"]


def test_lines_of_an_access_log_stay_lines(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    lines = [
        f'10.0.0.1 - - [21/Nov/2026:08:00:{second:02} +0800] "GET / HTTP/1.1" 200 12\n' for second in range(30)
    ]
    path.write_text("".join(lines))
    _, read = report(path)
    assert read["logs"]["lines"] == 30


@pytest.mark.parametrize("packed", [True, False])
def test_standard_input(packed: bool) -> None:
    data = BUSY.read_bytes()
    code, read = report("-", stdin=data if packed else gzip.decompress(data))
    assert code == 1
    assert read["inputs"][0]["path"] == "-"
    assert read["logs"]["files"][0]["kind"] == "store"


def test_a_cut_file_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "cut.log.gz"
    path.write_bytes(BUSY.read_bytes()[:-3000])
    code, read = report(path)
    assert code == 1
    assert "input-incomplete" in {finding["rule"] for finding in read["findings"]}
    given = read["inputs"][0]
    assert given["complete"] is False
    assert given["stopped_at_byte"] > 1000
    assert read["logs"]["lines"] > 10


def test_the_same_log_twice_counts_once(tmp_path: Path) -> None:
    copy = tmp_path / "copy.log"
    copy.write_bytes(gzip.decompress(BUSY.read_bytes()))
    _, once = report(BUSY)
    _, twice = report(BUSY, copy)
    assert [event["count"] for event in twice["logs"]["events"]] == [
        event["count"] for event in once["logs"]["events"]
    ]
    assert "the same log" in twice["inputs"][1]["skipped"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "no such file"),
        (b"", "is empty"),
        (b"\x00\x01\x02\x03" * 500, "is not text"),
        (b"JAVA PROFILE 1.0.2\x00\x00\x00\x00\x08" + bytes(100), "heap dump"),
        (b"hello\nworld\n" * 9000, "not a log"),
        (b"\x1f\x8b\x08\x00broken", "packed data"),
        (b"PK\x03\x04broken", "damaged"),
    ],
)
def test_nothing_read_is_exit_3_and_one_line(tmp_path: Path, data: bytes | None, said: str) -> None:
    path = tmp_path / "x.log"
    if data is not None:
        path.write_bytes(data)
    done = mqdiag(path)
    lines = done.err.splitlines()
    assert done.code == 3
    assert done.out == ""
    assert len(lines) == 1
    assert said in lines[0]
    assert str(path) in lines[0]


def test_a_folder_is_refused_with_a_hint(tmp_path: Path) -> None:
    done = mqdiag(tmp_path)
    assert done.code == 3
    assert "mqdiag diagnose" in done.err


def test_one_broken_file_does_not_stop_the_rest(tmp_path: Path) -> None:
    broken = tmp_path / "broken.log"
    broken.write_bytes(b"")
    code, read = report(broken, BUSY, tmp_path / "missing.log")
    assert code == 1
    assert [bool(given["error"]) for given in read["inputs"]] == [True, False, True]


@pytest.mark.parametrize(
    ("offset", "shown"), [("+08:00", "+08:00"), ("-0330", "-03:30"), ("Z", "+00:00"), ("+5", "+05:00")]
)
def test_utc_offset(offset: str, shown: str) -> None:
    _, read = report(HEALTHY / "producer" / "rocketmq_client.log.gz", f"--utc-offset={offset}")
    assert read["logs"]["files"][0]["utc_offset"] == shown


@folded("offset", ["8", "+25:00", "CST", "+08:75", ""])
def test_a_bad_offset_is_wrong_usage(offset: str) -> None:
    done = mqdiag(BUSY, f"--utc-offset={offset}")
    assert done.code == 2
    assert "--utc-offset" in done.err


def test_text_from_a_log_is_shown_and_not_obeyed(tmp_path: Path) -> None:
    path = tmp_path / "evil.log"
    path.write_text(
        "2026-11-21 12:00:01,001 WARN RocketmqClient - the cached message count exceeds the threshold 10, so do flow"
        " control, minOffset=1, maxOffset=9, count=11, size=4 MiB,"
        " pullRequest=PullRequest [consumerGroup=\x1b[31m\x07G,"
        " messageQueue=MessageQueue [topic=t\u202e, brokerName=b, queueId=1], nextOffset=7], flowControlTimes=1\n"
    )
    text = mqdiag(path).out
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\u202e" not in text
    assert "Group \\x07G held back 1 pull" in text
    assert "topic t\\u202e broker b queue 1 (1)" in text


@CHECK
def test_logs_need_nothing_heavy() -> None:
    code = (
        "import sys; from mqdiag.cli import run; code = run(['logs', sys.argv[1], '-o', '/dev/null']);"
        "print(code, sorted({'numba', 'numpy', 'pandas', 'pyspark'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(BUSY)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1 []"
