"""Threads of an application that have the names of RocketMQ's or the JVM's own: a name alone accuses nobody."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.findings import Severity

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.mark.parametrize("name", ["RebalanceService", "SIGTERM handler", "SIGHUP handler"])
def test_a_thread_of_the_application(name: str, tmp_path: Path) -> None:
    with tarfile.open(FIXTURES / "stacks" / "idle" / "series.tar.gz") as tar:
        tar.extractall(tmp_path, filter="data")
    samples = sorted(tmp_path.rglob("j*.log"))
    for sample in samples:
        text = sample.read_text()
        assert '"main" ' in text
        sample.write_text(text.replace('"main" ', f'"{name}" '))
    report = diagnose_stacks(samples).report
    assert [found.rule for found in report.findings if found.severity is not Severity.INFO] == []
    assert report.answer is not None
    assert report.answer.state == "healthy"
