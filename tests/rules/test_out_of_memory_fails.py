"""A dump of a JVM that ran out of memory never ends with exit code 0, whatever the rules find in it."""

from __future__ import annotations

import msgspec
import pytest

from mqdiag.config import Settings
from mqdiag.diagnose.judge import judge
from mqdiag.facts import Facts, Input
from mqdiag.facts.heap_classes import Suspect
from mqdiag.facts.heap_threads import HeapThread
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.fail_on import FailOn
from mqdiag.findings import Finding
from mqdiag.rules import heap_held_by_application
from tests.folded import folded
from tests.layers import one_in_each_run
from tests.rules.checks import heap_of, said, with_heap
from tests.rules.examples import example_of

MIB = 1 << 20
FIELD = heap_of(example_of(heap_held_by_application).fires()).suspects[0]
EVEN = {"even": True, "entries": 60, "entry_classes": ("com.acme.Bean: 60",), "largest_entry_share": 0.02}
SOFT = {"entries": 9, "entry_classes": ("java.lang.ref.SoftReference: 9",), "largest_entry_share": 0.2}


@one_in_each_run(3)
@pytest.mark.parametrize("share", [0.95, 0.5, 0.31, 0.29, 0.01])
@pytest.mark.parametrize("how", [{}, EVEN, SOFT, {"owner": "rocketmq"}, {"owner": "jdk"}], ids=repr)
@pytest.mark.parametrize("reachable", [30 * MIB, 900 * MIB])
def test_the_run_fails(share: float, how: dict[str, object], reachable: int) -> None:
    suspect: Suspect = msgspec.structs.replace(FIELD, retained_bytes=int(share * reachable), share=share, **how)
    frames = (
        "java.lang.OutOfMemoryError.<init>(OutOfMemoryError.java:48)",
        "com.acme.Import.run(Import.java:9)",
    )
    thread = HeapThread(name="main", role="other", hit_out_of_memory=True, frames=frames)
    facts = with_heap(
        example_of(heap_held_by_application).fires(),
        suspects=(suspect,),
        shallow_bytes=reachable,
        heap_bytes=reachable + 4 * MIB,
        threads=(thread,),
        out_of_memory=True,
    )
    assert FailOn().fails(judge(facts, Settings()).report)


