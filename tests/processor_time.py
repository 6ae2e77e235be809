"""Processor time of tests: `pytest -p tests.processor_time`, then `python -m tests.processor_time`.

Wall times tell how loaded a machine is; processor time, that of ended children included, tells what a test costs. Each
worker appends a line for each test to its own file below `build/processor-time`, so that the figures of a run that was
ended are there too.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest

FOLDER = Path("build/processor-time")
PROCESSES = frozenset({"os.fork", "os.posix_spawn", "subprocess.Popen"})
"""audit events of a process that is started"""


def seconds() -> float:
    """Processor time of this process and of all its children that were waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def peak_mb() -> int:
    """The most memory that this process held at once."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


class Recorder:
    """Writes what each test of this process takes."""

    def __init__(self, name: str) -> None:
        FOLDER.mkdir(parents=True, exist_ok=True)
        self.processes = 0
        self._file: IO[str] = (FOLDER / f"{name}.jsonl").open("w", buffering=1)
        sys.addaudithook(self._audit)

    def _audit(self, event: str, arguments: tuple[object, ...]) -> None:
        if event in PROCESSES:
            self.processes += 1

    def _write(self, name: str, begun: float, processes: int) -> None:
        row = {
            "test": name,
            "seconds": round(seconds() - begun, 3),
            "processes": self.processes - processes,
            "peak_mb": peak_mb(),
        }
        self._file.write(json.dumps(row) + "\n")

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Iterator[None]:
        # With what Python and pytest took before.
        result = yield
        self._write("(collection)", 0.0, self.processes)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        # Fixtures of a session or a module count for the test that asks first.
        begun, processes = seconds(), self.processes
        result = yield
        self._write(item.nodeid, begun, processes)
        return result


def pytest_configure(config: pytest.Config) -> None:
    """Each process records its own tests; that of xdist which hands them out runs none."""
    if not hasattr(config, "workerinput"):
        FOLDER.mkdir(parents=True, exist_ok=True)
        for old in FOLDER.glob("*.jsonl"):
            old.unlink()
    config.pluginmanager.register(Recorder(os.environ.get("PYTEST_XDIST_WORKER", "main")))


def rows() -> list[dict[str, Any]]:
    """All that was recorded."""
    return [json.loads(line) for file in sorted(FOLDER.glob("*.jsonl")) for line in file.open()]


def main() -> None:
    """Print what folders, files and tests take, the most expensive first."""
    recorded = rows()
    total = sum(row["seconds"] for row in recorded)
    print(
        f"{len(recorded)} rows, {total:.0f} s of processor time, "
        f"{sum(row['processes'] for row in recorded)} processes, "
        f"at most {max(row['peak_mb'] for row in recorded)} MB a process"
    )
    for title, depth, shown in (("folders", 2, 40), ("files", 3, 120)):
        groups: dict[str, list[float]] = defaultdict(lambda: [0, 0.0, 0])
        for row in recorded:
            path = row["test"].split("::")[0]
            key = "/".join(path.split("/")[:2]) if depth == 2 else path
            for place, value in enumerate((1, row["seconds"], row["processes"])):
                groups[key][place] += value
        print(f"\n{title}: tests, seconds, processes")
        for key, (tests, spent, processes) in sorted(groups.items(), key=lambda pair: -pair[1][1])[:shown]:
            print(f"{tests:6.0f} {spent:8.1f} {processes:5.0f}  {key}")
    print("\ntests: seconds, processes")
    for row in sorted(recorded, key=lambda row: -row["seconds"])[: int(sys.argv[1]) if sys.argv[1:] else 100]:
        print(f"{row['seconds']:8.2f} {row['processes']:5d}  {row['test']}")


if __name__ == "__main__":
    main()
