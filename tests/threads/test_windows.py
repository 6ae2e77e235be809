"""Parts of healthy series: one dump, two dumps a second apart, gaps, and two forms of dumps in turn."""

from __future__ import annotations

import tarfile
from itertools import pairwise
from pathlib import Path

import pytest

from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.findings import Confidence, Severity
from tests.layers import CHECK, NIGHTLY
from tests.threads.real_series import CASES, STANDS, packed_series, truth_of

ONE_CALL = {("lively-progressing-jdk21", 5, 3)}
"""series, first sample and samples of a part that one call of five seconds fills: no CPU time went by in it"""
BUSY = CASES / "busy-progressing-jdk25"
HEALTHY = [
    path
    for path in packed_series()
    if "progressing" in path.parent.name
    and not STANDS & truth_of(path.parent)["summary"].keys()
    # half of these files are CPU times, which are no dumps
    and path.name != "with-cpu-times.tar.gz"
]
CROWDS = {"jdk8-convoy-progressing", "convoy-slow-progressing", "ways-progressing", "ways-progressing-jdk25"}
"""series of which each dump shows most threads of a pool before one lock, or one full queue of a logger"""


def unpacked(path: Path, folder: Path) -> list[Path]:
    """The dumps of a series, in order."""
    with tarfile.open(path) as tar:
        tar.extractall(folder, filter="data")
    return sorted(folder.rglob("*.*"))


def standing(case: Path, dumps: list[Path]) -> list[str]:
    """Threads of listeners that are called stuck or blocked."""
    stacks = diagnose_stacks(dumps).report.stacks
    assert stacks is not None
    listeners = {thread["java_id"] for thread in truth_of(case)["threads"]}
    return [one.name for one in stacks.threads if one.java_id in listeners and one.state in STANDS]


@CHECK
def test_two_dumps_a_second_apart_show_no_standstill(tmp_path: Path) -> None:
    for pair in pairwise(unpacked(BUSY / "series.tar.gz", tmp_path)):
        assert not standing(BUSY, list(pair))


@pytest.mark.parametrize(("name", "first"), [("late-progressing", 3), ("lively-progressing", 1)])
def test_a_wait_for_each_message_is_no_standstill(name: str, first: int, tmp_path: Path) -> None:
    """Three dumps show threads in one wait. Their CPU time grew by 0.2 to 0.5 ms, as messages are done in between."""
    dumps = unpacked(CASES / name / "series.tar.gz", tmp_path)
    assert not standing(CASES / name, dumps[first : first + 3])


@NIGHTLY
@pytest.mark.parametrize("path", HEALTHY, ids=[f"{path.parent.name}/{path.name}" for path in HEALTHY])
def test_no_part_of_a_healthy_series_shows_a_standstill(tmp_path: Path, path: Path) -> None:
    dumps = unpacked(path, tmp_path)
    for length in range(2, len(dumps) + 1):
        for first in range(len(dumps) - length + 1):
            if (path.parent.name, first, length) not in ONE_CALL:
                assert not standing(path.parent, dumps[first : first + length])
    assert not standing(path.parent, dumps[::2])


@NIGHTLY
@pytest.mark.parametrize("path", HEALTHY, ids=[f"{path.parent.name}/{path.name}" for path in HEALTHY])
def test_a_single_dump_of_a_healthy_series_makes_no_warning(tmp_path: Path, path: Path) -> None:
    of_standstills = {"stuck-consumer-thread", "stuck-socket-read", "stuck-wait", "lock-convoy", "deadlock"}
    for dump in unpacked(path, tmp_path):
        found = [one for one in diagnose_stacks([dump]).report.findings if one.rule in of_standstills]
        loud = [one for one in found if one.severity is not Severity.INFO]
        # a crowd is worth a look, and one dump does not show for how long it has been there
        assert all(
            path.parent.name in CROWDS and (one.severity, one.confidence) == (Severity.WARNING, Confidence.LOW)
            for one in loud
        )


@NIGHTLY
def test_two_forms_in_turn_show_no_standstill(tmp_path: Path) -> None:
    plain = unpacked(BUSY / "series.tar.gz", tmp_path / "plain")
    json = unpacked(BUSY / "dump-json.tar.gz", tmp_path / "json")
    for one, other in ((plain, json), (json, plain)):
        turns = [(one, other)[at % 2][at] for at in range(len(plain))]
        for length in range(2, len(turns) + 1):
            assert not standing(BUSY, turns[:length])
