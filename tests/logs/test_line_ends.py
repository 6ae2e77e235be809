"""Logs whose line ends were lost: CR alone is an end, and where there is none no all-clear rests on the text."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.logs import diagnose_logs

THROWN = "2026-11-21 20:01:{second:02d},123 ERROR main - java.lang.OutOfMemoryError: Java heap space"


@pytest.mark.parametrize("end", ["\n", "\r"])
def test_cr_alone_ends_a_line(end: str, tmp_path: Path) -> None:
    path = tmp_path / "rocketmq_client.log"
    path.write_bytes("".join(THROWN.format(second=second) + end for second in range(40)).encode())
    report = diagnose_logs([path]).report
    assert report.logs is not None
    assert (report.logs.lines, report.answer.state) == (40, "fault")


def test_a_log_in_one_line_is_undecided(tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    line = "2026-11-21 20:00:01,123 INFO  main - order is booked "
    path.write_text(line * 400)
    answer = diagnose_logs([path]).report.answer
    assert answer.state == "undecided"
    assert "has lost its line ends" in str(answer.reason)


@pytest.mark.parametrize("records", [1, 400])
def test_a_long_record_in_json_has_lost_no_line_ends(records: int, tmp_path: Path) -> None:
    """Records one after the other without any are undecided all the same."""
    path = tmp_path / "app.log"
    head = '{"time": "2026-11-21T20:00:01Z", "level": "INFO", "logger": "a.b.C", "message": "'
    path.write_text((head + "order is booked " * (9000 // records) + '"}') * records)
    answer = diagnose_logs([path]).report.answer
    assert answer.state == "undecided"
    assert "has lost its line ends" not in str(answer.reason)
