"""A real JVM that hangs as a consumer does (fixtures/rig/plain, StuckConsumer.java); missing in CI is a failure."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.programs import need
from tests.waiting import PATIENCE_S, wait_until

RIG = Path(__file__).parents[2] / "fixtures" / "rig" / "plain" / "src" / "main" / "java"
NAME = "org.mqdiag.rig.plain.StuckConsumer"


@dataclass(frozen=True)
class Jvm:
    """A running JVM, and the file that its console goes to."""

    pid: int
    console: Path


Start = Callable[..., Jvm]


@pytest.fixture(scope="session")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need("javac", "jcmd")
    folder = tmp_path_factory.mktemp("stuck")
    subprocess.run(
        ["javac", "-d", folder, RIG / f"{NAME.replace('.', '/')}.java"],
        check=True,
        timeout=PATIENCE_S,
        capture_output=True,
    )
    return folder


@pytest.fixture(scope="module")
def start(classes: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Starts JVMs, and ends them when the module is done."""
    running: list[subprocess.Popen[bytes]] = []

    def begin(*options: str) -> Jvm:
        folder = tmp_path_factory.mktemp("jvm")
        console = folder / "console.log"
        with console.open("wb") as out:
            process = subprocess.Popen(
                ["java", "-Xmx32m", "-XX:+UseSerialGC", *options, "-cp", str(classes), NAME],
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=subprocess.STDOUT,
                cwd=folder,
            )
        running.append(process)
        wait_until(lambda: b"@@ready" in console.read_bytes() or process.poll() is not None, "the JVM")
        assert process.poll() is None, console.read_text()
        return Jvm(process.pid, console)

    yield begin
    for process in running:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def jvm(start: Start, tmp_path_factory: pytest.TempPathFactory) -> Jvm:
    """One with a collector's log and a password on its command line."""
    return start("-Xlog:gc*:file=own-gc.log", "-Ddb.password=hush")
