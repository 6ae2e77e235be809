"""Breaking a run in the middle, and the comparison with a quiet one."""

from __future__ import annotations

import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.fleet.cluster import LEAN, Cluster
from tests.fleet.runs import command, environment
from tests.waiting import PATIENCE_S, wait_until

LEAN_EXECUTORS = {
    "spark.executor.memory": "512m",
    "spark.executor.extraJavaOptions": LEAN,
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    # A lost executor is noticed at once by its socket; these bound what is not.
    "spark.network.timeout": "60s",
    "spark.executor.heartbeatInterval": "5s",
}


@dataclass
class Running:
    """A run under way."""

    process: subprocess.Popen[bytes]
    out: Path

    def results(self) -> int:
        """Incidents that are done and not committed."""
        return sum(path.is_file() for path in (self.out / "_staging/results").glob("*/*"))

    def wait_for_results(self, count: int) -> None:
        """Wait until the run is in its middle."""

        def are_there() -> bool:
            assert self.process.poll() is None, "the run ended before the fault"
            return self.results() >= count

        wait_until(are_there, f"{count} results")

    def kill(self) -> None:
        """Kill the driver, as if its machine had gone."""
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def end(self) -> int:
        """Wait for the end; the exit code."""
        return self.process.wait(PATIENCE_S)


def start(arguments: tuple[str, ...], out: Path, cluster: Cluster | None = None) -> Running:
    """Start a run in the background, on the cluster or on local[2]."""
    words = command(
        *arguments,
        "--out",
        str(out),
        "--format",
        "json",
        "-o",
        str(out.parent / f"{out.name}.json"),
        master=cluster.url if cluster else "local[2]",
        conf=LEAN_EXECUTORS if cluster else None,
    )
    log = (out.parent / f"{out.name}.err").open("wb")
    with log:
        process = subprocess.Popen(
            words,
            stdout=log,
            stderr=log,
            env={**environment(), **(cluster.environment() if cluster else {})},
        )
    return Running(process, out)
