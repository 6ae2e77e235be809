"""Folders of `mqdiag capture` in a fleet: one incident of one host each."""

from __future__ import annotations

import shutil
import tarfile
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from mqdiag.fleet.files.incidents import Incident, incidents
from mqdiag.fleet.files.labels import Labels, Template
from mqdiag.fleet.files.listing import EvidenceFile, Listing
from mqdiag.fleet.work.worklist import WorkList

FIXTURES = Path(__file__).parents[2] / "fixtures"
STARTED_NS = 1_795_847_830_553 * 10**6
"""2026-11-28T06:37:10.553Z, as the manifest has it"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "in/orders/night"
    with tarfile.open(FIXTURES / "drills/acl-rotation/healthy.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    for name in ("heap/01.hprof", "heap/02.hprof", "truth.json", "origin.md"):
        path = folder / "taken" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x")
    return tmp_path / "in"


def _taken(listing: Listing) -> list[EvidenceFile]:
    return [file for file in listing if "/taken/" in file.uri]


def test_a_capture_is_one_incident_of_the_manifest_s_host(root: Path) -> None:
    listing = Listing([str(root)])
    files = _taken(listing)
    assert {file.labels for file in files} == {Labels(service="orders", host="shop-1", time_ns=STARTED_NS)}
    (one,) = incidents(files, 600)
    names = {file.uri.rpartition("/taken/")[2] for file in one.files}
    assert {"manifest.json", "stacks/05.txt", "logs/app.log", "heap/01.hprof", "heap/02.hprof"} <= names
    assert not names & {"truth.json", "origin.md"}
    assert listing.left_out.notes == 2


def test_two_captures_of_a_host_are_two_incidents(root: Path) -> None:
    shutil.copytree(root / "orders/night/taken", root / "orders/night/taken2")
    files = [file for file in Listing([str(root)]) if "/taken" in file.uri]
    assert [
        len({file.uri.rpartition("/night/")[2].split("/")[0] for file in one.files})
        for one in incidents(files, 600)
    ] == [1, 1]


def test_the_plan_has_one_incident_of_a_capture(root: Path, tmp_path: Path) -> None:
    with closing(WorkList(tmp_path)) as work:
        work.add_files(Listing([str(root / "orders/night/taken")]))
        work.group(600)
        (batch,) = work.fresh(10)
    (one,) = (msgspec.json.decode(incident, type=Incident) for incident in batch)
    assert one.host == "shop-1"
    assert one.window_start_ns == STARTED_NS


def test_the_host_of_a_template_stays(root: Path) -> None:
    files = _taken(Listing([str(root)], [Template("{service}/{host}/taken")]))
    assert {(file.labels.host, file.labels.time_ns) for file in files} == {("night", STARTED_NS)}
    assert len([*incidents(files, 600)]) == 1


def test_a_manifest_of_something_else_changes_nothing(root: Path) -> None:
    (root / "orders/night/taken/manifest.json").write_text('{"name": "page"}')
    assert {file.labels.host for file in _taken(Listing([str(root)]))} == {"night"}
