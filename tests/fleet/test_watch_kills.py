"""A watch that is killed at each of its steps: rows exactly once, each new finding told at least once, under one key.

The steps run in this process and share its Spark. A kill is an exception that nothing of mqdiag catches, so the
output stays as the step has left it. `test_faults` kills real processes.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mqdiag.config import Settings
from mqdiag.fleet import job
from mqdiag.fleet.options import FleetOptions, Limits
from mqdiag.fleet.status import Status
from mqdiag.fleet.watching import watch as watching
from mqdiag.fleet.watching.watch import WatchOptions, watch
from mqdiag.progress import Silent
from tests.fleet.made_fleet import FIXTURES, put
from tests.fleet.runs import content, rows
from tests.layers import NIGHTLY

if TYPE_CHECKING:
    from pyspark import SparkContext

pytestmark = [NIGHTLY, pytest.mark.xdist_group("fleet")]

HOSTS = ("p1", "p2", "p3")


class _Killed(BaseException):
    """The process is gone."""


class Watch:
    """A folder that is watched again and again, and what was told."""

    def __init__(self, folder: Path) -> None:
        self.source, self.out = folder / "in", folder / "out"
        self.lines: list[dict[str, Any]] = []
        self.options = FleetOptions(
            paths=(str(self.source),), out=str(self.out), limits=Limits(memory_bytes=1 << 30)
        )

    def add(self, *hosts: str) -> None:
        """Evidence of a stuck listener."""
        for host in hosts:
            place = f"payments/{host}/20261121-080000.tar.gz"
            target = put(self.source, place, b"")
            target.write_bytes((FIXTURES / "stacks/latch-stuck/series.tar.gz").read_bytes())
            os.utime(target, (1.8e9, 1.8e9))  # the time of its incident

    def once(self) -> None:
        """One batch, as from cron."""
        watch(self.options, Settings(), Silent(), WatchOptions(once=True))

    def tell(self, data: bytes, key: str) -> None:
        """Receive a line."""
        self.lines.append(json.loads(data))

    @property
    def content(self) -> dict[str, list[str]]:
        """The rows of the evidence and, as each start is a run, the `incidents` of the latest run."""
        latest = max(rows(self.out, "runs"), key=lambda row: int(row["run_number"]))["run"]
        of_latest = [row["incident"] for row in rows(self.out, "incidents") if row["run"] == latest]
        return {**content(self.out, self.source), "incidents": sorted(of_latest)}

    @property
    def keys(self) -> set[str]:
        """Of all that was told."""
        return {line["key"] for line in self.lines}


@contextlib.contextmanager
def _quick(context: SparkContext) -> Iterator[pytest.MonkeyPatch]:
    """Runs in this context, whose workers are started already, and no wait for files that stand still."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(job, "spark_context", lambda options: contextlib.nullcontext(context))
        patch.setattr(job, "warm_nodes", lambda *given: None)
        patch.setattr(watching, "STILL_S", 0.0)
        patch.setattr("mqdiag.fleet.watching.arrivals.STILL_S", 0.0)
        yield patch


def _begun(patch: pytest.MonkeyPatch, folder: Path) -> Watch:
    """A watch of an empty folder, to which evidence of three hosts has come since."""
    made = Watch(folder)
    made.source.mkdir(parents=True)
    patch.setattr(watching, "print_line", made.tell)
    made.once()
    made.add(*HOSTS)
    return made


@pytest.fixture(scope="module")
def quiet(context: SparkContext, tmp_path_factory: pytest.TempPathFactory) -> Watch:
    """A watch that nothing kills."""
    with _quick(context) as patch:
        made = _begun(patch, tmp_path_factory.mktemp("quiet"))
        made.once()
    assert len(made.lines) == len(made.keys) >= len(HOSTS)
    return made


def _killed_at(monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> None:
    """Kill the process instead of calling this."""

    def kill(*given: object, **more: object) -> None:
        raise _Killed

    monkeypatch.setattr(owner, name, kill)


def _killed_in_the_wave(monkeypatch: pytest.MonkeyPatch, watched: Watch) -> None:
    whole = Status.look

    def look(self: Status) -> None:
        if any((watched.out / "_staging/results").glob("*/*")):
            raise _Killed
        whole(self)

    monkeypatch.setattr(Status, "look", look)
    monkeypatch.setattr(Status, "LOOK_S", 0.01)


def _killed_at_the_second_line(monkeypatch: pytest.MonkeyPatch, watched: Watch) -> None:
    def tell(data: bytes, key: str) -> None:
        if watched.lines:
            raise _Killed
        watched.tell(data, key)

    monkeypatch.setattr(watching, "print_line", tell)


POINTS: dict[str, Callable[[pytest.MonkeyPatch, Watch], None]] = {
    "after the listing": lambda patch, _: _killed_at(patch, watching, "run_fleet"),
    "in the wave": _killed_in_the_wave,
    "before the tables": lambda patch, _: _killed_at(patch, job, "write_tables"),
    "before the commit": lambda patch, _: _killed_at(patch, job, "publish"),
    "before the mark": lambda patch, _: _killed_at(patch, job, "write_run"),
    "after the commit": lambda patch, _: _killed_at(patch, job, "clean_up"),
    "before the actions": lambda patch, _: _killed_at(patch, watching, "tell"),
    "in the actions": _killed_at_the_second_line,
}


@pytest.mark.parametrize("point", POINTS)
def test_rows_once_and_actions_at_least_once(
    context: SparkContext, quiet: Watch, tmp_path: Path, point: str
) -> None:
    with _quick(context) as patch:
        watched = _begun(patch, tmp_path)
        with pytest.MonkeyPatch.context() as killing:
            POINTS[point](killing, watched)
            with pytest.raises(_Killed):
                watched.once()
        context.cancelAllJobs()
        told = len(watched.lines)
        watched.once()
    assert watched.content == quiet.content
    assert watched.keys == quiet.keys, "every finding is told, under the key of a quiet run"
    assert told == (1 if point == "in the actions" else 0)
    assert len(watched.lines) == len(quiet.lines) + told, "and once, but for what was told before the kill"
