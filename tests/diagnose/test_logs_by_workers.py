"""Logs that several processes read give the report that one process gives."""

from __future__ import annotations

import gzip
import os
import shutil
import signal
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from mqdiag import workers
from mqdiag.config import Settings
from mqdiag.diagnose import incident
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.diagnose.readers_ahead import PREPARE, readers_ahead
from mqdiag.errors import InputError
from mqdiag.language import english
from mqdiag.logs.file_reader import prepare
from mqdiag.progress import Silent
from mqdiag.report_json import to_values
from mqdiag.text import NOTHING, say
from tests.layers import CHECK

LOGS = Path(__file__).parents[2] / "fixtures" / "logs"
BROKER = LOGS / "page-cache-busy-4.3.2" / "broker"


def die(path: str, name: str, statements: tuple[object, ...], step: Callable[[], None]) -> None:
    """For workers: the process ends while it reads."""
    os.kill(os.getpid(), signal.SIGKILL)


class NoStep(Silent):
    """Progress of a run that has used up its budget."""

    def advance(self, share: float) -> None:
        raise InputError("any", say("took more than it may"))


@pytest.fixture(autouse=True)
def _workers_for_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "BYTES_FOR_A_WORKER", 1)


@pytest.fixture
def logs(tmp_path: Path) -> list[str]:
    """Packed and plain logs of a broker, one of them twice, and two that are none."""
    shutil.copytree(BROKER, tmp_path / "broker")
    plain = tmp_path / "copy.log"
    plain.write_bytes(gzip.decompress((BROKER / "store.log.gz").read_bytes()))
    (tmp_path / "empty.log").write_bytes(b"")
    (tmp_path / "words.log").write_text("hello\nworld\n" * 100)
    found = [
        *sorted((tmp_path / "broker").iterdir()),
        *sorted(tmp_path.glob("*.log")),
        tmp_path / "missing.log",
    ]
    return [str(path) for path in found]


@CHECK
def test_the_report_is_that_of_one_process(logs: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    start = workers.started
    monkeypatch.setattr(workers, "started", lambda module: started.append(module) or start(module))
    one = diagnose_logs(logs, Settings(jobs=1)).report
    assert started == []
    several = diagnose_logs(logs, Settings(jobs=3)).report
    assert len(started) == 3
    assert to_values(several) == to_values(one)
    assert one.logs is not None
    assert one.logs.bytes > 100_000


@CHECK
def test_readers_of_logs_start_before_files_are_told(
    logs: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = diagnose_incident([tmp_path], Settings(jobs=1)).report
    ahead = []
    sort = incident._sort

    def noted(*given: Any) -> Any:
        ahead.extend(workers._ahead)
        return sort(*given)

    monkeypatch.setattr(incident, "_sort", noted)
    several = diagnose_incident([tmp_path], Settings(jobs=2)).report
    assert len(ahead) == 2
    assert all(worker._process.returncode is not None for worker in ahead)
    assert to_values(several) == to_values(one)


def test_names_and_sizes_promise_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert f"{prepare.__module__}.{prepare.__name__}" == PREPARE
    asked: list[int] = []
    monkeypatch.setattr(
        workers, "workers_ahead", lambda count, function: asked.append(count) or nullcontext(function)
    )
    (tmp_path / "heap.hprof").write_bytes(b"x" * 10)
    (tmp_path / "broker.log").write_bytes(b"x" * 2)
    readers_ahead([str(tmp_path)], 4)
    assert asked == []
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "store.log.1").write_bytes(b"x")
    readers_ahead([str(tmp_path)], 1)
    assert asked == []
    readers_ahead([str(tmp_path), str(tmp_path / "missing.log")], 4)
    readers_ahead([str(tmp_path / "broker.log"), str(tmp_path / "logs/store.log.1")], 4)
    assert asked == [2, 2]
    monkeypatch.setattr(workers, "BYTES_FOR_A_WORKER", 2)
    readers_ahead([str(tmp_path)], 4)
    assert asked == [2, 2]


@CHECK
def test_a_reader_that_dies_is_told(logs: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mqdiag.diagnose.logs.WORK", f"{__name__}.die")
    report = diagnose_logs(logs[:2], Settings(jobs=2)).report
    assert [english()(given.error or NOTHING) for given in report.inputs] == [
        "the process that read it was ended by signal 9"
    ] * 2


def test_the_budget_of_a_run_ends_the_reading_of_all(logs: list[str]) -> None:
    report = diagnose_logs(logs[:2], Settings(jobs=2), progress=NoStep()).report
    assert [english()(given.error or NOTHING) for given in report.inputs] == ["took more than it may"] * 2
