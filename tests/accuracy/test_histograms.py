"""Counts and sizes equal the JVM's own, for every dump that has a histogram beside it."""

from __future__ import annotations

import pytest

from mqdiag.graph import open_heap
from tests.accuracy.histograms import HEAPS, cases, compare
from tests.accuracy.whole_histogram import compare_whole
from tests.layers import one_in, one_in_each_run

# `Class.enumConstants` keeps the array that `values()` made, and HotSpot writes no fields of class objects: in a dump
# taken without a collection such an array looks like garbage.
HELD_BY_CLASS_FIELDS = {
    "healthy-busy-4.3.2-not-live": {
        "org.apache.rocketmq.remoting.protocol.LanguageCode[]": (2, 3),
        "org.apache.rocketmq.remoting.protocol.SerializeType[]": (2, 3),
    }
}


@one_in_each_run(6)
@pytest.mark.parametrize("case", cases())
def test_class_counts_and_shallow_sizes_equal_the_jvms(case: str) -> None:
    found = compare(case)
    assert found.source == "gaps"
    assert found.classes > 90
    assert found.wrong_counts == HELD_BY_CLASS_FIELDS.get(case, {})
    assert found.wrong_bytes == {}


# A single instance before a filler of 8 bytes, which only compact headers allow, looks 8 bytes too large.
BEFORE_A_FILLER = {"healthy-busy-4.3.2-compact-headers": {"java.util.logging.LogManager$Cleaner"}}


@pytest.mark.parametrize("case", one_in(5, cases()))
def test_every_class_of_the_jdk_too_has_the_jvms_size(case: str) -> None:
    """Class objects with their statics and padded classes of one instance included."""
    found = compare_whole(case, open_heap(str(HEAPS / case / "dump.hprof.gz")))
    assert found is not None
    assert found.classes > 350
    assert set(found.wrong) == BEFORE_A_FILLER.get(case, set())


JDK8 = HEAPS.parent / "heap-jdk8"
# An old layout puts a hole before the fields of a subclass. No distance shows it where CMS gives 24 bytes for 16, or
# where a lone instance stands before free memory.
BEHIND_A_HOLE = {
    "cms-live": {"Sizes$Flags"},
    "cms-not-live": {"Sizes$Flags", "java.lang.ref.Finalizer$FinalizerThread"},
}


@pytest.mark.parametrize("case", sorted(folder.name for folder in JDK8.iterdir()))
def test_every_class_of_jdk_8_has_the_jvms_size(case: str) -> None:
    """Under CMS too, whose blocks have 24 bytes at least; class objects have a lock that later JDKs name otherwise."""
    found = compare_whole(JDK8 / case, open_heap(str(JDK8 / case / "dump.hprof.gz")))
    assert found is not None
    assert found.classes > 190
    assert set(found.wrong) == BEHIND_A_HOLE.get(case, set())


def test_there_are_dumps_of_every_kind_of_layout() -> None:
    """Compressed references, wide ones, compact headers, ZGC, a parallel dump: each kind sizes objects differently."""
    kinds = ("no-compressed-oops", "compact-headers", "zgc", "parallel-dump", "not-live")
    assert [kind for kind in kinds if not any(case.endswith(kind) for case in cases())] == []
