"""Dumps that lost their beginning: what stood above is unknown, so no all-clear rests on the rest."""

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
