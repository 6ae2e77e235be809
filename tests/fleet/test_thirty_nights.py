"""Thirty nights of a fleet: pods that are rolled, uploads that are cut, incidents that grow, evidence now and then.

Each night is a real run: listing, plan, analysis, tables and comparison, in this process and without Spark. The same
evidence of another night or host is read once. After each night the views say of every service what a plain model says.
"""

from __future__ import annotations

import contextlib
import copy
import gzip
import hashlib
import random
import tarfile
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import duckdb
import msgspec
import pytest

from mqdiag.config import Settings
from mqdiag.fleet import job
from mqdiag.fleet.options import FleetOptions, Limits
from mqdiag.fleet.views.script import views_script
from mqdiag.fleet.work import task
from mqdiag.fleet.work.analyse import Request, analyse
from mqdiag.fleet.work.item import Job, WorkItem
from mqdiag.fleet.work.rows import Rows
from mqdiag.fleet.work.task import run_item
from mqdiag.progress import Silent
from tests.fleet.planted_fleet import FIXTURES, HANGS, RESTS, RULES
from tests.layers import NIGHTLY

NIGHTS = 30
BEGIN = datetime(2026, 11, 1, 2)
ILL, WELL, ONE, CUT, GROWS, NONE = "ill", "well", "one dump", "cut", "grows", ""
"""a night's evidence of a host: a series that hangs, one that rests, a single dump of one that rests, an upload of one
that rests and a hang whose dumps come one by one, both whole the night after, and nothing"""

Story = dict[str, list[str]]
"""by host, the evidence of each night"""


def _from(*spans: tuple[int, str]) -> list[str]:
    """Evidence that lasts from its night to the next one's."""
    return [next(what for first, what in reversed(spans) if first <= night) for night in range(NIGHTS)]


