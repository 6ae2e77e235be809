"""A real Spark cluster on loopback: a master and workers, each a process of its own that a test may kill."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

import pyspark

from tests.waiting import wait_until

LEAN = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
START_S = 600.0
MARK = "MQDIAG_TEST_CLUSTER"


class Cluster:
    """Use as a context: afterwards none of its processes is left.

    Args:
        folder: logs and the workers' folders.
        workers: how many, with one core each.
        first: variables of the first worker's environment.
    """

    def __init__(self, folder: Path, workers: int = 2, first: Mapping[str, str] | None = None) -> None:
        self._folder = folder
        self._mark = uuid.uuid4().hex
        self._port = free_port()
        self.url = f"spark://127.0.0.1:{self._port}"
        self._count = workers
        self._first = first or {}
        self._master: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Cluster:
        try:
            self._master = self._start(
                "master", "master.Master", "--host", "127.0.0.1", "--port", str(self._port), "--webui-port", "0"
            )
            self._wait("master", "I have been elected leader")
            for _ in range(self._count):
                self.add_worker()
            for place in range(self._count):
                self._wait(f"worker{place}", "Successfully registered with master")
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def add_worker(self) -> None:
        """One more worker, with one core."""
        name = f"worker{len(self.workers)}"
        arguments = ("--host", "127.0.0.1", "--webui-port", "0", "--cores", "1", "--memory", "1g")
        work = ("--work-dir", str(self._folder / name))
        more = {} if self.workers else self._first
        self.workers.append(self._start(name, "worker.Worker", *arguments, *work, self.url, more=more))

    def executors(self) -> list[int]:
        """Pids of the executors' JVMs."""
        return self.processes_with("CoarseGrainedExecutorBackend")

    def processes_with(self, word: str) -> list[int]:
        """Pids of this cluster's processes whose command line has a word."""
        return [pid for pid in self._processes() if word in _words(pid)]

    def close(self) -> None:
        """Kill what is left, and see that nothing is."""

        def is_killed() -> bool:
            for pid in (left := self._processes()):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            return not left

        wait_until(is_killed, "the end of the cluster")
        for process in (self._master, *self.workers):
            if process is not None:
                process.wait(30)
        assert not self._processes()

    def environment(self) -> dict[str, str]:
        """Marks every process that runs for this cluster."""
        return {MARK: self._mark, "SPARK_LOCAL_IP": "127.0.0.1"}

    def _processes(self) -> list[int]:
        wanted = f"{MARK}={self._mark}".encode()
        found = []
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit() and int(folder.name) != os.getpid():
                try:
                    if wanted in (folder / "environ").read_bytes().split(b"\0"):
                        found.append(int(folder.name))
                except OSError:
                    continue  # it has ended, or is not ours
        return found

    def _start(
        self, name: str, role: str, *arguments: str, more: Mapping[str, str] = {}
    ) -> subprocess.Popen[bytes]:
        home = Path(pyspark.__file__).parent
        log = (self._folder / f"{name}.log").open("wb")
        with log:
            return subprocess.Popen(
                [str(home / "bin/spark-class"), f"org.apache.spark.deploy.{role}", *arguments],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                env={
                    **os.environ,
                    **self.environment(),
                    **more,
                    "SPARK_HOME": str(home),
                    "SPARK_DAEMON_MEMORY": "192m",
                    "SPARK_DAEMON_JAVA_OPTS": LEAN,
                },
            )

    def _wait(self, name: str, words: str) -> None:
        log = self._folder / f"{name}.log"
        deadline = time.monotonic() + START_S
        while words not in log.read_text(errors="replace"):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{name} does not say {words!r}: {log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.1)


def free_port() -> int:
    """A port of this machine that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _words(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""
