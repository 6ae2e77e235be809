"""Counts and sizes equal the JVM's own, for every dump that has a histogram beside it."""

from __future__ import annotations

import pytest

from tests.accuracy.histograms import cases, compare

# `Class.enumConstants` keeps the array that `values()` made, and HotSpot writes no fields of class objects: in a dump
# taken without a collection such an array looks like garbage.
HELD_BY_CLASS_FIELDS = {
    "healthy-busy-4.3.2-not-live": {
        "org.apache.rocketmq.remoting.protocol.LanguageCode[]": (2, 3),
        "org.apache.rocketmq.remoting.protocol.SerializeType[]": (2, 3),
    }
}


@pytest.mark.parametrize("case", cases())
def test_class_counts_and_shallow_sizes_equal_the_jvms(case: str) -> None:
    found = compare(case)
    assert found.source == "gaps"
    assert found.classes > 90
    assert found.wrong_counts == HELD_BY_CLASS_FIELDS.get(case, {})
    assert found.wrong_bytes == {}


def test_there_are_dumps_of_every_kind_of_layout() -> None:
    """Compressed references, wide ones, compact headers, ZGC, a parallel dump: each kind sizes objects differently."""
    kinds = ("no-compressed-oops", "compact-headers", "zgc", "parallel-dump", "not-live")
    assert [kind for kind in kinds if not any(case.endswith(kind) for case in cases())] == []
