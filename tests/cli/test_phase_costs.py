"""`--debug` tells what each phase of a run costs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mqdiag.cli import run

DUMP = Path(__file__).parents[2] / "fixtures" / "heap" / "no-rocketmq" / "dump.hprof.gz"
LINE = re.compile(
    r"(.+): (\d+\.\d{3}) s, (\d+\.\d{3}) s of processor time, (\d+\.\d) MB of files mapped in,"
    r" at most (\d+\.\d) MB of anonymous memory"
)


@pytest.mark.usefixtures("read_again")
def test_each_phase_has_a_line_with_seconds_and_memory(capsys: pytest.CaptureFixture[str]) -> None:
    run(["heap", str(DUMP), "--debug"])
    found = [match.groups() for line in capsys.readouterr().err.splitlines() if (match := LINE.fullmatch(line))]
    names = [name for name, *_ in found]
    assert names[0] == "starting"
    assert names[-2:] == ["looking for waste", "joining evidence"]
    assert {"walking objects", "reading references", "finding dominators"} < set(names)
    assert all(float(anonymous) > 0 for *_, anonymous in found)
    assert sum(float(wall) for _, wall, *_ in found) > 0


def test_without_debug_there_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    run(["heap", str(DUMP)])
    assert "processor time" not in capsys.readouterr().err
