"""Which incidents may close a fault: those that would show it if it were there."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from mqdiag.config import Settings
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.findings import Report
from mqdiag.fleet.work.refuting import refuting_rules
from mqdiag.fleet.work.rows import incident_row, report_rows
from tests.fleet.made_fleet import FIXTURES, heap
from tests.layers import one_in_each_run


def report_of(*paths: Path) -> Report:
    return diagnose_incident([str(path) for path in paths], Settings()).report


def samples(case: str, folder: Path) -> list[Path]:
    """The dumps of a committed series, in the order of their names."""
    with tarfile.open(FIXTURES / "stacks" / case / "series.tar.gz") as series:
        series.extractall(folder, filter="data")
    return sorted(path for path in folder.rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def series(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return samples("latch-stuck", tmp_path_factory.mktemp("series"))


def test_one_thread_dump_closes_no_hang(series: list[Path]) -> None:
    report = report_of(series[0])
    assert "stuck-wait" in report.checked
    assert not [one for one in refuting_rules(report) if one.startswith("stuck-")]


def test_a_series_shows_what_hangs_and_refutes_other_faults(series: list[Path]) -> None:
    report = report_of(*series)
    found = {(row["rule"], tuple(row["shown_by"])) for row in report_rows(report, classes=1)["findings"]}
    assert ("stuck-wait", ("stuck-wait/stacks",)) in found
    refuted = incident_row(report)["refutes"]
    assert {"stuck-socket-read", "stuck-socket-read/stacks"} <= {*refuted}
    # The threads that hang are the reason why these are not seen.
    assert "workers-saturated" in report.checked
    assert "workers-saturated" not in refuted


def test_a_cut_dump_closes_nothing_that_a_dump_shows(tmp_path: Path) -> None:
    data = heap("no-rocketmq")
    whole, cut = tmp_path / "whole.hprof", tmp_path / "cut.hprof"
    whole.write_bytes(data)
    cut.write_bytes(data[: len(data) // 2])
    assert "out-of-memory-thread/heap" in refuting_rules(report_of(whole))
    of_cut = report_of(cut)
    assert "out-of-memory-thread" in of_cut.checked
    assert not [one for one in refuting_rules(of_cut) if one.endswith("/heap")]


def test_a_cut_archive_closes_nothing(tmp_path: Path) -> None:
    """Two dumps are read whole, the third is cut: nobody knows what was behind it."""
    data = (FIXTURES / "stacks/idle/series.tar.gz").read_bytes()
    whole, cut = tmp_path / "whole.tar.gz", tmp_path / "cut.tar.gz"
    whole.write_bytes(data)
    cut.write_bytes(data[: len(data) // 2])
    assert "stuck-wait/stacks" in refuting_rules(report_of(whole))
    of_cut = report_of(cut)
    assert "stuck-wait" in of_cut.checked
    assert refuting_rules(of_cut) == []


def test_a_page_under_the_name_of_a_dump_is_told(series: list[Path], tmp_path: Path) -> None:
    """A proxy answers with a page where the upload of a dump failed."""
    page = tmp_path / "heap.hprof"
    page.write_text("<!DOCTYPE html>\n<html><body><h1>502 Bad Gateway</h1></body></html>\n")
    report = report_of(*series, page)
    (lost,) = report_rows(report, classes=1)["failures"]
    assert lost["path"] == str(page)
    assert incident_row(report)["status"] == "incomplete"


ELF_CORE = b"\x7fELF\2\1\1" + bytes(9) + b"\4\0\x3e\0" + bytes(60)


@one_in_each_run(4)
@pytest.mark.parametrize(
    ("name", "data", "kept_open", "closes"),
    [
        ("README", b"How to read this folder\n", None, True),
        ("notes.bin", ELF_CORE, [], True),
        ("core.4711", b"\x00\x01\x02\x03" * 99, [], True),
        ("upload.done", b"", [], True),
        ("stderr.log", b"", [], True),
        ("other", b"\x00\x01\x02\x03" * 99, ["any"], False),
        ("other", b"", ["any"], False),
        ("night.7z", b"7z\xbc\xaf\x27\x1c" + bytes(60), ["any"], False),
        ("jstack-2.txt", b"", ["stacks"], False),
        ("heap.hprof", b"<!DOCTYPE html>\n<html><body>502</body></html>\n", ["heap"], True),
        ("heap.hprof.gz", b"\x1f\x8b\x08\x00broken", ["heap"], True),
        ("broker.log.3.gz", b"\x1f\x8b\x08\x00broken", ["logs"], True),
    ],
)
def test_a_file_that_gives_nothing_keeps_open_what_it_can_be_evidence_of(
    name: str, data: bytes, kept_open: list[str] | None, closes: bool, series: list[Path], tmp_path: Path
) -> None:
    """By its first bytes, else by its name; thread dumps beside a core, or a dump of the heap, close a hang."""
    (tmp_path / name).write_bytes(data)
    report = report_of(*series, tmp_path / name)
    failures = report_rows(report, classes=1)["failures"]
    assert [row["keeps_open"] for row in failures] == ([] if kept_open is None else [kept_open])
    assert ("stuck-socket-read/stacks" in incident_row(report)["refutes"]) == closes


def test_a_file_that_was_not_read_for_want_of_memory_keeps_open_what_it_can_show(series: list[Path]) -> None:
    report = report_of(*series)
    for lost, closes in (("/in/more-jstack.txt", False), ("/in/heap.hprof", True), ("/in/part-7", False)):
        assert ("stuck-socket-read/stacks" in incident_row(report, [lost])["refutes"]) == closes, lost
