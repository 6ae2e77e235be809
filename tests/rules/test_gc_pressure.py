"""gc-pressure: what the processor times of the JVM's own threads tell of pauses."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.findings import Finding
from mqdiag.rules import gc_pressure
from tests.rules import checks
from tests.rules.examples import example_of
from tests.threads.made import HTTP, TAKE, At, dump
from tests.threads.real_series import CASES


def found(
    folder: Path, collector: str, busy_ms: float, others_ms: float, frames: tuple[str, ...]
) -> list[Finding]:
    """In a series of ten seconds."""
    text = []
    for sample in range(5):
        threads = [
            At("ConsumeMessageThread_CID_1", 30, frames, cpu=1.0 + others_ms * sample / 4),
            At(collector, 0, (), "", 1.0 + busy_ms * sample / 4),
        ]
        text.append(dump(threads, 2.5 * sample))
    (folder / "series.log").write_text("\n".join(text))
    findings = diagnose_stacks([folder / "series.log"]).report.findings
    return [one for one in findings if one.rule == "gc-pressure"]


@pytest.mark.parametrize(
    ("collector", "busy_ms", "others_ms", "confidence"),
    [
        ("GC Thread#0", 6_000.0, 9_000.0, ["high"]),
        ("GC task thread#1 (ParallelGC)", 6_000.0, 9_000.0, ["high"]),
        ("GC Thread#0", 2_000.0, 1_900.0, ["medium"]),
        ("GC Thread#0", 2_000.0, 2_100.0, []),
        ("GC Thread#0", 900.0, 100.0, []),
        # it works beside the application
        ("ZWorkerYoung#0", 9_000.0, 100.0, []),
    ],
)
def test_processor_time_of_the_collector(
    tmp_path: Path, collector: str, busy_ms: float, others_ms: float, confidence: list[str]
) -> None:
    assert [one.confidence for one in found(tmp_path, collector, busy_ms, others_ms, HTTP)] == confidence


def test_an_idle_consumer_is_not_slowed(tmp_path: Path) -> None:
    assert not found(tmp_path, "GC Thread#0", 6_000.0, 100.0, TAKE)


@pytest.mark.parametrize(("case", "times"), [("gc-progressing", 1), ("allocation-progressing", 0)])
def test_a_heap_that_is_nearly_full_and_one_with_room(case: str, times: int) -> None:
    """Serial, whose collector is the thread of the VM."""
    findings = diagnose_stacks([CASES / case / "series.tar.gz"]).report.findings
    assert [one.rule for one in findings].count("gc-pressure") == times


def test_one_pause_in_a_short_series_is_no_pressure() -> None:
    facts = example_of(gc_pressure).fires()
    assert facts.stacks is not None
    assert facts.stacks.collector is not None
    load = msgspec.structs.replace(facts.stacks.collector, collector_cpu_ms=900.0, seconds=1.5)
    short = msgspec.structs.replace(facts, stacks=msgspec.structs.replace(facts.stacks, collector=load))
    assert not checks.findings(gc_pressure, short)
    assert checks.findings(gc_pressure, short, min_seconds=1.0)


def test_other_threads_of_the_jvm_are_not_the_application(tmp_path: Path) -> None:
    """The concurrent marking of G1 is work of the collector too."""
    text = []
    for sample in range(5):
        threads = [
            At("ConsumeMessageThread_CID_1", 30, HTTP, cpu=1.0 + 100.0 * sample),
            At("GC Thread#0", 0, (), "", 1.0 + 500.0 * sample),
            At("G1 Conc#0", 1, (), "", 1.0 + 900.0 * sample),
        ]
        text.append(dump(threads, 2.5 * sample))
    (tmp_path / "series.log").write_text("\n".join(text))
    facts = diagnose_stacks([tmp_path / "series.log"]).report.stacks
    assert facts is not None
    assert facts.collector is not None
    assert facts.collector.others_cpu_ms == 400.0
