"""Running `mqdiag fleet` as a user does, and comparing what two runs left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds

from mqdiag.fleet.tables.schemas import TABLES
from tests.fleet.conftest import QUICK

VARYING = {"analysis_ms", "analysed_at", "analysed_in", "facts", "listing", "run"}
"""columns that tell of a run and of where files lie, not of the evidence"""


def command(*arguments: str, master: str = "local[2]", conf: dict[str, str] | None = None) -> list[str]:
    """The command line of a run."""
    settings = {**QUICK, **(conf or {})}
    words = [sys.executable, "-m", "mqdiag", "fleet", *arguments, "--master", master]
    for key, value in settings.items():
        words += ["--conf", f"{key}={value}"]
    return words


def environment() -> dict[str, str]:
    """Spark on loopback, whatever this machine is called."""
    return {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "NO_COLOR": "1"}


@dataclass(frozen=True)
class Done:
    """A run that has ended."""

    code: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, Any]:
        """Its JSON."""
        found: dict[str, Any] = json.loads(self.out)
        return found


def run(*arguments: str, **more: Any) -> Done:
    """Run to the end, with the report as JSON."""
    done = subprocess.run(
        command(*arguments, "--format", "json", **more),
        capture_output=True,
        text=True,
        env=environment(),
        timeout=900,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def rows(out: Path, table: str) -> list[dict[str, Any]]:
    """All rows of a table, in a fixed order."""
    found = ds.dataset(out / table, format="parquet", partitioning="hive").to_table().to_pylist()
    return sorted(found, key=lambda row: json.dumps(row, default=str, sort_keys=True))


def content(out: Path, root: Path) -> dict[str, list[str]]:
    """What all tables say about the evidence, with the input's folder taken out of the paths."""
    tables = {}
    for table in TABLES:
        kept = [{key: value for key, value in row.items() if key not in VARYING} for row in rows(out, table)]
        tables[table] = sorted(
            json.dumps(row, default=str, sort_keys=True).replace(str(root), "") for row in kept
        )
    return tables
