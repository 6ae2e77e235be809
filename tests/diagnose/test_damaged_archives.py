"""An archive whose packed data is damaged gives all that stands before the damage, by each command alike."""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.language import english

SERIES = Path(__file__).parents[2] / "fixtures" / "stacks" / "apache4-stuck" / "series.tar.gz"


def test_samples_before_flipped_bytes_are_read(tmp_path: Path) -> None:
    packed = bytearray(SERIES.read_bytes())
    middle = len(packed) // 2
    packed[middle : middle + 20] = bytes(255 - byte for byte in packed[middle : middle + 20])
    damaged = tmp_path / "series.tar.gz"
    damaged.write_bytes(packed)
    by_incident, by_stacks = (diagnose([damaged]).report for diagnose in (diagnose_incident, diagnose_stacks))
    assert by_incident.stacks is not None
    assert by_stacks.stacks is not None
    assert by_incident.stacks.samples == by_stacks.stacks.samples > 1
    for report in (by_incident, by_stacks):
        assert report.answer is not None
        assert report.answer.state == "undecided"


def test_what_is_copied_again_is_the_archive_and_not_its_member(tmp_path: Path) -> None:
    damaged = tmp_path / "all.tar"
    with tarfile.open(SERIES) as given, tarfile.open(damaged, "w") as made:
        for member in given.getmembers():
            packed = bytearray(gzip.compress(given.extractfile(member).read()))  # type: ignore[union-attr]
            if member.name.endswith("j2.log"):
                packed[len(packed) // 2 :] = bytes(255 - byte for byte in packed[len(packed) // 2 :])
            entry = tarfile.TarInfo(f"{member.name}.gz")
            entry.size = len(packed)
            made.addfile(entry, io.BytesIO(bytes(packed)))
    report = diagnose_incident([damaged]).report
    (found,) = (one for one in report.findings if one.rule == "input-incomplete")
    commands = [english()(action.command) for action in found.now if action.command]
    assert commands == [f"rsync --checksum HOST:PATH {damaged}"]
    assert not any("used heap" in english()(one) for one in found.remedy)
