"""All faults on a real cluster: worker, executor, driver, scratch disk, speculation. `make fleet-faults`."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyspark
import pytest

from tests.fleet.cluster import Cluster
from tests.fleet.conftest import QUICK, TEMPLATE, Night
from tests.fleet.faults import LEAN_EXECUTORS, Running, start
from tests.fleet.made_fleet import heap, mixed_fleet, put
from tests.fleet.packed import pack
from tests.fleet.runs import command, content, environment, rows
from tests.layers import NIGHTLY
from tests.waiting import wait_until

pytestmark = [NIGHTLY, pytest.mark.usefixtures("_java")]


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("matrix") / "in"
    mixed_fleet(folder)
    return folder


def _kill_executor(cluster: Cluster, running: Running) -> None:
    os.kill(cluster.executors()[0], signal.SIGKILL)


def _kill_every_executor_once(cluster: Cluster, running: Running) -> None:
    for pid in cluster.executors():
        os.kill(pid, signal.SIGKILL)


def _kill_worker(cluster: Cluster, running: Running) -> None:
    victim = cluster.executors()[0]
    cluster.workers[0].kill()
    os.kill(victim, signal.SIGKILL)


def _replace_worker(cluster: Cluster, running: Running) -> None:
    cluster.add_worker()
    _kill_worker(cluster, running)


def _kill_python_workers(cluster: Cluster, running: Running) -> None:
    for pid in cluster.processes_with("pyspark.daemon"):
        os.kill(pid, signal.SIGKILL)


def _stall_children(cluster: Cluster, running: Running) -> None:
    for pid in cluster.processes_with("mqdiag.fleet.work.child_main"):
        os.kill(pid, signal.SIGSTOP)
        time.sleep(2)
        os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize(
    "fault",
    [
        _kill_executor,
        _kill_every_executor_once,
        _kill_worker,
        _replace_worker,
        _kill_python_workers,
        _stall_children,
    ],
    ids=lambda fault: fault.__name__.strip("_"),
)
@pytest.mark.parametrize("after", [1, 6])
def test_a_fault_on_a_cluster(
    fleet: Path, night: Night, tmp_path: Path, fault: Callable[[Cluster, Running], None], after: int
) -> None:
    with Cluster(tmp_path) as cluster:
        running = start((str(fleet), *TEMPLATE), tmp_path / "out", cluster)
        running.wait_for_results(after)
        fault(cluster, running)
        assert running.end() == 1, (tmp_path / "out.err").read_text()
    assert content(tmp_path / "out", fleet) == night.content
    (run,) = rows(tmp_path / "out", "runs")
    assert (run["lost_executors"] > 0) is (fault not in (_kill_python_workers, _stall_children))


def test_a_killed_driver_of_a_cluster(fleet: Path, night: Night, tmp_path: Path) -> None:
    with Cluster(tmp_path) as cluster:
        first = start((str(fleet), *TEMPLATE), tmp_path / "out", cluster)
        first.wait_for_results(3)
        first.kill()
        wait_until(lambda: not cluster.executors(), "the end of the executors")
        again = start((str(fleet), *TEMPLATE), tmp_path / "out", cluster)
        assert again.end() == 1, (tmp_path / "out.err").read_text()
    assert content(tmp_path / "out", fleet) == night.content


def test_speculative_copies(fleet: Path, night: Night, tmp_path: Path) -> None:
    eager = ("--conf", "spark.speculation=true", "--conf", "spark.speculation.multiplier=1.01")
    eager += ("--conf", "spark.speculation.quantile=0.1", "--conf", "spark.speculation.interval=50ms")
    with Cluster(tmp_path) as cluster:
        running = start((str(fleet), *TEMPLATE, *eager), tmp_path / "out", cluster)
        assert running.end() == 1, (tmp_path / "out.err").read_text()
    assert content(tmp_path / "out", fleet) == night.content


def test_an_executor_without_python(fleet: Path, night: Night, tmp_path: Path) -> None:
    """Spark leaves an executor out on which tasks fail, if it is told to: `spark.excludeOnFailure.enabled`."""
    named = tmp_path / "bin" / "python-of-mqdiag"
    named.parent.mkdir()
    named.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    named.chmod(0o755)
    conf = ("--conf", f"spark.pyspark.python={named.name}", "--conf", "spark.excludeOnFailure.enabled=true")
    with Cluster(tmp_path, first={"PATH": f"{named.parent}:{os.environ['PATH']}"}) as cluster:
        running = start((str(fleet), *TEMPLATE, *conf), tmp_path / "out", cluster)
        assert running.end() == 1, (tmp_path / "out.err").read_text()
    assert content(tmp_path / "out", fleet) == night.content


DAY_AHEAD = """
import datetime
import time

