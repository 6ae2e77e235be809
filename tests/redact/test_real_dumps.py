"""Analysis of a redacted dump gives what analysis of the original gives: on every real dump of the fixtures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mqdiag.redact.redact_dump import redact_dump
from tests.layers import CHECK, one_in_each_run, some_later
from tests.redact.compare import differences, reported

DUMPS = sorted((Path(__file__).parents[2] / "fixtures" / "heap").glob("*/dump.hprof.gz"))
PLAIN = [dump for dump in DUMPS if not dump.parent.name.endswith("-direct-limit")]
"""the others know the heap's limit by the JVM's arguments alone, which are replaced, as they may hold passwords"""

AGAIN = {
    "app-retains-5.3.3",
    "app-heap-4.9.8",
    "broadcasting-4.9.8",
    "dropped-queue-4.9.8",
    "healthy-busy-4.9.8-relocated",
    "healthy-busy-5.3.3",
    "healthy-busy-4.3.2-not-live",
    "healthy-busy-4.3.2-parallel-dump",
    "healthy-busy-4.3.2-zgc",
    "healthy-busy-4.9.8",
    "just-over-4.9.8",
    "lite-pull-4.9.8",
    "orderly-4.9.8",
    "oversized-oom-4.3.2",
    "oversized-oom-5.3.3",
    "override-4.3.2",
    "pull-4.3.2",
    "same-group-twice-4.3.2",
    "stuck-one-4.9.8",
    "two-groups-4.3.2",
}
"""the same layout and names as in one of the rest, of another version or consumer, or another way to take the dump"""
IN_EVERY_RUN = ("stuck-one-5.3.3", "healthy-busy-4.3.2", "no-rocketmq-native-gz")


def _cases() -> list[Any]:
    """Dumps of three layouts in each run, one of each other layout in `make check`, the rest at night."""
    cases = some_later(PLAIN, lambda dump: dump.parent.name in AGAIN, name=lambda dump: dump.parent.name)
    checked = [
        pytest.param(*case.values, id=case.id, marks=case.marks or (() if case.id in IN_EVERY_RUN else CHECK))
        for case in cases
    ]
    assert {case.id for case in checked} >= {*IN_EVERY_RUN}
    return checked


@one_in_each_run(3)
@pytest.mark.parametrize("dump", _cases())
def test_numbers_and_findings_are_the_same(dump: Path, tmp_path: Path) -> None:
    done = redact_dump(dump, tmp_path / "shared.hprof")
    assert done.unread_bytes == 0
    assert done.replaced_texts > done.kept_texts / 10 > 0
    assert differences(dump, tmp_path / "shared.hprof") == []


@CHECK
def test_the_comparison_sees_another_number(tmp_path: Path) -> None:
    one, other = DUMPS[0], DUMPS[1]
    assert reported(one).heap is not None
    assert differences(one, other) != []
