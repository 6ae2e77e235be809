"""Faults in the middle of a run: the tables are those of a quiet run. Part of the matrix; see fault_matrix.py."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest

from mqdiag.fleet.files.storage import storage
from mqdiag.fleet.work.results import read_result
from tests.fleet.cluster import Cluster
from tests.fleet.conftest import TEMPLATE, Night
from tests.fleet.faults import start
from tests.fleet.made_fleet import mixed_fleet
from tests.fleet.runs import content, rows
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
