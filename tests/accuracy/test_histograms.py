"""Counts and sizes equal the JVM's own, for every dump that has a histogram beside it."""

from __future__ import annotations

import pytest

from tests.accuracy.histograms import cases, compare

# `MQVersion.values()` clones its array; in a dump taken without a collection the clones are still there.
GARBAGE = {"healthy-busy-4.9.8-not-live": {"org.apache.rocketmq.common.MQVersion$Version[]"}}


@pytest.mark.parametrize("case", cases())
def test_class_counts_and_shallow_sizes_equal_the_jvms(case: str) -> None:
    found = compare(case)
    assert found.source == "gaps"
    assert found.classes > 90
    assert set(found.wrong_counts) == GARBAGE.get(case, set())
    assert found.wrong_bytes == {}


def test_there_are_dumps_of_every_kind_of_layout() -> None:
    """Compressed references, wide ones, compact headers, ZGC, a parallel dump: each kind sizes objects differently."""
    kinds = ("no-compressed-oops", "compact-headers", "zgc", "parallel-dump", "native-gz", "not-live")
    assert [kind for kind in kinds if not any(case.endswith(kind) for case in cases())] == []
