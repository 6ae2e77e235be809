"""A real consumer on JDK 25 that hands its calls to virtual threads, and its healthy twin."""

from __future__ import annotations

import json
from pathlib import Path

from mqdiag.diagnose.heap import diagnose_heap
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.language import english
from tests.layers import CHECK

INCIDENTS = Path(__file__).parents[2] / "fixtures" / "incidents"
STUCK, BUSY = INCIDENTS / "virtual-http-jdk25", INCIDENTS / "virtual-busy-jdk25"


@CHECK
def test_the_heap_dump_names_the_call_in_the_virtual_thread() -> None:
    report = diagnose_heap(STUCK / "java_pid.hprof.gz").report
    (finding,) = [one for one in report.findings if one.rule == "stuck-consumer-thread"]
    rows = json.loads((STUCK / "truth.json").read_text())["threads"]
    assert finding.cause == "missing-http-timeout"
    assert finding.evidence["threads"] == tuple(row["name"] for row in rows if row["truth"] == "blocked")
    assert str(finding.evidence["frame"]).startswith("com.acme.shop.UrlConnection.reserve(")
    assert str(finding.evidence["awaits"]).startswith("virtual thread #")
    assert any(
        "a virtual thread, and the worker waits for it" in english()(line) for line in finding.explanation
    )


@CHECK
def test_jstack_beside_the_heap_dump_gets_the_remedy_of_that_call() -> None:
    report = diagnose_incident([STUCK]).report
    (finding,) = [one for one in report.findings if one.rule == "stuck-wait"]
    assert "setReadTimeout" in english()(finding.then[0].text)
    assert any("UrlConnection.reserve" in english()(line) for line in finding.explanation)


@CHECK
def test_the_busy_twin_is_stuck_nowhere() -> None:
    """It has a backlog, as every call takes its time."""
    alone = diagnose_heap(BUSY / "java_pid.hprof.gz").report
    assert alone.answer is not None
    assert alone.answer.state == "healthy"
    found = {finding.rule for finding in diagnose_incident([BUSY]).report.findings}
    assert found <= {"workers-saturated", "slow-listener", "flow-control"}


def test_a_heap_dump_of_jdk_21_asks_for_the_stacks_that_it_lacks() -> None:
    report = diagnose_heap(INCIDENTS / "virtual-http-jdk21" / "java_pid.hprof.gz").report
    assert report.heap is not None
    assert report.heap.virtual_threads is not None
    assert report.heap.virtual_threads.without_stack == 1
    assert "Thread.dump_to_file" in english()(report.heap.unknown["virtual threads"])
    (finding,) = [one for one in report.findings if one.rule == "stuck-consumer-thread"]
    assert finding.evidence["awaits"] is None
    assert "Thread.dump_to_file" in english()(finding.now[0].command)