from mqdiag.fleet.work import task

now, day = time.time, datetime.timedelta(days=1)
time.time = lambda: now() + day.total_seconds()


class Ahead:
    fromtimestamp = datetime.datetime.fromtimestamp

    @staticmethod
    def now(zone):
        return datetime.datetime.now(zone) + day


task.datetime = Ahead
"""
"""sets the clock of a Python"""


def test_a_host_with_a_wrong_clock(fleet: Path, night: Night, tmp_path: Path) -> None:
    """The times of its rows are wrong, and nothing goes by them: neither what is known nor a compaction."""
    (tmp_path / "ahead").mkdir()
    (tmp_path / "ahead" / "sitecustomize.py").write_text(DAY_AHEAD)
    out = tmp_path / "out"
    with Cluster(tmp_path, first={"PYTHONPATH": str(tmp_path / "ahead")}) as cluster:
        first = start((str(fleet), *TEMPLATE, "--run", "first"), out, cluster)
        assert first.end() == 1, (tmp_path / "out.err").read_text()
        assert content(out, fleet) == night.content
        noon = datetime.now(UTC) + timedelta(hours=12)
        ahead = {row["analysed_at"] > noon for row in rows(out, "incidents")}
        assert ahead == {True, False}, "one of the two clocks is wrong"
        subprocess.run([sys.executable, "-m", "mqdiag", "fleet", "compact", str(out)], check=True)
        second = start((str(fleet), *TEMPLATE, "--run", "second"), out, cluster)
        assert second.end() == 1, (tmp_path / "out.err").read_text()
    both = rows(out, "incidents")
    assert len(both) == 2 * len(night.content["incidents"])
    # Failures that can pass are tried again; all else is known.
    assert {row["again"] for row in both if row["analysed_in"] == "second"} <= {True}
    assert len(rows(out, "findings")) == len(night.content["findings"])


def test_a_listing_that_changes_during_the_run(night: Night, tmp_path: Path) -> None:
    """What comes later is for the next run, and a file with a new time and the same content is known."""
    source = tmp_path / "in"
    mixed_fleet(source)
    arguments = (str(source), *TEMPLATE)
    first = start((*arguments, "--run", "first"), tmp_path / "out")
    first.wait_for_results(1)
    shutil.copyfile(source / "payments/p2/20261121-080000.hprof", source / "payments/p2/20261121-200000.hprof")
    put(source, "late/l1/20261121-080000.hprof", heap("no-rocketmq"))
    for path in source.rglob("*.hprof"):
        os.utime(path, (1.8e9, 1.8e9))
    assert first.end() == 1, (tmp_path / "out.err").read_text()
    assert content(tmp_path / "out", source) == night.content
    second = start((*arguments, "--run", "second"), tmp_path / "out")
    assert second.end() == 1, (tmp_path / "out.err").read_text()
    own = [row for row in rows(tmp_path / "out", "incidents") if row["analysed_in"] == "second"]
    assert [row["host"] for row in own] == ["l1"], "the copy on p2 has the content of a known incident"


def test_local_cluster(fleet: Path, night: Night, tmp_path: Path) -> None:
    """Spark's own cluster in one process tree."""
    done = subprocess.run(
        command(
            str(fleet),
            *TEMPLATE,
            "--out",
            str(tmp_path / "out"),
            master="local-cluster[2,1,1024]",
            conf={**LEAN_EXECUTORS, "spark.executor.memory": "768m"},
        ),
        env={**environment(), "SPARK_HOME": str(Path(pyspark.__file__).parent)},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert content(tmp_path / "out", fleet) == night.content


def test_a_full_scratch_disk(fleet: Path, night: Night, tmp_path: Path) -> None:
    """A packed dump finds no room to inflate; when there is room again, the next run has the tables of a quiet one."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=700m", "tmpfs", str(scratch)], check=False)
    if mounted.returncode:
        # only root can, and not in every container; nothing else gives a disk that is really full
        pytest.skip("tmpfs cannot be mounted here")
    try:
        with (scratch / "junk").open("wb") as junk:
            junk.write(bytes(690 << 20))
        arguments = (str(fleet), *TEMPLATE, "--scratch", str(scratch))
        first = start((*arguments, "--run", "full"), tmp_path / "out")
        assert first.end() == 1, (tmp_path / "out.err").read_text()
        full = [row for row in rows(tmp_path / "out", "failures") if row["kind"] == "no-room"]
        assert {row["host"] for row in full} >= {"p1"}, "the archive of thread dumps finds no room"
        (scratch / "junk").unlink()
        second = start((*arguments, "--run", "roomy"), tmp_path / "out")
        assert second.end() == 1, (tmp_path / "out.err").read_text()
        assert list(scratch.iterdir()) == []
    finally:
        subprocess.run(["umount", str(scratch)], check=True)
    state = {
        row["incident"]: row["status"] for row in rows(tmp_path / "out", "incidents") if row["run"] == "roomy"
    }
    quiet = {
        row["incident"]: row["status"] for row in rows(night.root / "out", "incidents") if row["run"] == "first"
    }
    assert state == quiet


def test_a_full_output(fleet: Path, night: Night, tmp_path: Path) -> None:
    """The run ends and says why; with room again, the same command goes on to the tables of a quiet run."""
    disk = tmp_path / "disk"
    disk.mkdir()
    (tmp_path / "out").symlink_to(disk)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(disk)], check=False)
    if mounted.returncode:
        # only root can, and not in every container; nothing else gives a disk that is really full
        pytest.skip("tmpfs cannot be mounted here")
    try:
        full = start((str(fleet), *TEMPLATE), tmp_path / "out")
        full.wait_for_results(1)
        with contextlib.suppress(OSError), (disk / "junk").open("wb", buffering=0) as junk:
            while True:
                junk.write(bytes(4096))
        assert full.end() == 4
        assert "No space left" in (tmp_path / "out.err").read_text()
        assert full.results() >= 1
        assert not [*(tmp_path / "out").rglob("*.parquet")], "no reader finds a part of it"
        (disk / "junk").unlink()
        again = start((str(fleet), *TEMPLATE), tmp_path / "out")
        assert again.end() == 1, (tmp_path / "out.err").read_text()
        assert content(tmp_path / "out", fleet) == night.content
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_spark_submit_with_packed_dependencies(fleet: Path, night: Night, tmp_path: Path) -> None:
    """The documented way: an archive with an environment, sent to executors whose own Python lacks everything."""
    packed = tmp_path / "env.tar.gz"
    pack(packed)
    home = Path(pyspark.__file__).parent
    script = subprocess.run(
        [sys.executable, "-m", "mqdiag.cli.common.submit"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    conf = {**QUICK, **LEAN_EXECUTORS}
    with Cluster(tmp_path) as cluster:
        words = [str(home / "bin/spark-submit"), "--master", cluster.url, "--archives", f"{packed}#environment"]
        for key, value in conf.items():
            words += ["--conf", f"{key}={value}"]
        words += [script, str(fleet), *TEMPLATE, "--out", str(tmp_path / "out")]
        done = subprocess.run(
            words,
            env={
                **environment(),
                **cluster.environment(),
                "SPARK_HOME": str(home),
                "PYSPARK_PYTHON": "./environment/bin/python",
                "PYSPARK_DRIVER_PYTHON": sys.executable,
            },
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
    assert done.returncode == 1, done.stderr[-3000:]
    assert "Run r" in done.stdout
    assert content(tmp_path / "out", fleet) == night.content
