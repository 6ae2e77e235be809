"""A line that one sample lost: the thread did not move by that."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from mqdiag.threads.same_work import lost_a_frame
from tests.cli.conftest import here
from tests.folded import folded

DUMP = Path(__file__).parents[2] / "fixtures" / "any-jvm" / "mq-pull.txt.gz"


@pytest.mark.parametrize("lost", ["HttpURLConnection.getInputStream0", "BufferedInputStream.read1"])
def test_a_line_lost_in_one_sample_is_no_move(tmp_path: Path, lost: str) -> None:
    lines = gzip.decompress(DUMP.read_bytes()).decode().splitlines(keepends=True)
    of_thread = [index for index, line in enumerate(lines) if line.startswith('"orders-export"')]
    second = of_thread[1]
    at = next(index for index in range(second, len(lines)) if lost in lines[index])
    dump = tmp_path / "dump.txt"
    dump.write_text("".join(lines[:at] + lines[at + 1 :]))
    report = json.loads(here("stacks", "--format", "json", dump).out)
    assert [found["rule"] for found in report["findings"]] == ["threads-stuck"]


@folded(
    "one, other, is_lost",
    [
        ("abcde", "abde", True),
        ("abcde", "abcdf", False),
        ("abcde", "bcde", False),  # the top: the call ended
        ("abcde", "abcd", False),  # the root: another work
        ("abbcd", "abcd", False),  # a recursion
        ("abc", "ac", False),  # too little is left
        ("abcdef", "abef", False),
    ],
)
def test_one_frame_inside_may_be_lost(one: str, other: str, is_lost: bool) -> None:
    assert lost_a_frame(tuple(one), tuple(other)) is is_lost
    assert lost_a_frame(tuple(other), tuple(one)) is is_lost
