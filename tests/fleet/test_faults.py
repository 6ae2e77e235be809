"""Faults in the middle of a run: the tables are those of a quiet run. Part of the matrix; see fault_matrix.py."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from mqdiag.fleet.files.storage import storage
from mqdiag.fleet.work.results import read_result
from tests.fleet.cluster import Cluster
from tests.fleet.conftest import TEMPLATE, Night
from tests.fleet.faults import Running, start
from tests.fleet.made_fleet import FIXTURES, mixed_fleet, put
from tests.fleet.runs import content, rows, run
from tests.layers import NIGHTLY
from tests.waiting import wait_until

pytestmark = [pytest.mark.xdist_group("fleet"), pytest.mark.usefixtures("_java")]


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("faults") / "in"
    mixed_fleet(folder)
    return folder


@NIGHTLY
def test_a_killed_worker_loses_and_doubles_nothing(fleet: Path, night: Night, tmp_path: Path) -> None:
    """The worker's process, its executor and its Python workers go at once, as when a machine is lost."""
    with Cluster(tmp_path) as cluster:
        running = start((str(fleet), *TEMPLATE), tmp_path / "out", cluster)
        running.wait_for_results(2)
        victim = cluster.executors()[0]
        cluster.workers[0].kill()
        os.kill(victim, signal.SIGKILL)
        assert running.end() == 1, (tmp_path / "out.err").read_text()
    assert content(tmp_path / "out", fleet) == night.content


@NIGHTLY
def test_a_killed_driver_goes_on_where_it_was(fleet: Path, night: Night, tmp_path: Path) -> None:
    running = start((str(fleet), *TEMPLATE), tmp_path / "out")
    running.wait_for_results(3)
    running.kill()
    wait_until(lambda: not _children_of(tmp_path / "out"), "the end of the processes of the killed run")
    store, out = storage(str(tmp_path / "out"))
    kept = {}
    for path in (tmp_path / "out/_staging/results").glob("*/[!_]*"):
        result = read_result(store, out, path.name)
        assert result is not None
        kept[path.name] = result.rows["incidents"][0]["analysis_ms"]
    assert len(kept) >= 3
    again = start((str(fleet), *TEMPLATE), tmp_path / "out")
    assert again.end() == 1, (tmp_path / "out.err").read_text()
    assert content(tmp_path / "out", fleet) == night.content
    took = {row["incident"]: row["analysis_ms"] for row in rows(tmp_path / "out", "incidents")}
    assert {incident: took[incident] for incident in kept} == kept, "what was done is not done again"
    shutil.rmtree(tmp_path / "out")


def _group(running: Running) -> None:
    """As a shell, a batch scheduler or `timeout` does."""
    os.killpg(running.process.pid, signal.SIGTERM)


def _every_process(running: Running) -> None:
    """As systemd does with `KillMode=control-group`, and a batch scheduler that counts by cgroup."""
    for pid in running.processes():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)


def _jvm(running: Running) -> None:
    """As the kernel does when memory is short."""
    os.kill(running.jvm(), signal.SIGKILL)


ARCHIVES = 16
STOPPED = "mqdiag: stopped; what is done is kept, run the same again to go on"
KILLED = (
    "mqdiag: Spark ended: its JVM was ended by SIGKILL; what is done is kept, and the next run goes on there"
)


@NIGHTLY
@pytest.mark.parametrize(
    ("hit", "code", "line"), [(_group, 130, STOPPED), (_every_process, 130, STOPPED), (_jvm, 4, KILLED)]
)
def test_a_run_whose_processes_are_told_to_end_says_so_in_one_line(
    fleet: Path, night: Night, tmp_path: Path, hit: Callable[[Running], None], code: int, line: str
) -> None:
    first = start((str(fleet), *TEMPLATE), tmp_path / "out")
    first.wait_for_results(3)
    hit(first)
    assert first.end() == code, first.told()
    assert first.told() == [line]
    wait_until(lambda: not _children_of(tmp_path / "out"), "the end of the JVM")
    assert not (tmp_path / "out/_runs").exists()
    kept = {path.name for path in (tmp_path / "out/_staging/results").glob("*/[!_]*")}
    assert len(kept) >= 3
    again = start((str(fleet), *TEMPLATE), tmp_path / "out")
    assert again.end() == 1, again.told()
    assert content(tmp_path / "out", fleet) == night.content
    shutil.rmtree(tmp_path / "out")


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A folder of evidence that is complete all at once, and the output of a quiet run over it."""
    root = tmp_path_factory.mktemp("archives")
    for number in range(ARCHIVES):
        place = f"payments/p{number}/20261121-080000.tar.gz"
        put(root / "in", place, b"").write_bytes((FIXTURES / "stacks/latch-stuck/series.tar.gz").read_bytes())
    done = run(str(root / "in"), *TEMPLATE, "--out", str(root / "out"))
    assert done.code == 1, done.err
    return root / "in", root / "out"


@NIGHTLY
@pytest.mark.parametrize("hit", [_group, _every_process, _jvm, Running.kill])
def test_a_watch_whose_processes_are_hit_in_a_batch_has_the_rows_of_a_quiet_run(
    archives: tuple[Path, Path], tmp_path: Path, hit: Callable[[Running], None]
) -> None:
    """A signal to its group lets it finish; it starts another JVM itself; of all else the next start goes on."""
    source, quiet = archives
    out = tmp_path / "out"
    words = (str(source), *TEMPLATE, "--watch", "--interval", "1s", "--batch", "1s")
    watch = start(words, out)
    watch.wait_for_results(3)
    hit(watch)
    if hit is _group:
        assert watch.end() == 0, watch.told()
        assert len(rows(out, "runs")) == 1, "the batch was finished"
    elif hit is _every_process:
        assert watch.end() == 130, watch.told()
        assert watch.told() == [STOPPED]
    if hit is not _jvm:
        assert (hit is _group) is (out / "_runs").exists()
        watch = start(words, out)
    runs = 2 if hit is _group else 1
    wait_until(lambda: len([*(out / "_runs").glob("*.json")]) == runs, "the batch")
    os.killpg(watch.process.pid, signal.SIGTERM)
    assert watch.end() == 0, watch.told()
    notes = [line for line in watch.told() if line.startswith("mqdiag: ")]
    if hit is _jvm:
        assert notes.pop(0) == f"{KILLED}; mqdiag tries again after the next --interval"
    assert [line.partition(" ")[2].partition(" ")[0] for line in notes] == ["batch"]
    findings = [line for line in watch.told() if line.startswith("{")]
    assert len(findings) + len(notes) + (hit is _jvm) == len(watch.told())
    found = content(out, source)
    if hit is _group:
        latest = max(rows(out, "runs"), key=lambda row: int(row["run_number"]))["run"]
        found["incidents"] = sorted(row["incident"] for row in rows(out, "incidents") if row["run"] == latest)
        assert found["incidents"] == sorted(row["incident"] for row in rows(quiet, "incidents"))
        del found["incidents"]
    assert {**found} == {table: told for table, told in content(quiet, source).items() if table in found}


def _children_of(out: Path) -> list[str]:
    """Command lines of processes that name the output: the driver, and the JVM that it started."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                words = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if str(out).encode() in words:
                found.append(words.decode(errors="replace"))
    return found
