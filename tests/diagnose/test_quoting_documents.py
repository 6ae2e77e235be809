"""Tickets and runbooks beside the logs of an incident quote those of other ones."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.findings import Confidence, Severity

LOG = Path(__file__).parents[2] / "fixtures/incidents/healthy-5.3.3/broker/broker.log.gz"
RUNBOOK = """\
Runbook

If the broker says

    java.io.IOException: No space left on device

then call the storage team. If it says

    java.lang.OutOfMemoryError: Java heap space

give it more memory.
"""
TICKET = """\
# Billing

We met this in March at the billing cluster, and closed it after the disks were exchanged.
Nothing of it concerns the shop. Please compare only.
The service was started again by the team that has the night.

2026-03-01 10:00:00,123 ERROR [main] com.billing.Main - failed
java.lang.OutOfMemoryError: Java heap space
\tat com.billing.Main.load(Main.java:10)
"""
CHINESE = """\
故障处理手册

如果代理日志中出现下面这一行，请联系存储团队处理：

    java.io.IOException: No space left on device

然后检查磁盘的剩余空间，必要时清理过期的文件。
如果看到下面这一行，请给进程更多的内存。

    java.lang.OutOfMemoryError: Java heap space
"""
OUTPUT = """\
Waiting for messages of orders.
Connected to the name server at 10.0.0.1:9876
Exception in thread "main" java.lang.OutOfMemoryError: Java heap space
\tat com.acme.Orders.load(Orders.java:10)
"""


def errors(paths: list[Path]) -> list[str]:
    return [one.rule for one in diagnose_incident(paths).report.findings if one.severity is Severity.ERROR]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("runbook.txt", RUNBOOK),
        ("about-logs.txt", RUNBOOK),
        ("ticket.md", TICKET),
        ("故障处理手册.txt", CHINESE),
    ],
)
def test_what_a_document_quotes_is_no_error(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "broker.log").write_bytes(gzip.decompress(LOG.read_bytes()))
    (tmp_path / name).write_text(text)
    report = diagnose_incident([tmp_path]).report
    told = [one for one in report.findings if one.rule in ("out-of-memory-thread", "disk-full")]
    assert told
    assert all(one.severity is Severity.WARNING and one.confidence is Confidence.LOW for one in told)
    assert errors([tmp_path / name]), "a user who names it means it"


@pytest.mark.parametrize("name", ["output.txt", "console.txt", "app.txt"])
def test_what_a_program_prints_is_one(name: str, tmp_path: Path) -> None:
    (tmp_path / "broker.log").write_bytes(gzip.decompress(LOG.read_bytes()))
    (tmp_path / name).write_text(OUTPUT)
    assert errors([tmp_path]) == ["out-of-memory-thread"]
