"""Breaking a run in the middle, and the comparison with a quiet one."""

from __future__ import annotations

import contextlib
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

    def processes(self) -> list[int]:
        """Pids of the driver, its JVM, the Python workers and the analysing processes, the driver first."""
        children: dict[int, list[int]] = {}
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                with contextlib.suppress(OSError):
                    parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
                    children.setdefault(int(parent), []).append(int(folder.name))
        found = [self.process.pid]
        for pid in found:
            found += children.get(pid, [])
        return found

    def jvm(self) -> int:
        """Pid of Spark's JVM."""
        names = {pid: Path(f"/proc/{pid}/comm").read_text().strip() for pid in self.processes()}
        return next(pid for pid, name in names.items() if name == "java")

    def told(self) -> list[str]:
        """The lines of its standard error so far, without progress."""
        lines = (self.out.parent / f"{self.out.name}.err").read_text().splitlines()
        return [line for line in lines if line]

    def end(self) -> int:
        """Wait for the end; the exit code."""
        return self.process.wait(PATIENCE_S)


def start(arguments: tuple[str, ...], out: Path, cluster: Cluster | None = None) -> Running:
    """Start a run in the background, in a process group of its own, on the cluster or on local[2]."""
    report = () if "--watch" in arguments else ("--format", "json", "-o", str(out.parent / f"{out.name}.json"))
    words = command(
        *arguments,
        "--out",
        str(out),
        *report,
        master=cluster.url if cluster else "local[2]",
        conf=LEAN_EXECUTORS if cluster else None,
    )
    log = (out.parent / f"{out.name}.err").open("wb")
    with log:
        process = subprocess.Popen(
            words,
            stdout=log,
            stderr=log,
            start_new_session=True,
            env={**environment(), **(cluster.environment() if cluster else {})},
        )
    return Running(process, out)
