"""A dump whose first or last threads were left out shows nothing about them: it gives no all-clear."""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.language import english

FIXTURES = Path(__file__).parents[2] / "fixtures/stacks"
FIRST = "ConsumeMessageThread_CID_callback-stuck_2"
PARTS: dict[str, Callable[[list[str]], list[str]]] = {
    "its last threads": lambda blocks: blocks[_place(blocks) :],
    "its middle": lambda blocks: blocks[_place(blocks) : _place(blocks) + 5],
    "all threads but the trailer": lambda blocks: [*blocks[1:20], *blocks[22:-2]],
}


def _place(blocks: list[str]) -> int:
    return next(place for place, block in enumerate(blocks) if block.startswith(f'"{FIRST}"'))


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_a_part_of_a_dump_is_no_all_clear(part: Callable[[list[str]], list[str]], tmp_path: Path) -> None:
    with tarfile.open(FIXTURES / "callback-stuck/series.tar.gz") as archive:
        for member in archive:
            text = (archive.extractfile(member) or io.BytesIO()).read().decode()
            blocks = [one for one in re.split(r'(?m)^(?=")', text) if "NettyClientPublicExecutor" not in one]
            (tmp_path / Path(member.name).name).write_text("".join(part(blocks)))
    report = diagnose_stacks(sorted(tmp_path.iterdir())).report
    assert report.answer.state == "undecided"
    assert "lacks the first or the last lines of a thread dump" in english()(report.answer.reason)
