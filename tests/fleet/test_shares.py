"""What a task analyses, and how much of the executor's memory it gets. No Spark."""

from __future__ import annotations

import contextlib
import threading
import time
from pathlib import Path

import msgspec
import pytest

from mqdiag.config import Settings
from mqdiag.fleet.files.incidents import IncidentFile
from mqdiag.fleet.files.storage import storage
from mqdiag.fleet.options import GIB, Limits
from mqdiag.fleet.session import DEFAULTS
from mqdiag.fleet.work import task
from mqdiag.fleet.work.analyse import Request
from mqdiag.fleet.work.item import Job, WorkItem
from mqdiag.fleet.work.loss import NotAnalysed
from mqdiag.fleet.work.results import count_try, read_result
from mqdiag.fleet.work.rows import Rows
from mqdiag.fleet.work.shares import shares, shares_of
from mqdiag.fleet.work.task import ATTEMPTS, TASK_ITEMS, run_item
from mqdiag.fleet.work.waves import TASK_BYTES, in_tasks
from mqdiag.text import say


def _item(size: int) -> WorkItem:
    return WorkItem(
        incident="ab12",
        environment="",
        service="orders",
        host="h1",
        window_start_ns=None,
        bytes=size,
        files=(IncidentFile(uri="/in/1.hprof", bytes=size),),
        contents=("?",),
        listing="?",
        evidence="?",
    )


def _job(tmp_path: Path, cores: int) -> Job:
    return Job(
        out=str(tmp_path / "out"),
        run="r1",
        settings=Settings(),
        settings_hash="x",
        limits=Limits(memory_bytes=4 * GIB),
        scratch=str(tmp_path / "scratch"),
        cores=cores,
    )


def _tasks(sizes: list[int], most: int) -> list[list[int]]:
    todo = [(size, str(size)) for size in sizes]
    return [[int(text) for text in each] for each in in_tasks(todo, most)]


def test_a_large_incident_is_a_task_and_small_ones_are_one_together() -> None:
    large = TASK_BYTES + 1
    assert _tasks([large, large, 10, 9, 8], TASK_ITEMS) == [[large], [large], [10, 9, 8]]
    assert _tasks([TASK_BYTES - 1, 2, 1], TASK_ITEMS) == [[TASK_BYTES - 1], [2, 1]]
    assert _tasks([3, 2, 1], 2) == [[3, 2], [1]]


def test_a_fleet_smaller_than_the_cluster_has_one_incident_a_task() -> None:
    assert _tasks([3, 2, 0], 1) == [[3], [2], [0]]


@pytest.mark.parametrize(
    ("size", "cores", "count"),
    [
        (10_000, 8, 1),
        (2 * GIB, 8, 1),
        (2 * GIB + 1, 8, 2),
        (60 * GIB, 8, 8),
        (60 * GIB, 64, 30),
        (60 * GIB, 1, 1),
    ],
)
def test_shares_by_size(tmp_path: Path, size: int, cores: int, count: int) -> None:
    assert shares_of(_item(size), _job(tmp_path, cores)) == count


