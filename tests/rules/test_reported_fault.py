"""What RocketMQ itself reports, in logs as it writes them and in those that an application writes too."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.findings import Confidence

CALM = "2026-03-02 10:{minute:02}:00 INFO BrokerControllerScheduledThread1 - dispatch behind commit log 0 bytes"
LOUD = "2026-03-02 10:{minute:02}:30 {level} NettyServerCodecThread_3 - {text}"
IN_APPLICATION = "2026-03-02 10:{minute:02}:30.000 {level:5} [main] {logger} - {text}"
TLS = "Clients intend to establish an SSL connection while this server is running in SSL disabled mode"
ROCKSDB = "load topic config from json file error, startup will exit"


def reported(
    path: Path, *lines: str, calm_line: str = CALM, calm_lines: int = 30
) -> list[tuple[str, Confidence]]:
    calm = [calm_line.format(minute=minute) for minute in range(calm_lines)]
    path.write_text("\n".join(sorted([*calm, *lines])) + "\n")
    found = diagnose_logs([str(path)]).report.findings
    return [(one.cause, one.confidence) for one in found if one.rule == "reported-fault"]


@pytest.mark.parametrize(
    ("level", "text", "times", "told"),
    [
        ("WARN", TLS, 2, []),
        ("WARN", TLS, 3, [("tls-mode", Confidence.LOW)]),
        ("ERROR", ROCKSDB, 2, []),
        ("ERROR", ROCKSDB, 3, [("rocksdb", Confidence.MEDIUM)]),
    ],
)
def test_what_comes_again_is_told(
    tmp_path: Path, level: str, text: str, times: int, told: list[tuple[str, Confidence]]
) -> None:
    lines = [LOUD.format(minute=minute, level=level, text=text) for minute in range(times)]
    assert reported(tmp_path / "broker.log", *lines) == told


def test_of_an_excerpt_one_error_is_enough(tmp_path: Path) -> None:
    error, warning = (
        LOUD.format(minute=1, level=level, text=text) for level, text in (("ERROR", ROCKSDB), ("WARN", TLS))
    )
    assert reported(tmp_path / "broker.log", error, calm_lines=9) == [("rocksdb", Confidence.LOW)]
    assert reported(tmp_path / "remoting.log", warning, calm_lines=9) == []


def test_what_a_user_can_have_logged_is_not_believed(tmp_path: Path) -> None:
    of_shop = [
        IN_APPLICATION.format(minute=minute, level="ERROR", logger="com.acme.shop.Orders", text=ROCKSDB)
        for minute in range(5)
    ]
    done = IN_APPLICATION.format(minute=0, level="INFO", logger="com.acme.shop.Orders", text="order done")
    calm = done.replace("10:00", "10:{minute:02}")
    assert reported(tmp_path / "app.log", *of_shop, calm_line=calm) == []
    of_client = [
        line.replace("com.acme.shop.Orders", "o.a.r.broker.RocksDBTopicConfigManager") for line in of_shop
    ]
    assert reported(tmp_path / "pod.log", *of_client, calm_line=calm) == [("rocksdb", Confidence.LOW)]


def test_a_cause_that_another_rule_knows_takes_its_place(tmp_path: Path) -> None:
    lines = [LOUD.format(minute=minute, level="ERROR", text=ROCKSDB) for minute in range(3)]
    cause = LOUD.format(minute=5, level="ERROR", text="load exception")
    assert reported(tmp_path / "broker.log", *lines, cause) == []
