"""The output of fleet runs from somebody else: names that lead out of the folder, marks and rows that are no run's."""

from __future__ import annotations

import os
import re
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from mqdiag.cli import run
from mqdiag.config import Settings
from mqdiag.findings import Report
from mqdiag.fleet.files.storage import storage
from mqdiag.fleet.tables.arrow import parquet
from mqdiag.fleet.tables.compact import compact
from mqdiag.fleet.tables.layout import Layout
from mqdiag.fleet.verdict import fleet_verdict
from mqdiag.render import formats
from mqdiag.render.sections.fleet_lists import service_page
from tests.fleet.made_output import Analysed, at, finding, write_output
from tests.fleet.test_report import FLEET
from tests.folded import folded
from tests.hostile.test_outputs import NAMES, outputs
from tests.hostile.test_terminal import injected
from tests.layers import one_in_each_run
from tests.render.html.test_page import Outline
from tests.render.test_markdown import OURS, Page

AWAY = "first/../../../victim"


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    made = Layout(*storage(str(tmp_path / "out")))
    kept = write_output(
        made, "first", [Analysed(incident="a", host="h1", window_start=at(19), findings=(finding("x"),))]
    )
    write_output(made, "second", [Analysed(incident="b", host="h2", window_start=at(20))], kept)
    return made


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    folder = tmp_path / "victim"
    folder.mkdir()
    (folder / "part-00000.parquet").write_bytes(parquet("findings", [{"incident": "a", "title": "theirs"}]))
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@one_in_each_run(4)
@pytest.mark.parametrize("folder", ["_runs", "_compactions"])
@pytest.mark.parametrize("as_file", ["zz.json", None])
def test_a_run_with_a_path_for_a_name_removes_nothing_elsewhere(
    folder: str, as_file: str | None, layout: Layout, victim: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Folders of runs are removed by the names in their marks, with all that is in them."""
    before = files(victim)
    (mark, _) = layout.runs()
    forged = msgspec.structs.replace(mark, run=AWAY, order=0)
    text = msgspec.json.encode(forged)
    if folder == "_compactions":
        text = msgspec.json.encode({**msgspec.to_builtins(forged), "compaction": AWAY})
    place = Path(layout.root) / folder / (as_file or f"{AWAY}.json")
    os.makedirs(Path(layout.root) / folder / "first", exist_ok=True)
    place.parent.mkdir(exist_ok=True, parents=True)
    place.write_bytes(text)
    code = run(["fleet", "compact", layout.root, "--keep", "1"])
    err = capfd.readouterr().err
    assert files(victim).items() >= before.items()
    if as_file is not None:
        assert code == 2
        assert len(err.splitlines()) == 1


@one_in_each_run(4)
@pytest.mark.parametrize("folder", ["_runs", "_compactions"])
@pytest.mark.parametrize("content", [b"", b"{", b"[" * 100_000, b'{"run": 1}', b"\xff\xfe"])
def test_a_damaged_mark_is_told_in_one_line(
    content: bytes, folder: str, layout: Layout, capfd: pytest.CaptureFixture[str]
) -> None:
    path = Path(layout.root) / folder / "other.json"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    assert run(["fleet", "compact", layout.root]) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert "other.json" in line


def test_a_row_that_names_a_path_for_its_partition_reads_nothing_elsewhere(
    layout: Layout, victim: Path
) -> None:
    (file,) = layout.files("incidents", {"second"})
    rows = [{"incident": "a", "analysed_in": AWAY, "analysed_at": at(19), "status": "ok"}]
    Path(file.path).write_bytes(parquet("incidents", rows))
    before = files(victim)
    compact(layout)
    assert files(victim) == before
    assert not any(b"theirs" in data for data in files(Path(layout.root)).values())


@one_in_each_run(4)
@pytest.mark.parametrize("day", ["x%2F..%2F..%2F..%2F..%2Fvictim", "..", "%00", "x\ny"])
def test_a_folder_that_names_a_path_for_its_day_writes_nothing_elsewhere(
    day: str, layout: Layout, victim: Path
) -> None:
    (file,) = layout.files("findings", {"first"})
    path = Path(file.path)
    path.parent.rename(path.parent.with_name(f"day={day}"))
    before = files(victim)
    compact(layout)
    assert files(victim) == before
    assert {path.name for path in Path(layout.root).parent.iterdir()} == {"out", "victim"}


@one_in_each_run(3)
@pytest.mark.parametrize("name", ["run=a%2Fb", "run=..", "run=x\ny", "run=", "no run"])
def test_a_folder_that_no_run_made_is_removed_and_nothing_else(name: str, layout: Layout, victim: Path) -> None:
    path = Path(layout.root) / "findings" / name / "day=2026-11-19" / "part-00000.parquet"
    path.parent.mkdir(parents=True)
    path.write_bytes((victim / "part-00000.parquet").read_bytes())
    before = files(victim)
    compact(layout)
    assert files(victim) == before
    assert [mark.run for mark in layout.runs()] == ["first", "second"]


def test_names_in_the_report_of_a_fleet_stay_text_in_every_format() -> None:
    report = injected(fleet_verdict(FLEET, (), (), Settings()).report, Report, "".join(("\n", *NAMES)))
    for name in formats():
        for output in outputs(report, name):
            for line in output.splitlines():
                assert not line.lstrip().startswith("::") or name in ("github",), (name, line)
            assert not set("\u202e\u200b\x9b") & set(output), name
    page = Outline(*outputs(report, "html"))
    names = [tag for tag, _ in page.tags]
    assert names.count("script") == 1
    assert not {"img", "textarea", "b"} & set(names)
    assert Page(*outputs(report, "markdown")).tags <= OURS
    ElementTree.fromstring(*outputs(report, "junit"))


@folded("service", ["../../x", "/etc/passwd", "a\0b", "..", "\udcff", "x" * 5_000])
def test_a_page_of_a_service_stays_in_its_folder(service: str) -> None:
    name = service_page("", service)
    assert re.fullmatch(r"[a-z0-9-]+\.html", name)
    assert len(name) < 200
