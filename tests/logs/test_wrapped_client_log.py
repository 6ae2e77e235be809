"""A client's own log behind what collectors put before its lines: netty's records in it are no application's."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.findings import Confidence

LOG = Path(__file__).parents[2] / "fixtures/logs/client-gc-thrashing-4.9.7/g1-58m/rocketmq_client.log.gz"
TIME = "2026-11-21T12:{:02d}:{:02d}.000"
WRAPPERS: dict[str, Callable[[int, str], str]] = {
    "plain": lambda number, line: line,
    "containerd": lambda number, line: f"{TIME.format(number // 60, number % 60)}000000Z stdout F {line}",
    "kubectl": lambda number, line: f"{TIME.format(number // 60, number % 60)}000000Z {line}",
    "grep": lambda number, line: f"rocketmq_client.log:{line}",
    "host": lambda number, line: f"[host-a] {line}",
    "filebeat": lambda number, line: json.dumps(
        {"@timestamp": TIME.format(number // 60, number % 60) + "Z", "message": line}
    ),
}


@pytest.mark.parametrize("wrap", WRAPPERS.values(), ids=WRAPPERS)
def test_the_error_of_the_client_stays_sure(wrap: Callable[[int, str], str], tmp_path: Path) -> None:
    lines = gzip.decompress(LOG.read_bytes()).decode().splitlines()
    log = tmp_path / "client.log"
    log.write_text("".join(wrap(number, line) + "\n" for number, line in enumerate(lines)))
    told = {one.rule: one.confidence for one in diagnose_logs([log]).report.findings}
    assert told["out-of-memory-thread"] is Confidence.HIGH