def test_no_more_is_held_than_there_is(tmp_path: Path) -> None:
    """And two that want much do not wait for each other for ever."""
    lock = threading.Lock()
    held: list[int] = [0]
    most: list[int] = [0]

    def hold(count: int) -> None:
        with shares(tmp_path, count, 4):
            with lock:
                held[0] += count
                most[0] = max(most[0], held[0])
            time.sleep(0.02)
            with lock:
                held[0] -= count

    threads = [threading.Thread(target=hold, args=(count,), daemon=True) for count in (3, 1, 4, 3, 1, 2, 4, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert 3 <= most[0] <= 4


def test_a_large_dump_gets_the_memory_of_its_shares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[int] = []

    def fake(limits: Limits) -> object:
        given.append(limits.memory_bytes)
        raise RuntimeError

    monkeypatch.setattr(task, "warm_child", fake)
    for size in (10_000, 3 * GIB):
        with pytest.raises(RuntimeError):
            run_item(_item(size), _job(tmp_path, 8))
    assert given == [4 * GIB, 8 * GIB]


@pytest.mark.parametrize("data", [b"", b"\0\0", b"-"])
def test_a_damaged_count_of_tries_begins_again(tmp_path: Path, data: bytes) -> None:
    store, out = storage(str(tmp_path))
    assert [count_try(store, out, "r1", "ab12") for _ in range(2)] == [0, 1]
    (tmp_path / "_staging/r1/tries/ab12").write_bytes(data)
    assert [count_try(store, out, "r1", "ab12") for _ in range(2)] == [0, 1]


def test_an_incident_that_ends_its_executor_each_time_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It alone: others of its task, which were lost with it, are analysed."""

    class _Gone(BaseException):
        """The executor."""

    def die(*given: object, **more: object) -> None:
        raise _Gone

    job = _job(tmp_path, 1)
    culprit = _item(1)
    with monkeypatch.context() as patch:
        patch.setattr(task, "_analysed", die)
        for attempt in range(ATTEMPTS):
            with pytest.raises(_Gone):
                run_item(culprit, job, attempt)
    assert not run_item(culprit, job, ATTEMPTS)
    result = read_result(*storage(job.out), "ab12")
    assert result is not None
    assert [row["kind"] for row in result.rows["failures"]] == ["crash"]
    assert "3 times" in result.rows["failures"][0]["reason"]
    analysed = []
    monkeypatch.setattr(task, "_analysed", lambda *given, **more: analysed.append(given) or (None, []))
    run_item(
        WorkItem(
            **{**{name: getattr(culprit, name) for name in culprit.__struct_fields__}, "incident": "cd34"}
        ),
        job,
        ATTEMPTS,
    )
    assert len(analysed) == 1


def test_a_task_in_which_each_incident_ends_its_executor_does_not_end_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class _Gone(BaseException):
        """The executor."""

    def die(*given: object, **more: object) -> None:
        raise _Gone

    monkeypatch.setattr(task, "_analysed", die)
    job = _job(tmp_path, 1)
    items = [msgspec.structs.replace(_item(1), incident=f"ab{place:02}") for place in range(TASK_ITEMS)]
    for attempt in range(int(DEFAULTS["spark.task.maxFailures"])):
        with contextlib.suppress(_Gone):
            assert not any(run_item(item, job, attempt) for item in items)
            return
    pytest.fail("Spark gives the task up")


class _Child:
    """Stands for the process: something kills it the first so many times."""

    def __init__(self, kills: int) -> None:
        self.kills = kills
        self.memory: list[int] = []

    def of(self, limits: Limits) -> _Child:
        self.memory.append(limits.memory_bytes // GIB)
        return self

    def analyse(self, request: Request) -> Rows:
        if len(self.memory) <= self.kills:
            raise NotAnalysed(kind="killed", reason=say("something outside killed the analysing process"))
        return {"incidents": [{"status": "ok"}]}


@pytest.mark.parametrize(
    ("kills", "status", "memory"), [(0, "ok", [4]), (1, "ok", [4, 32]), (2, "failed", [4, 32])]
)
def test_a_killed_process_is_tried_again_with_more_room(
    kills: int, status: str, memory: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel takes the process that is largest, and that need not be the one that asked for too much."""
    monkeypatch.setattr(task, "executor_folder", lambda _: tmp_path)
    child = _Child(kills)
    monkeypatch.setattr(task, "warm_child", child.of)
    item, job = _item(10), _job(tmp_path, 8)
    run_item(item, job)
    result = read_result(*storage(job.out), item.incident)
    assert result is not None
    assert result.rows["incidents"][0]["status"] == status
    assert child.memory == memory
    assert result.again is (status == "failed"), "the next run tries it again"
