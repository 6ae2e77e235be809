"""flow-control: one finding for each group and reason, with the queues, from a heap, from logs, and from both."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.findings import Finding, Report, Severity
from mqdiag.language import english
from mqdiag.text import Text
from tests.layers import one_in_each_run

FIXTURES = Path(__file__).parents[2] / "fixtures"


def written(texts: tuple[Text, ...]) -> list[str]:
    return [english()(text) for text in texts]


def of_rule(report: Report) -> list[Finding]:
    return [found for found in report.findings if found.rule == "flow-control"]


def test_logs_of_many_groups_give_one_finding_for_each_group_and_reason() -> None:
    folder = FIXTURES / "logs" / "client-flow-control-5.3.3"
    found = of_rule(diagnose_logs(sorted(folder.rglob("*.gz"))).report)
    assert len({(one.subject.group, one.cause) for one in found}) == len(found)


def test_the_queues_of_a_group_are_named_in_its_one_finding() -> None:
    (path,) = (FIXTURES / "logs" / "client-flow-control-5.3.3" / "count").glob("*.gz")
    (finding,) = of_rule(diagnose_logs([path]).report)
    assert finding.evidence["lines"] == 14
    assert finding.evidence["queues"] == 4
    (queues,) = (line for line in written(finding.explanation) if "name these queues most" in line)
    assert "topic orders broker broker-a queue 0 (5)" in queues
    assert "group" not in queues, "the finding names it"


@one_in_each_run(2)
@pytest.mark.parametrize("case", ["busy-http", "stuck-http"])
def test_the_heap_and_the_log_of_one_client_say_it_once(case: str) -> None:
    folder = FIXTURES / "incidents" / case
    both = of_rule(diagnose_incident([folder]).report)
    logs = of_rule(diagnose_incident([folder / "rocketmq_client.log"]).report)
    (heap,) = of_rule(diagnose_incident([folder / "java_pid.hprof.gz"]).report)
    assert [one.fingerprint for one in both] == [one.fingerprint for one in logs]
    count = next(one for one in both if one.cause == "count")
    assert count.evidence["queueFlowControlTimes"] == heap.evidence["queueFlowControlTimes"]
    assert set(count.seen_in) == {"heap", "logs"}
    assert english()(count.title).endswith("by count")
    if case == "stuck-http":
        span = next(one for one in both if one.cause == "span")
        assert span.evidence["times"] == heap.evidence["queueMaxSpanFlowControlTimes"]
        assert "queueFlowControlTimes" not in span.evidence


def test_another_groups_log_leaves_the_heap_its_finding() -> None:
    heap = FIXTURES / "incidents" / "busy-http" / "java_pid.hprof.gz"
    log = FIXTURES / "logs" / "client-flow-control-5.3.3" / "count"
    found = of_rule(diagnose_incident([heap, log]).report)
    assert {(one.subject.group, one.cause) for one in found} == {
        ("CID_busy-http", "count-or-size"),
        ("CID_count", "count"),
    }


@pytest.mark.parametrize("reason", ["count", "span"])
def test_a_log_that_ends_while_the_cache_is_full_gives_no_all_clear(reason: str) -> None:
    log = FIXTURES / "logs" / "client-flow-control-4.9.7" / reason / "rocketmq_client.log.gz"
    report = diagnose_logs([log]).report
    (found,) = of_rule(report)
    assert report.answer.state == "undecided"
    assert found.severity is Severity.INFO
    assert "in all 11" in english()(found.title)


def test_a_full_cache_that_the_log_outlives_was_a_burst(tmp_path: Path) -> None:
    log = FIXTURES / "logs" / "client-flow-control-4.9.7" / "count" / "rocketmq_client.log.gz"
    longer = tmp_path / "rocketmq_client.log"
    lines = gzip.decompress(log.read_bytes())
    longer.write_bytes(lines + lines.splitlines(keepends=True)[-1].replace(b"12:34:", b"12:44:"))
    report = diagnose_logs([longer]).report
    assert [found.undecides for found in of_rule(report)] == [False]


def test_a_full_cache_that_the_next_file_of_the_log_outlives_was_a_burst(tmp_path: Path) -> None:
    log = FIXTURES / "logs" / "client-flow-control-4.9.7" / "count" / "rocketmq_client.log.gz"
    lines = gzip.decompress(log.read_bytes())
    rotated, newest = tmp_path / "rocketmq_client.1.log", tmp_path / "rocketmq_client.log"
    rotated.write_bytes(lines)
    newest.write_bytes(lines.splitlines(keepends=True)[-1].replace(b"12:34:", b"12:44:"))
    report = diagnose_logs([rotated, newest]).report
    assert [found.undecides for found in of_rule(report)] == [False]


def test_a_log_beside_thread_dumps_leaves_the_answer_to_them() -> None:
    report = diagnose_incident([FIXTURES / "incidents" / "busy-http"]).report
    assert not any(found.undecides for found in of_rule(report))
