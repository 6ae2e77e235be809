"""A folder as an operator would have kept it: a large heap dump, five thread dumps, real logs repeated to 100 MB."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

FIXTURES = Path(__file__).parents[2] / "fixtures"
LOG_BYTES = 50_000_000


def write_incident(folder: Path, dump: Path) -> Path:
    """The folder; what is there stays."""
    incident = folder / "incident"
    incident.mkdir(exist_ok=True)
    if not (incident / "heap.hprof").exists():
        (incident / "heap.hprof").symlink_to(dump)
    for sample in sorted((FIXTURES / "incidents" / "busy-http" / "stacks").iterdir()):
        shutil.copy(sample, incident / sample.name)
    _repeat(
        (FIXTURES / "incidents" / "stuck-http" / "rocketmq_client.log").read_bytes(), incident / "client.log"
    )
    broker = FIXTURES / "logs" / "page-cache-busy-4.9.7" / "broker" / "broker.log.gz"
    _repeat(gzip.decompress(broker.read_bytes()), incident / "broker.log")
    return incident


def _repeat(log: bytes, target: Path) -> None:
    if target.exists():
        return
    with target.open("wb") as file:
        while file.tell() < LOG_BYTES:
            file.write(log)