def at_error(
    frame: str,
    *,
    used: int,
    limit: int | None,
    complete: bool = True,
    source: str | None = "max-memory-static",
) -> Facts:
    """A dump of an OutOfMemoryError in a frame, whose largest holder has 90 % of the objects in use."""
    suspect = msgspec.structs.replace(FIELD, retained_bytes=used * 9 // 10, share=0.9)
    frames = ("java.lang.OutOfMemoryError.<init>(OutOfMemoryError.java:48)", frame)
    facts = with_heap(
        example_of(heap_held_by_application).fires(),
        suspects=(suspect,),
        shallow_bytes=used,
        heap_bytes=limit,
        heap_bytes_source=source,
        threads=(HeapThread(name="main", role="other", hit_out_of_memory=True, frames=frames),),
        out_of_memory=True,
    )
    given = Input(path="d.hprof", kind="heap", format="hprof", complete=complete)
    return msgspec.structs.replace(facts, inputs=(given,))


def error_of(facts: Facts) -> Finding:
    """What is said of the thread."""
    found = judge(facts, Settings()).report.findings
    return next(one for one in found if one.rule == "out-of-memory-thread" and one.evidence.get("frame"))


@folded(
    "frame, used, complete, rule, cause",
    [
        ("com.acme.Import.run(Import.java:9)", 600, True, "heap-held-by-application", "not-rocketmq"),
        ("com.acme.Import.run(Import.java:9)", 400, True, "out-of-memory-thread", "large-allocation"),
        ("com.acme.Import.run(Import.java:9)", 400, False, "heap-held-by-application", "not-rocketmq"),
        (
            "java.lang.ClassLoader.defineClass1(Native Method)",
            400,
            True,
            "out-of-memory-thread",
            "class-memory",
        ),
        (
            "java.lang.ClassLoader.defineClass1(Native Method)",
            600,
            True,
            "heap-held-by-application",
            "not-rocketmq",
        ),
    ],
)
def test_the_memory_that_ran_out(frame: str, used: int, complete: bool, rule: str, cause: str) -> None:
    report = judge(at_error(frame, used=used * MIB, limit=1000 * MIB, complete=complete), Settings()).report
    first = report.findings[0]
    assert (first.rule, first.cause, first.severity.value) == (rule, cause, "error")
    error = next(one for one in report.findings if one.rule == "out-of-memory-thread")
    assert bool(error.caused_by) == (cause == "not-rocketmq")


def test_a_log_that_names_an_array_that_is_too_long_clears_the_heap() -> None:
    facts = at_error("com.acme.Import.run(Import.java:9)", used=300 * MIB, limit=None, source=None)
    events = (LogEvent(kind="array-too-long", count=1),)
    for more, cause in (
        ((), "large-allocation"),
        ((LogEvent(kind="out-of-memory", count=1),), "out-of-memory"),
        ((LogEvent(kind="out-of-class-memory", count=1),), "out-of-memory"),
        ((LogEvent(kind="out-of-direct-memory", count=1),), "out-of-memory"),
    ):
        beside = msgspec.structs.replace(facts, logs=msgspec.structs.replace(LogsFacts(), events=events + more))
        error = error_of(beside)
        assert error.cause == cause
        assert ("more heap does not help" in said(error)) is (cause == "large-allocation")


@pytest.mark.parametrize(("used", "cause"), [(880, "large-allocation"), (950, "out-of-memory")])
def test_a_log_that_names_an_array_does_not_clear_a_full_heap(used: int, cause: str) -> None:
    facts = at_error("com.acme.Import.run(Import.java:9)", used=used * MIB, limit=1000 * MIB)
    logs = msgspec.structs.replace(LogsFacts(), events=(LogEvent(kind="array-too-long", count=1),))
    assert error_of(msgspec.structs.replace(facts, logs=logs)).cause == cause


@pytest.mark.parametrize(("large", "cause"), [(150, "out-of-memory"), (50, "large-allocation")])
def test_memory_that_is_free_in_pieces_is_no_room_for_an_array(large: int, cause: str) -> None:
    facts = at_error("com.acme.Import.run(Import.java:9)", used=400 * MIB, limit=1000 * MIB)
    facts = with_heap(facts, large_objects=90, large_object_bytes=large * MIB)
    error = error_of(facts)
    assert error.cause == cause
    assert "If the collector was G1" in said(error)
    assert "because the heap was full" not in said(error)


def test_a_given_limit_may_be_too_large() -> None:
    facts = at_error("com.acme.Import.run(Import.java:9)", used=400 * MIB, limit=1000 * MIB, source="option")
    assert judge(facts, Settings()).report.findings[0].rule == "heap-held-by-application"


def test_an_error_in_a_full_heap_names_the_largest_holders() -> None:
    shares = {"A": 0.14, "B": 0.2, "C": 0.17, "D": 0.12}
    suspects = tuple(
        msgspec.structs.replace(
            FIELD, label=f"com.acme.{name}.all", object_id=f"0x{name}", retained_bytes=int(share * 900 * MIB)
        )
        for name, share in shares.items()
    )
    facts = at_error("com.acme.Import.run(Import.java:9)", used=900 * MIB, limit=1000 * MIB)
    report = judge(with_heap(facts, suspects=suspects), Settings()).report
    (finding,) = [one for one in report.findings if one.rule == "out-of-memory-thread"]
    told = said(finding)
    assert "com.acme.B.all (180 MiB), com.acme.C.all (153 MiB) and com.acme.A.all (126 MiB)" in told
    assert " 0xB` shows the largest holder" in told
