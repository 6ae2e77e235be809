"""Dumps that lost lines: what stood there is unknown, so no all-clear rests on the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.stacks import diagnose_stacks
from tests.threads.made import TAKE, At, dump

IDLE = [At(f"ConsumeMessageThread_CID_{number}", number, TAKE, "WAITING (parking)") for number in range(1, 6)]


@pytest.mark.parametrize(("lines_lost", "complete"), [(0, True), (5, False)])
def test_a_dump_that_begins_inside_of_a_thread_is_incomplete(
    lines_lost: int, complete: bool, tmp_path: Path
) -> None:
    path = tmp_path / "j1.log"
    path.write_text("\n".join(dump(IDLE, 0.0).splitlines()[lines_lost:]) + "\n")
    (given,) = diagnose_stacks([path]).report.inputs
    assert given.complete is complete


@pytest.mark.parametrize("with_blank_line", [True, False])
def test_a_dump_with_a_thread_whose_header_is_missing_is_incomplete(
    with_blank_line: bool, tmp_path: Path
) -> None:
    lines = dump(IDLE, 0.0).splitlines()
    at = next(place for place, line in enumerate(lines) if line.startswith(f'"{IDLE[2].name}"'))
    del lines[at - (not with_blank_line) : at + 1]
    path = tmp_path / "j1.log"
    path.write_text("\n".join(lines) + "\n")
    (given,) = diagnose_stacks([path]).report.inputs
    assert not given.complete
