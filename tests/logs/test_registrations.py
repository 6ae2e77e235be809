"""A broker's own registrations: what its timer does when the clock is put, and when the process stood still."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from mqdiag.diagnose.logs import diagnose_logs

BEGIN = datetime(2026, 11, 28, 17, 20)
OLD = "INFO brokerOutApi_thread_1 - register broker[0]to name server 10.0.0.9:9876 OK"
NEW = (
    "INFO brokerOutApi_thread_1 - Registering current broker to name server completed. TargetHost=10.0.0.9:9876"
)
EXPIRED = (
    "WARN ClientHousekeepingScheduledThread1 - SCAN: remove expired channel from ConsumerManager consumerTable."
    " channel=10.0.0.7:57894, consumerGroup=CID_orders"
)


@pytest.mark.parametrize("line", [OLD, NEW], ids=["4.x", "5.x"])
@pytest.mark.parametrize(
    ("registered_s", "expired_s", "told"),
    [
        ([0, 30, 60, 390, 420, 450], 388, True),
        ([0, 30, 60, 390, 390, 390, 391, 420, 450], 388, False),
        ([0, 30, 60, 390, 420, 450], 180, False),
        ([0, 30, 60, 390, 420, 450], None, False),
        ([0, 30, 60, 390], 388, False),
        ([0, 30, 60, 90, 120, 150], 100, False),
    ],
    ids=["clock-put", "stood-still", "clients-before", "lines-cut-out", "no-later-turn", "no-gap"],
)
def test_a_timer_that_makes_up_for_nothing_tells_that_the_clock_was_put(
    registered_s: list[int], expired_s: int | None, told: bool, line: str, tmp_path: Path
) -> None:
    lines = [(second, line) for second in registered_s]
    lines += [] if expired_s is None else [(expired_s, EXPIRED)]
    log = tmp_path / "broker.log"
    log.write_text(
        "".join(
            f"{BEGIN + timedelta(seconds=second):%Y-%m-%d %H:%M:%S} {text}\n" for second, text in sorted(lines)
        )
    )
    found = [one for one in diagnose_logs([log]).report.findings if one.rule == "clock-jumped"]
    assert [(one.cause, one.evidence["jump_ms"]) for one in found] == ([("forward", 300_000)] if told else [])