def _rolled(name: str, ill: Callable[[int], bool], every: int) -> Story:
    """Three pods, all replaced after so many nights; one of them is ill in some of the nights."""
    story: Story = {}
    for night in range(NIGHTS):
        revision = "".join(random.Random(night // every).choices("bcdfghjklm2456789", k=10))
        for letter in "bcd":
            host = f"{name}-{revision}-{letter}2x7k"
            own = story.setdefault(host, [NONE] * NIGHTS)
            own[night] = ILL if letter == "b" and ill(night) else WELL
    return story


def _jobs(name: str, ill: Callable[[int], bool]) -> Story:
    """A CronJob, whose pod has another name each night."""
    return {
        f"{name}-{29384710 + 1440 * night}-qwxzn": [
            (ILL if ill(night) else WELL) if night == own else NONE for own in range(NIGHTS)
        ]
        for night in range(NIGHTS)
    }


def _stories() -> dict[str, Story]:
    chance = random.Random(38)
    told = {
        "healthy-of": {"h1": _from((0, WELL))},
        "old-of": {"h1": _from((0, WELL), (3, ILL))},
        "healed-of": {"h1": _from((0, WELL), (2, ILL), (10, WELL))},
        "flapping-of": {"h1": [(ILL, WELL, WELL)[night % 3] for night in range(NIGHTS)]},
        "rare-of": {
            "h1": [(ILL if 5 <= night < 16 else WELL) if not night % 5 else NONE for night in range(NIGHTS)]
        },
        "single-of": {"h1": _from((0, WELL), (4, ILL), (7, ONE))},
        "cut-of": {"h1": _from((0, WELL), (5, ILL), (6, CUT), (9, ILL), (12, CUT))},
        "growing-of": {"h1": _from((0, WELL), (8, GROWS), (11, WELL), (20, GROWS))},
        "dead-of": {"h1": _from((0, ILL), (12, NONE)), "h2": _from((0, WELL))},
        "shop": _rolled("shop", lambda night: 4 <= night < 20, 6),
        "cart": _rolled("cart", lambda night: night % 6 < 2, 3),
        "report": _jobs("report", lambda night: night in {3, 4, 9, 10, 11, 20}),
        "broker": {
            f"broker-{name}": _from((0, WELL), (6, ILL if name else WELL), (14, WELL)) for name in range(2)
        },
    }
    for number in range(5):
        told[f"random-{number}-of"] = {
            "h1": [chance.choice((ILL, ILL, WELL, WELL, ONE, CUT, GROWS, NONE)) for _ in range(NIGHTS)]
        }
    return told


@dataclass(kw_only=True)
class State:
    """What is true of a fault of a place."""

    is_open: bool = False
    times: int = 0
    began: int = 0
    shown: int = 0


def _truth(nights: list[set[str]], now: int) -> State:
    """By the evidence of each night until now, which is whole one night later."""
    state = State()
    for night, found in enumerate(nights[: now + 1]):
        is_late = night == now
        if ILL in found or (GROWS in found and not is_late):
            if not state.is_open:
                state.times, state.began = state.times + 1, night
            state.is_open, state.shown = True, night
        elif WELL in found or (CUT in found and not is_late):
            state.is_open = False
    return state


def _places(service: str, story: Story) -> dict[str, list[set[str]]]:
    """The evidence of each night by replica: pods that replace each other are one."""
    if service in ("shop", "cart", "report"):
        return {service: [{own[night] for own in story.values()} for night in range(NIGHTS)]}
    return {host: [{what} for what in own] for host, own in story.items()}


def _put(root: Path, service: str, host: str, night: int, what: str, *, is_whole: bool) -> None:
    folder = root / service / host
    folder.mkdir(parents=True, exist_ok=True)
    time = f"{BEGIN + timedelta(days=night):%Y%m%d-%H%M%S}"
    if what in (ONE, GROWS):
        place = folder / time
        place.mkdir(exist_ok=True)
        members = _members(HANGS if what == GROWS else RESTS)
        for name, content in members if what == GROWS and is_whole else members[:1]:
            # The same bytes on the same host would be the same incident.
            (place / f"{name}.gz").write_bytes(gzip.compress(content, 1, mtime=night + 1))
    elif what != NONE:
        series = _packed(HANGS if what == ILL else RESTS, night)
        data = series[: len(series) // 2] if what == CUT and not is_whole else series
        (folder / f"{time}.tar.gz").write_bytes(data)


def _packed(series: str, night: int) -> bytes:
    packed = (FIXTURES / series / "series.tar.gz").read_bytes()
    return gzip.compress(gzip.decompress(packed), 1, mtime=night + 1)


@cache
def _members(series: str) -> list[tuple[str, bytes]]:
    with tarfile.open(FIXTURES / series / "series.tar.gz") as archive:
        files = sorted((one for one in archive.getmembers() if one.isfile()), key=lambda one: one.name)
        return [(Path(one.name).name, archive.extractfile(one).read()) for one in files]  # type: ignore[union-attr]


class _Here:
    """Does in this process what a context has executors do."""

    defaultParallelism = 1

    def setJobDescription(self, text: str) -> None:
        """Nobody looks."""

    def parallelize(self, items: Iterable[Any], tasks: int) -> Any:
        own = list(items)

        def mapped(work: Callable[[Any], Any]) -> Any:
            return SimpleNamespace(collect=lambda: list(map(work, own)))

        return SimpleNamespace(map=mapped, foreachPartition=lambda work: work(iter(own)))


class _Reader:
    """Analyses what it has not read yet."""

    def __init__(self) -> None:
        self.known: dict[str, Rows] = {}

    def of(self, limits: Limits) -> _Reader:
        return self

    def analyse(self, request: Request) -> Rows:
        name = hashlib.sha256()
        for path in sorted(request.paths):
            with contextlib.suppress(EOFError), gzip.open(path) as file:
                while part := file.read1():
                    name.update(part)
            name.update(Path(path).suffix.encode())
        key = name.hexdigest()
        if key not in self.known:
            self.known[key] = analyse(request)
            tempfile.tempdir = None
        rows = copy.deepcopy(self.known[key])
        for row, path in zip(rows["inputs"], sorted(request.paths), strict=False):
            row["path"] = path
        return rows


def _waves(context: Any, items: Iterator[tuple[int, str]], work: Job, status: Any, count: int) -> None:
    for _, item in items:
        run_item(msgspec.json.decode(item, type=WorkItem), work)


@pytest.fixture
def nightly(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[], None]:
    """One run over the folder `in`."""
    reader = _Reader()
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(task, "warm_child", reader.of)
    monkeypatch.setattr(job, "spark_context", lambda options: contextlib.nullcontext(_Here()))
    monkeypatch.setattr(job, "Status", lambda *given: Mock(tried_again=0))
    no_cluster = {"cores_of_executor": lambda *given: 1, "lost_executors": lambda *given: 0}
    for name, mine in {**no_cluster, "warm_nodes": lambda *given: None, "run_waves": _waves}.items():
        monkeypatch.setattr(job, name, mine)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    options = FleetOptions(
        paths=(str(tmp_path / "in"),),
        out=str(tmp_path / "out"),
        templates=("{service}/{host}/{time}.tar.gz", "{service}/{host}/{time}/*"),
        scratch=str(scratch),
    )
    return lambda: job.run_fleet(options, Settings(), Silent()) and None


def _told(out: Path) -> tuple[dict[tuple[str, str], State], set[tuple[str, str]]]:
    """The states of all faults as the views tell them, and the places with an open one."""
    base = duckdb.connect(config={"threads": 1})
    base.execute(views_script(str(out), "duckdb"))
    rule = RULES[HANGS]
    times = base.execute(
        "SELECT service, replica, recovered_at IS NULL, times_returned + 1, flapping,"
        " date_diff('day', TIMESTAMP '2026-11-01', open_since::TIMESTAMP),"
        " date_diff('day', TIMESTAMP '2026-11-01', last_seen::TIMESTAMP) FROM fault_times WHERE rule = ?",
        [rule],
    ).fetchall()
    for row in times:
        assert row[4] == (row[3] >= 3), row
    states = {
        (service, replica): State(is_open=is_open, times=count, began=began, shown=shown)
        for service, replica, is_open, count, _, began, shown in times
    }
    opened = base.execute(
        "SELECT service, coalesce(replica, host) FROM open_findings WHERE rule = ?", [rule]
    ).fetchall()
    gone = base.execute("SELECT service, replica FROM recovered WHERE rule = ?", [rule]).fetchall()
    assert {place for place, state in states.items() if not state.is_open} == set(gone)
    return states, set(opened)


@NIGHTLY
def test_each_night_says_what_is_open_recovered_and_flapping(
    nightly: Callable[[], None], tmp_path: Path
) -> None:
    stories = _stories()
    for now in range(NIGHTS):
        for service, story in stories.items():
            for host, own in story.items():
                if now:
                    _put(tmp_path / "in", service, host, now - 1, own[now - 1], is_whole=True)
                _put(tmp_path / "in", service, host, now, own[now], is_whole=False)
        nightly()
        truths = {
            (service, place): _truth(nights, now)
            for service, story in stories.items()
            for place, nights in _places(service, story).items()
        }
        states, opened = _told(tmp_path / "out")
        assert states == {place: truth for place, truth in truths.items() if truth.times}, f"night {now}"
        assert opened == {place for place, truth in truths.items() if truth.is_open}, f"night {now}"
    assert {truth.times >= 3 for truth in truths.values()} == {True, False}
