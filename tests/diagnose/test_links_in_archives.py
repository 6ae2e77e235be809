"""A link of an archive that leads to no member of it is evidence that is missing: no all-clear over it."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.findings import Report
from mqdiag.language import english

HEALTHY = Path(__file__).parents[2] / "fixtures" / "logs" / "healthy-5.3.3" / "broker" / "store.log.gz"
LOG = "logs/2026/store.log.gz"
INSIDE = {"file": ("logs/newest", "2026/store.log.gz"), "folder": ("newest", "logs/2026"), "link": ("a", "b")}
"""links to what is in the archive too: to a file, to its folder, and to another link"""
OUTSIDE = {
    "absolute": "/logs/2026/store.log.gz",
    "above": "../../logs/2026/store.log.gz",
    "beside": "other.log",
}
"""where a link in the folder logs leads that has lost its file"""


def tarred(path: Path, links: dict[str, str], kind: bytes = tarfile.SYMTYPE) -> Path:
    with tarfile.open(path, "w") as archive:
        for name, target in links.items():
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, target
            archive.addfile(info)
        info = tarfile.TarInfo(LOG)
        info.size = HEALTHY.stat().st_size
        archive.addfile(info, io.BytesIO(HEALTHY.read_bytes()))
    return path


def zipped(path: Path, links: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, target in links.items():
            info = zipfile.ZipInfo(name)
            info.create_system, info.external_attr = 3, 0o120777 << 16
            archive.writestr(info, target)
        archive.write(HEALTHY, LOG)
    return path


def report_of(path: Path) -> Report:
    return diagnose_incident([path]).report


@pytest.mark.parametrize("pack", [tarred, zipped])
@pytest.mark.parametrize("target", OUTSIDE.values(), ids=list(OUTSIDE))
def test_a_link_out_of_the_archive_forbids_an_all_clear(pack: type, target: str, tmp_path: Path) -> None:
    report = report_of(pack(tmp_path / "evidence", {"logs/broker.log": target}))
    assert report.answer is not None
    assert report.answer.state == "undecided"
    lost = [one for one in report.inputs if one.error is not None]
    assert [one.path for one in lost] == [f"{tmp_path / 'evidence'}!logs/broker.log"]
    assert lost[0].error is not None
    assert "leads out of the archive" in english()(lost[0].error)


@pytest.mark.parametrize("pack", [tarred, zipped])
def test_a_link_to_a_member_is_that_member(pack: type, tmp_path: Path) -> None:
    links = {**dict(INSIDE.values()), "b": LOG}
    report = report_of(pack(tmp_path / "evidence", links))
    assert report.answer is not None
    assert report.answer.state == "healthy"
    assert [one.path for one in report.inputs] == [f"{tmp_path / 'evidence'}!{LOG}"]


def test_a_hard_link_begins_at_the_root_of_the_archive(tmp_path: Path) -> None:
    whole = report_of(tarred(tmp_path / "whole", {"logs/same": LOG}, tarfile.LNKTYPE))
    lost = report_of(tarred(tmp_path / "lost", {"logs/same": "2026/store.log.gz"}, tarfile.LNKTYPE))
    assert [report.answer and report.answer.state for report in (whole, lost)] == ["healthy", "undecided"]


def test_what_is_too_long_for_a_link_is_read_as_the_file_that_it_is(tmp_path: Path) -> None:
    path = tmp_path / "evidence.zip"
    with zipfile.ZipFile(path, "w") as archive:
        info = zipfile.ZipInfo("store.log")
        info.create_system, info.external_attr = 3, 0o120777 << 16
        archive.writestr(info, gzip.decompress(HEALTHY.read_bytes()))
    report = report_of(path)
    assert report.answer is not None
    assert report.answer.state == "healthy"
    assert report.logs is not None


def test_a_link_behind_thousands_of_others_is_looked_at(tmp_path: Path) -> None:
    inside = {f"logs/{number}": "2026/store.log.gz" for number in range(1500)}
    report = report_of(tarred(tmp_path / "evidence", {**inside, "logs/broker.log": "other.log"}))
    assert report.answer is not None
    assert report.answer.state == "undecided"
