"""Calls by peer and waits for locks of flight recordings, as tables of a fleet."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.fleet.tables.arrow import parquet
from mqdiag.fleet.work.rows import Rows, report_rows
from mqdiag.redact.report import redact_report

FIXTURES = Path(__file__).parents[2] / "fixtures"


def rows_of(file: str, *, redact: bool = False) -> Rows:
    report = diagnose_incident([FIXTURES / file]).report
    return report_rows(redact_report(report) if redact else report, classes=1)


def test_peers_and_locks_of_a_recording_come_back_from_parquet(tmp_path: Path) -> None:
    rows = rows_of("recordings/lock-bound-jdk17/recording.jfr.xz")
    for table in ("recording_peers", "recording_locks"):
        (tmp_path / table).write_bytes(parquet(table, rows[table]))
    (peer,) = [
        row for row in pq.read_table(tmp_path / "recording_peers").to_pylist() if row["kind"] == "socket-read"
    ]
    assert (peer["peer"], peer["consumer_groups"]) == ("localhost", ["CID_lock-bound-jdk17"])
    assert 0 < peer["p50_ms"] <= peer["p99_ms"] <= peer["longest_ms"] <= peer["total_ms"]
    assert isinstance(peer["longest_at"], datetime)
    assert peer["longest_at"].replace(tzinfo=UTC).year >= 2026
    lock = pq.read_table(tmp_path / "recording_locks").to_pylist()[0]
    assert (lock["kind"], lock["class_name"]) == ("monitor", "com.acme.shop.Convoy$StockLedger")
    assert lock["waits"] > 50 > lock["threads"] > 5
    assert lock["recorded_seconds"] > 20


def test_no_planted_secret_is_in_redacted_tables() -> None:
    """PlantsSecrets.java has the word in names of threads, hosts and files."""
    for redact in (False, True):
        rows = rows_of("recordings-plain/secrets-jdk17.jfr.xz", redact=redact)
        own = {table: rows[table] for table in ("recording_peers", "recording_locks", "findings", "threads")}
        assert rows["recording_peers"]
        assert ("hush" in json.dumps(own, default=str)) is not redact
