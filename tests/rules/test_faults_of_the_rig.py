"""Rules whose dumps are too big to be kept, on the facts that were read of them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.findings import Severity

REPORTS = Path(__file__).parents[2] / "fixtures" / "reports" / "faulty-4.9.7"


@pytest.mark.parametrize(
    ("name", "rule", "key", "value"),
    [
        ("requests", "request-futures-leak", "overdue", 300),
        ("twice", "duplicate-client-id", "client_id", "127.0.0.1@shop"),
        ("broker", "broker-heap-growth", "entries", 300_002),
    ],
)
def test_the_facts_of_a_real_dump_give_the_finding(
    name: str, rule: str, key: str, value: object, tmp_path: Path
) -> None:
    saved = tmp_path / f"{name}.json"
    saved.write_bytes(gzip.decompress((REPORTS / f"{name}.json.gz").read_bytes()))
    report = diagnose_incident([saved]).report
    assert [given.error for given in report.inputs] == [None]
    found = {finding.rule: finding for finding in report.findings if finding.severity is not Severity.INFO}
    assert {rule: one.evidence[key] for rule, one in found.items()} == {rule: value}
