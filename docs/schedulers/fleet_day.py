"""One day of a fleet, for schedulers: `airflow_dag.py` and `dagster_asset.py` lie beside this file and import it.

The environment says what is read: MQDIAG_EVIDENCE (folder or URI), MQDIAG_OUT (its tables), and where they are not the
usual ones MQDIAG (the command, such as /opt/mqdiag/bin/mqdiag) and MQDIAG_OPTIONS (further options of `mqdiag fleet`).
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

LISTED_DAYS = 14
"""days of evidence that a run lists, its own the last: what is open is told by what the latest run lists"""
LASTING = {
    2: "wrong use: mend the options",
    3: "nothing was read: see whether evidence still arrives",
}
"""exit codes that the same command ends with again, and what to do; 4 (a fault of Spark or of a store) can pass"""


class Day(NamedTuple):
    """How the run of a day ended."""

    code: int
    message: str
    """its last line on standard error"""
    findings: dict[str, int]
    """findings of the report by severity; empty where there is no report"""
    answer: str
    """fault, healthy or undecided; empty where there is no report"""

    @property
    def can_pass(self) -> bool:
        """Whether to try the same again, which goes on where the run was stopped."""
        return self.code not in LASTING

    @property
    def reason(self) -> str:
        """Why the run failed, for the scheduler's log."""
        return f"mqdiag ended with {self.code} ({LASTING.get(self.code, 'can pass')}): {self.message}"


def run_fleet(day: date) -> Day:
    """Diagnose the evidence up to a day; what earlier runs analysed is taken over, so a day can run again."""
    since = day - timedelta(days=LISTED_DAYS - 1)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        code, message = _run(
            "fleet",
            os.environ["MQDIAG_EVIDENCE"],
            *("--out", os.environ["MQDIAG_OUT"], "--since", since.isoformat()),
            *("--fail-on", "never", "--format", "json", "--output", str(report)),
            *shlex.split(os.environ.get("MQDIAG_OPTIONS", "")),
        )
        told = json.loads(report.read_bytes()) if report.exists() else {"findings": [], "answer": {"state": ""}}
    severities = Counter(found["severity"] for found in told["findings"])
    return Day(code, message, dict(severities), told["answer"]["state"])


def compact() -> Day:
    """Make the runs of each day one, and remove those that ended three months ago."""
    code, message = _run("fleet", "compact", os.environ["MQDIAG_OUT"], "--daily", "--keep", "90d")
    return Day(code, message, {}, "")


def _run(*arguments: str) -> tuple[int, str]:
    """The exit code of a command of mqdiag, and its last line on standard error; all lines go on to this program's."""
    command = [*shlex.split(os.environ.get("MQDIAG", "mqdiag")), *arguments]
    message = ""
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, errors="replace") as process:
        assert process.stderr is not None
        for line in process.stderr:
            sys.stderr.write(line)
            message = line.strip() or message
    return process.returncode, message
