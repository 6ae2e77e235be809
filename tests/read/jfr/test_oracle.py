"""Every event of recordings of five JDKs, against what the newest JDK prints of them."""

from __future__ import annotations

import lzma
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mqdiag.read.jfr.chunk import Problem
from mqdiag.read.jfr.recording import chunks
from tests.layers import CHECK, some_later
from tests.read.jfr.printed import differences, printed
from tests.read.jfr.whole import Whole

FIXTURES = Path(__file__).parents[3] / "fixtures" / "recordings"
JFR = next(iter(sorted(Path("/usr/lib/jvm").glob("*25*/bin/jfr"))), None)
CASES = sorted(path.parent.name for path in FIXTURES.glob("*/recording.jfr.xz"))
ONE_OF_EACH = {"idle-jdk17", "stuck-jdk8", "stuck-jdk11", "stuck-jdk21", "stuck-jdk25"}


@pytest.mark.skipif(JFR is None, reason="no JDK 25 under /usr/lib/jvm: its jfr is the oracle")
@pytest.mark.parametrize("case", some_later(CASES, lambda case: case not in ONE_OF_EACH))
@CHECK
def test_every_event_is_what_the_jdk_prints(case: str, tmp_path: Path) -> None:
    data = lzma.decompress((FIXTURES / case / "recording.jfr.xz").read_bytes())
    file = tmp_path / "recording.jfr"
    file.write_bytes(data)
    problems: list[Problem] = []
    ours: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for chunk in chunks(np.frombuffer(data, np.uint8), problems):
        whole = Whole(chunk)
        for name in chunk.counts:
            ours[name] += whole.events(name)
    assert problems == []
    theirs = printed(str(JFR), file)
    assert {name: len(events) for name, events in ours.items()} == {
        name: len(events) for name, events in theirs.items()
    }
    for name, events in theirs.items():
        assert differences(ours[name], events) == [], name
