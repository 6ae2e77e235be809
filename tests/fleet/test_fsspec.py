"""A scheme that Arrow does not know, through fsspec: dumps in a zip archive, which every process can open."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from mqdiag.config import Settings
from mqdiag.fleet.files.fingerprints import content_fingerprint
from mqdiag.fleet.files.incidents import IncidentFile, incidents
from mqdiag.fleet.files.labels import Template
from mqdiag.fleet.files.listing import Listing
from mqdiag.fleet.files.storage import storage
from mqdiag.fleet.options import Limits
from mqdiag.fleet.work import task
from mqdiag.fleet.work.item import Job, WorkItem
from mqdiag.fleet.work.results import read_result
from mqdiag.language import english
from tests.fleet.made_fleet import heap
from tests.fleet.runs import run
from tests.layers import NIGHTLY, one_in_each_run

TEMPLATE = "{service}/{host}/{time}.hprof"
PLACE = "in/orders/h1/20261121-080000.hprof"


@pytest.fixture(scope="module")
def uri(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of dumps inside the archive."""
    archive = tmp_path_factory.mktemp("zip") / "dumps.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        file.writestr(PLACE, heap("stuck-one-4.9.8"))
        file.writestr("in/orders/h2/20261121-080000.hprof", b"this is no dump\n")
    return f"zip://in?fo={archive}"


@one_in_each_run(2)
def test_a_file_is_listed_fetched_analysed_and_removed(uri: str, tmp_path: Path) -> None:
    listing = Listing([uri], [Template(TEMPLATE)])
    first, second = incidents([file for file in listing if file.labels.host == "h1"], 600), listing.given
    (one,) = first
    assert second == {uri: 2}
    assert one.files[0].uri == uri.replace("in?", f"{PLACE}?")
    assert one.bytes == len(heap("stuck-one-4.9.8"))
    item = WorkItem(
        incident="ab12",
        environment="",
        service=one.service,
        host=one.host,
        window_start_ns=one.window_start_ns,
        bytes=one.bytes,
        files=one.files,
        contents=tuple(content_fingerprint(file) for file in one.files),
        listing=one.listing,
        evidence="e",
    )
    scratch = tmp_path / "scratch"
    job = Job(
        out=str(tmp_path / "out"),
        run="r1",
        settings=Settings(),
        settings_hash="x",
        limits=Limits(memory_bytes=2 << 30),
        scratch=str(scratch),
    )
    assert task.run_item(item, job)
    store, out = storage(job.out)
    result = read_result(store, out, "ab12")
    assert result is not None
    assert "offset-stuck-at-head" in [row["rule"] for row in result.rows["findings"]]
    assert [row["path"] for row in result.rows["inputs"]] == [one.files[0].uri.partition("?")[0]]
    assert list(scratch.iterdir()) == []


def test_an_archive_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    uri = f"zip://in?fo={tmp_path}/none.zip"
    listing = Listing([uri])
    assert list(listing) == []
    assert "none.zip" in english()(listing.errors[uri])


def test_an_archive_that_has_gone_is_tried_again_by_the_next_run(tmp_path: Path) -> None:
    """As any file that the store does not give: it must not end the task, and with it the run."""
    gone = IncidentFile(uri=f"zip://in/x.hprof?fo={tmp_path}/gone.zip", bytes=10)
    paths, (lost,) = task._fetched([gone], tmp_path, Limits())
    assert (paths, lost.kind) == ({}, "lost")


@NIGHTLY
@pytest.mark.usefixtures("_java")
def test_a_whole_run(uri: str, tmp_path: Path) -> None:
    done = run(uri, "--template", TEMPLATE, "--out", str(tmp_path / "out"))
    assert done.code == 1, done.err
    totals = done.report["fleet"]["totals"]
    assert (totals["analysed"], totals["failed"]) == (2, 1)
