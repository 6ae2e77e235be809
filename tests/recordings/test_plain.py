"""Recordings of JVMs without RocketMQ: who asks for collections, and how full direct memory is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mqdiag.cli import run
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.facts.recordings import Recording
from mqdiag.findings import Finding

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


@pytest.mark.parametrize("form", ["text", "json", "html"])
def test_no_planted_secret_is_in_a_redacted_report(form: str, capfd: pytest.CaptureFixture[str]) -> None:
    """PlantsSecrets.java has the word in names of threads, hosts and files, in messages, arguments and properties."""
    file = str(FOLDER / "secrets-jdk17.jfr.xz")
    run(["recording", file, "--format", form, "--detail", "full"])
    plain = set(re.findall(r"hush\w+", capfd.readouterr().out))
    assert plain == {"hushfile", "hushhost", "hushReply", "hushServer", "hushWriter"}
    run(["recording", file, "--format", form, "--detail", "full", "--redact"])
    out = capfd.readouterr().out
    assert "CID_orders" in out
    assert "hush" not in out
