"""Incidents of real brokers, put together from logs, store folders and thread dumps of the same runs."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.facts.verdict import Verdict
from mqdiag.findings import Report
from mqdiag.language import english
from mqdiag.text import Text
from tests.layers import one_in_each_run

FIXTURES = Path(__file__).parents[2] / "fixtures"


def verdict_of(report: Report) -> Verdict:
    assert report.verdict is not None
    return report.verdict


def written(lines: tuple[Text, ...]) -> list[str]:
    return [english()(line) for line in lines]


def chain(report: Report) -> list[str]:
    rules = {finding.fingerprint: finding.rule for finding in report.findings}
    return [rules[step.fingerprint] for step in verdict_of(report).chain]


def test_a_power_loss_is_followed_from_the_slave_to_what_is_consumed_again(tmp_path: Path) -> None:
    with tarfile.open(FIXTURES / "stores" / "power-loss-4.3.2" / "tail-lost.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    report = diagnose_incident([tmp_path, FIXTURES / "logs" / "power-loss-4.3.2"]).report
    rules = chain(report)
    assert rules[0] == "slave-behind"
    assert rules.index("offset-ahead-of-store") < rules.index("offset-reset-to-zero")
    verdict = verdict_of(report)
    assert "and after the restart consume offsets are set back to 0" in english()(verdict.statement)
    assert any("once more" in line for line in written(verdict.consequences))
    assert any("store folder" in line for line in written(verdict.read_evidence))


def test_store_folders_are_read_inside_archives() -> None:
    report = diagnose_incident([FIXTURES / "stores" / "power-loss-4.3.2" / "tail-lost.tar.gz"]).report
    assert chain(report)[0] == "offset-ahead-of-store"


def test_logs_and_thread_dumps_of_a_broker_make_one_chain() -> None:
    name = "put-lock-held-4.9.7"
    report = diagnose_incident([FIXTURES / "logs" / name, FIXTURES / "stacks" / f"broker-{name}"]).report
    rules = chain(report)
    assert rules[0] == "broker-send-blocked"
    assert "send-busy" in rules
    first, *rest = verdict_of(report).chain
    assert first.seen_in == ("stacks",)
    assert {kind for step in rest for kind in step.seen_in} == {"logs"}


def test_an_error_of_the_application_makes_a_healthy_broker_undecided(tmp_path: Path) -> None:
    log = tmp_path / "application.log"
    log.write_text(
        "2026-11-21 12:46:35.228 ERROR [main] com.acme.shop.OrderEvents - order event order-1 was not sent\n"
    )
    answer = diagnose_incident([FIXTURES / "logs" / "healthy-4.9.7", log]).report.answer
    assert answer.state == "undecided"
    assert "OrderEvents - order event order-1 was not sent" in english()(answer.seen[0].text)
    assert (answer.seen[0].path, answer.seen[0].line) == (str(log), 1)


@one_in_each_run(3)
@pytest.mark.parametrize("version", ["4.3.2", "4.9.7", "5.3.3"])
def test_healthy_brokers_and_clients_are_said_to_be(version: str) -> None:
    report = diagnose_incident([FIXTURES / "logs" / f"healthy-{version}"]).report
    assert report.answer.state == "healthy", report.answer
    assert english()(report.answer.text).startswith("No fault found in ")
    assert any("line" in line for line in written(verdict_of(report).read_evidence))


def test_a_healthy_broker_with_its_threads_is_too() -> None:
    healthy = [FIXTURES / "logs" / "healthy-5.3.3", FIXTURES / "stacks" / "broker-healthy-5.3.3"]
    assert diagnose_incident(healthy).report.answer.state == "healthy"


@pytest.mark.parametrize("version", ["4.3.2", "4.9.7", "5.3.3"])
def test_output_of_mqadmin_is_evidence(version: str) -> None:
    report = diagnose_incident([FIXTURES / "admin" / version]).report
    assert any(given.kind == "admin" and given.error is None for given in report.inputs)
    assert report.logs is None
    verdict = verdict_of(report)
    assert any("mqadmin" in line for line in written(verdict.read_evidence))
    assert all("mqadmin" not in english()(missing.what) for missing in verdict.missing_evidence)
