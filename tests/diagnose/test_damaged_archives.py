"""An archive whose packed data is damaged gives all that stands before the damage, by each command alike."""

from __future__ import annotations

from pathlib import Path

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.stacks import diagnose_stacks

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
