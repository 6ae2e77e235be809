"""Recordings of JVMs without RocketMQ: who asks for collections, and how full direct memory is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec import structs

from mqdiag.cli import run
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.facts import Facts, RecordingsFacts
from mqdiag.facts.recordings import Pinned, Recording
from mqdiag.findings import Finding
from mqdiag.render import formats
from mqdiag.rules.catalogue import rule_files
from mqdiag.rules.engine import run_rules
from tests.folded import folded
from tests.layers import one_in_each_run

FOLDER = Path(__file__).parents[2] / "fixtures" / "recordings-plain"


def read(case: str) -> tuple[Recording, list[Finding]]:
    report = diagnose_incident([FOLDER / f"{case}.jfr.xz"]).report
    assert report.recordings is not None
    (recording,) = report.recordings.recordings
    return recording, list(report.findings)


@pytest.mark.parametrize("case", ["gc-jdk17", "gc-jdk25"])
def test_calls_of_system_gc_have_their_cost_and_their_caller(case: str) -> None:
    recording, findings = read(case)
    found = recording.collections
    assert found is not None
    assert found.asked == found.collections > 100
    assert 0 < found.asked_pause_ms <= found.pause_ms
    assert found.asked_for_direct == 0
    assert found.asked_frame is not None
    assert found.asked_frame.startswith("org.mqdiag.rig.plain.AsksForMemory.onMessage")
    assert [(one.rule, one.cause) for one in findings] == [("explicit-collections", "system-gc")]


def test_direct_memory_at_its_limit_and_the_collections_for_it() -> None:
    recording, findings = read("direct-jdk17")
    assert recording.direct_limit_bytes == 64 << 20
    assert recording.direct_bytes_last is not None
    assert 60 << 20 <= recording.direct_bytes_last <= 64 << 20
    assert recording.direct_buffers is not None
    assert recording.direct_buffers >= 60
    assert recording.collections is not None
    assert recording.collections.asked_for_direct > 0
    assert [(one.rule, one.cause) for one in findings] == [("direct-buffers", "direct-memory-near-limit")]


SHOW_ALL = ("text", "json", "html")
"""formats that have all tables"""
STRAINS = {
    "exceptions-jdk17": [("many-exceptions", "exceptions-as-control-flow")],
    "exceptions-jdk25": [("many-exceptions", "exceptions-as-control-flow")],
    "large-jdk17": [("gc-pressure", "large-objects")],
    "full-jdk17": [("gc-pressure", "garbage-collection")],
    "safepoints-jdk17": [("long-safepoints", "time-to-safepoint")],
    "loaders-jdk17": [("class-loader-leak", "many-loaders")],
    "rests-jdk17": [],
}
"""what Strains.java does to its JVM, and the healthy twin that does a little of all"""


@folded("case", STRAINS)
def test_what_strains_a_jvm_has_its_rule_and_the_twin_none(case: str) -> None:
    _, findings = read(case)
    # the JVM of safepoints-jdk17 ends by itself
    found = [(one.rule, one.cause) for one in findings if one.rule != "shutdown-requested"]
    assert found == STRAINS[case]


def test_exceptions_have_their_class_their_place_and_all_are_counted() -> None:
    """On JDK 25 at most 100 a second are written, and 870 are counted."""
    for case, written in (("exceptions-jdk17", 12_000), ("exceptions-jdk25", 1_000)):
        recording, findings = read(case)
        (error,) = recording.errors
        assert error.class_name == "java.lang.NumberFormatException"
        assert error.frame is not None
        assert error.frame.startswith("org.mqdiag.rig.plain.Strains.parse")
        assert (error.count >= written, error.thread) == (True, "main")
        assert recording.thrown == 10_800
        assert findings[0].evidence["per_second"] == pytest.approx(980, abs=2)


def test_collections_say_what_asked_for_them_and_who_makes_most_objects() -> None:
    recording, (finding,) = read("large-jdk17")
    assert recording.collections is not None
    assert recording.collections.humongous == 2390
    first = recording.allocations[0]
    assert (first.class_name, first.share > 0.99) == ("byte[]", True)
    assert str(finding.evidence["frame"]).startswith("org.mqdiag.rig.plain.Strains.readWhole")
    recording, (finding,) = read("full-jdk17")
    assert recording.collections is not None
    assert recording.collections.failed_promotions > 100
    assert finding.severity == "warning"


def test_samples_of_new_objects_stand_for_what_the_threads_made() -> None:
    """The JVM counts what each thread makes, too; the first sample stands for all since the thread began."""
    recording, _ = read("rests-jdk17")
    assert recording.allocated_bytes_per_second is not None
    counted = recording.allocated_bytes_per_second * recording.seconds
    assert sum(one.bytes for one in recording.allocations) == pytest.approx(counted, rel=0.05)
    assert recording.flags["MaxHeapSize"] == 128 << 20


def test_the_wait_for_threads_is_told_from_the_collection() -> None:
    recording, findings = read("safepoints-jdk17")
    assert recording.stops is not None
    assert recording.stops.longest_ms > 8000 > 100 > recording.pauses[-1].ms
    assert findings[0].evidence["reaching_ms"] == recording.stops.total_ms


def test_loaders_are_counted_by_class() -> None:
    recording, (finding,) = read("loaders-jdk17")
    assert recording.classes is not None
    first = recording.classes.loaders[0]
    assert first.class_name == "org.mqdiag.rig.plain.Strains$Loader"
    assert first.loaders == first.classes > 9000
    assert finding.evidence["grown_classes"] == recording.classes.last - recording.classes.first


@one_in_each_run(4)
@pytest.mark.parametrize("form", formats())
def test_no_planted_secret_is_in_a_redacted_report(form: str, capfd: pytest.CaptureFixture[str]) -> None:
    """PlantsSecrets.java has the word in names of threads, hosts and files, in messages, arguments and properties."""
    file = str(FOLDER / "secrets-jdk17.jfr.xz")
    run(["recording", file, "--format", form, "--detail", "full"])
    plain = set(re.findall(r"hush\w+", capfd.readouterr().out))
    if form in SHOW_ALL:
        assert plain == {"hushfile", "hushhost", "hushParser", "hushReply", "hushServer", "hushWriter"}
    run(["recording", file, "--format", form, "--detail", "full", "--redact"])
    out = capfd.readouterr().out
    assert "hush" not in out
    assert form not in SHOW_ALL or "CID_orders" in out


@pytest.mark.parametrize(
    ("case", "by", "cause", "method"),
    [
        ("ends-exit-jdk17", "exit", "application", "org.mqdiag.rig.plain.Ends.stop"),
        ("ends-signal-jdk17", "signal", "signal", None),
        ("ends-last-jdk25", "last-thread", "signal", None),
    ],
)
def test_who_ended_the_jvm(case: str, by: str, cause: str, method: str | None) -> None:
    recording, findings = read(case)
    assert recording.shutdown_by == by
    assert (recording.shutdown_frame or "").partition("(")[0] == (method or "")
    shown = [one for one in findings if one.rule == "shutdown-requested"]
    assert [(one.cause, one.seen_in) for one in shown] == [(cause, ("stacks",))]
    # without the thread dumps inside, the event alone
    (alone,) = found_in(Facts(recordings=RecordingsFacts(recordings=(recording,))), "shutdown-requested")
    assert (alone.cause, alone.severity) == (cause, "info")


@pytest.mark.parametrize(("total_ms", "fires"), [(19_900.0, False), (20_000.0, True)])
def test_waits_that_hold_a_carrier_all_the_time(total_ms: float, fires: bool) -> None:
    recording, _ = read("ends-exit-jdk17")
    pinned = Pinned(count=40, total_ms=total_ms, longest_ms=700.0, frame="com.acme.Stock.reserve(line 31)")
    changed = structs.replace(recording, seconds=20.0, pinned=pinned)
    found = found_in(Facts(recordings=RecordingsFacts(recordings=(changed,))), "carriers-pinned")
    assert [(one.severity, one.evidence["carriers_held"]) for one in found] == (
        [("info", 1.0)] if fires else []
    )


def found_in(facts: Facts, rule: str) -> list[Finding]:
    outcome = run_rules([file for file in rule_files() if file.name == rule], facts)
    assert outcome.failed == ()
    return list(outcome.findings)
