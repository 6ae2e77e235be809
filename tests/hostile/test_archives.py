"""Archives that unpack to far more than they are: what comes out is bounded by what was read."""

from __future__ import annotations

import bz2
import functools
import gzip
import io
import lzma
import re
import tarfile
import zipfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.errors import InputError
from mqdiag.facts import Input
from mqdiag.language import english
from mqdiag.read.open import limits
from mqdiag.read.open.door import members
from mqdiag.read.open.to_files import Budget, unpack
from mqdiag.read.sniff import content_of
from mqdiag.text import NOTHING
from tests.hostile.bounded import run as run_alone
from tests.hostile.conftest import Run
from tests.hostile.crafted_archives import (
    BOMBS,
    LINE,
    lzma_zip,
    overlapping_zip,
    repeated,
    zip_of,
    zip_that_says_much,
)
from tests.hostile.test_texts import header
from tests.layers import CHECK, NIGHTLY, one_in_each_run

SMALL = 1 << 20
TOO_MUCH = re.compile("times what was read of it|says that it unpacks to")
"""after it was read that far; or before, where a zip file says so itself"""
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gz": lambda data: gzip.compress(data, mtime=0),
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zip": lambda data: zip_of({"broker.log": data}),
}


@functools.cache
def packed(kind: str) -> bytes:
    return PACKED[kind](repeated(8 * SMALL))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bounds for less data."""
    monkeypatch.setattr(limits, "LEAST_BYTES", SMALL)
    monkeypatch.setattr(limits, "MOST_RATIO", 2)


def told(given: Input) -> str:
    write = english()
    return write(given.error or NOTHING) + write(given.problem or NOTHING) + write(given.skipped or NOTHING)


@one_in_each_run(4)
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("kind", PACKED)
def test_logs_are_unpacked_as_far_as_the_ratio_goes(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"broker.log.{kind}"
    path.write_bytes(packed(kind))
    report = diagnose_logs([path]).report
    assert any(TOO_MUCH.search(told(given)) for given in report.inputs)
    assert "healthy" not in (report.answer.state if report.answer else "")


@one_in_each_run(4)
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("kind", PACKED)
def test_archives_are_unpacked_as_far_as_the_ratio_goes(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"broker.log.{kind}"
    path.write_bytes(packed(kind))
    room = tmp_path / "room"
    room.mkdir()
    with open(path, "rb") as file:
        content = content_of(file.read(512))
    problems = [member.problem for member in unpack(str(path), "it", content, Budget(room))]
    assert any(TOO_MUCH.search(english()(problem or NOTHING)) for problem in problems)
    written = sum(file.stat().st_size for file in room.iterdir())
    assert written <= SMALL + 2 * path.stat().st_size + (1 << 20)


@pytest.mark.usefixtures("small")
def test_an_archive_in_an_archive_brings_no_room_of_its_own(tmp_path: Path) -> None:
    inner = zip_of({f"{number}.log": repeated(SMALL) for number in range(8)})
    (tmp_path / "outer.zip").write_bytes(zip_of({"inner.zip": inner}, zipfile.ZIP_STORED))
    report = diagnose_incident([tmp_path]).report
    read = [given for given in report.inputs if given.kind == "log" and given.error is None]
    refused = [given for given in report.inputs if "times what was read of it" in told(given)]
    assert len(read) <= 1
    assert refused


@CHECK
def test_an_honest_archive_that_shrinks_well_is_read(tmp_path: Path) -> None:
    path = tmp_path / "logs.tar.bz2"
    (tmp_path / "broker.log").write_bytes(repeated(8 * SMALL))
    with tarfile.open(path, "w:bz2") as archive:
        archive.add(tmp_path / "broker.log", "broker.log")
    report = diagnose_incident([path]).report
    assert [given.complete for given in report.inputs] == [True]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (overlapping_zip, "its members overlap"),
        (zip_that_says_much, "says that it unpacks to 4"),
        (lzma_zip, "is packed with LZMA; unpack it first"),
    ],
)
def test_what_a_zip_file_says_of_itself_is_checked_before_it_is_unpacked(
    data: Callable[[], bytes], said: str, tmp_path: Path
) -> None:
    path = tmp_path / "evidence.zip"
    path.write_bytes(data())
    (given,) = diagnose_incident([path]).report.inputs
    assert said in told(given)
    with pytest.raises(InputError, match=said):
        [next(chunks) for _, chunks in members(str(path))]
    (given,) = diagnose_logs([path]).report.inputs
    assert said in told(given)


@CHECK
def test_xz_data_gets_no_more_memory_than_xz_itself_takes(tmp_path: Path) -> None:
    path = tmp_path / "broker.log.xz"
    path.write_bytes(BOMBS["memory.xz"]())
    for command in ("logs", "diagnose"):
        done = run_alone(command, path)
        done.check(3)
        assert "Memory usage limit" in done.err


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("logs", tarfile.REGTYPE),
        ("logs", tarfile.GNUTYPE_LONGNAME),
        ("stacks", tarfile.DIRTYPE),
        ("stacks", tarfile.XHDTYPE),
    ],
)
def test_a_tar_header_that_declares_an_endless_member(
    run: Run, command: str, kind: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "evidence.tar"
    path.write_bytes(header(1 << 62, kind) + LINE.ljust(1024, b"\0"))
    run(command, path).check(0, 1, 3)


@pytest.mark.parametrize("command", ["logs", "stacks", "diagnose"])
def test_a_hole_counts_as_what_comes_out(run: Run, command: str, tmp_path: Path) -> None:
    path = tmp_path / "hole.tar"
    path.write_bytes(BOMBS["hole.tar"]())
    done = run(command, path)
    done.check(3)
    assert "times what was read of it" in done.err


def test_what_a_reader_leaves_of_a_member_is_skipped_whatever_its_size(tmp_path: Path) -> None:
    path = tmp_path / "evidence.tar"
    with tarfile.open(path, "w") as archive:
        for name, size in (("dump.hprof", 80 << 20), ("broker.log", 0)):
            (tmp_path / name).write_bytes(LINE)
            with open(tmp_path / name, "r+b") as file:
                file.truncate(size or len(LINE))
            archive.add(tmp_path / name, name)
    (given,) = diagnose_logs([path]).report.inputs
    assert (given.path, given.error) == (f"{path}!broker.log", None)


@lru_cache(maxsize=1)
def _bomb(name: str) -> bytes:
    """Made once for the commands that follow each other: some take a minute to make."""
    return BOMBS[name]()


@NIGHTLY
@pytest.mark.parametrize("command", ["logs", "stacks", "diagnose"])
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_read_within_its_budget(command: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(_bomb(name))
    run_alone(command, path, most_cpu_s=30).check(0, 1, 3)


FILL = b"2026-11-21 20:00:01 INFO main - the broker took step {}\n"


@pytest.mark.parametrize("how", ["whole", "cut behind a file", "cut in a header", "header overwritten"])
def test_a_tar_archive_that_is_not_whole_is_no_all_clear(how: str, tmp_path: Path) -> None:
    path = tmp_path / "logs.tar"
    with tarfile.open(path, "w") as archive:
        for name in ("broker.log", "store.log"):
            data = b"".join(FILL.replace(b"{}", str(step).encode()) for step in range(30))
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    with tarfile.open(path) as archive:
        second = archive.getmembers()[1].offset
    whole = path.read_bytes()
    path.write_bytes(
        {
            "whole": whole,
            "cut behind a file": whole[:second],
            "cut in a header": whole[: second + 300],
            "header overwritten": whole[:second] + b"7" * 512 + whole[second + 512 :],
        }[how]
    )
    answer = diagnose_incident([path]).report.answer
    assert answer is not None
    assert answer.state == ("healthy" if how == "whole" else "undecided")
