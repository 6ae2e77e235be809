"""Lines that something cut at one column: their last value is unknown, and so is what stood behind it."""

from __future__ import annotations

import gzip
from pathlib import Path

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.findings import Confidence, Report
from mqdiag.read.logs.columns import column_of_cuts, with_open_end
from tests.folded import folded
from tests.layers import CHECK
from tests.logs.given import line

FIXTURES = Path(__file__).parents[2] / "fixtures" / "logs"


def cut(case: str, column: int, tmp_path: Path, only: str = "*") -> Report:
    """What is said of an incident whose lines were cut."""
    for file in sorted((FIXTURES / case).glob(f"{only}/*.gz")):
        path = tmp_path / file.relative_to(FIXTURES).with_suffix("")
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = gzip.decompress(file.read_bytes()).split(b"\n")
        path.write_bytes(b"\n".join(one[:column] for one in lines))
    return diagnose_incident([tmp_path]).report


@CHECK
def test_a_full_disk_stays_one(tmp_path: Path) -> None:
    report = cut("disk-full-5.3.3", 100, tmp_path)
    (found,) = (one for one in report.findings if one.is_fault)
    assert (found.rule, found.cause, found.confidence) == ("disk-full", "disk-full", Confidence.MEDIUM)


def test_answers_without_their_end_do_not_tell_a_disk(tmp_path: Path) -> None:
    """The shares of the disks stand behind the cut."""
    report = cut("disk-full-5.3.3", 100, tmp_path, only="producer")
    assert not [one for one in report.findings if one.confidence is Confidence.HIGH and one.is_fault]
    (found,) = (one for one in report.findings if one.rule == "send-refused")
    assert found.confidence is Confidence.LOW
    assert found.evidence["disk_percent"] is None
    assert not any("has room" in str(text) for text in (found.title, *found.explanation))


def test_no_all_clear_over_cut_lines(tmp_path: Path) -> None:
    report = cut("healthy-5.3.3", 90, tmp_path)
    assert report.answer.state == "undecided"
    assert any(not given.complete for given in report.inputs)


TEXTS = (
    "put cost time(ms)=",
    "the topic is orders and queue ",
    "consumer started in group ",
    "lock failed for ",
)


@folded(
    "lines, column",
    [
        ([line(f"{TEXTS[n % 4]}{n:040}")[:-1] for n in range(40)], None),
        ([line(f"{TEXTS[n % 4] * 4}{n}")[:80] for n in range(40)], 80),
        ([line(f"{TEXTS[n % 4] * 4}\u4e2d\u6587 {n}")[:90] for n in range(40)], 90),
        # of one statement, and of a table
        ([line(f"{TEXTS[0]}{n:09}") for n in range(40)], None),
        ([line(f"{TEXTS[n % 4]:40}{n:9}.0") for n in range(40)], None),
    ],
)
def test_columns(lines: list[str], column: int | None) -> None:
    assert column_of_cuts("\n".join(lines).encode()) == column


def test_the_value_at_a_cut_is_unknown() -> None:
    text = b"2026-11-21 20:00:01 WARN main - cost time(ms)=123"
    assert with_open_end(text, b"cost", len(text)).decode().endswith("time(ms)=…")
    assert with_open_end(text, b"cost", None) is text
    assert with_open_end(text, b"cost", len(text) + 1) is text
