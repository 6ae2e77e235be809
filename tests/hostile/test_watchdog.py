"""The watchdog of last resort: a run over its budget ends with a line and what it has."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from mqdiag.cli.common.watchdog import CPU_S, CPU_S_FOR_MB, MEMORY_BYTES, MEMORY_FOR_BYTE, Budget, watched
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.errors import InputError
from mqdiag.language import english
from mqdiag.progress import Silent
from mqdiag.text import NOTHING, say
from tests.graph.small_dump import small_dump
from tests.hostile.crafted_texts import ring_of_locks
from tests.layers import CHECK, one_in_each_run
from tests.waiting import PATIENCE_S

LINE = "2026-11-21 10:00:00,000 WARN BrokerFastFailure - [TIMEOUT_CLEAN_QUEUE]broker busy, start flow control\n"
ADMIN = (Path(__file__).parents[2] / "fixtures/admin/4.3.2/consumerProgress.txt").read_text()
ENDLESS = """
import sys
from mqdiag.cli.common.watchdog import watched
from mqdiag.files import whole_file
from mqdiag.progress import Silent
kept = []
with watched(Silent(), ["evidence"]), whole_file("half written") as file:
    while True:
        {work}
"""


def ended(folder: Path, code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


@CHECK
@pytest.mark.parametrize(
    ("work", "limits", "what"),
    [
        ("pass", {"MQDIAG_MOST_CPU_S": "1", "MQDIAG_MOST_MEMORY": "0"}, "2 s of CPU time"),
        (
            "kept.append(bytearray(b'x') * (1 << 20))",
            {"MQDIAG_MOST_CPU_S": "0", "MQDIAG_MOST_MEMORY": "100m"},
            "200 MiB of memory",
        ),
    ],
    ids=["time", "memory"],
)
def test_what_goes_on_and_on_ends_at_twice_the_budget(
    work: str, limits: dict[str, str], what: str, tmp_path: Path
) -> None:
    done = ended(tmp_path, ENDLESS.format(work=work), **limits)
    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"mqdiag: evidence: took more than {what}, the budget of a run")
    assert os.listdir(tmp_path) == []


@CHECK
def test_without_a_thread_of_its_own_it_looks_at_each_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where this user may start no more threads."""

    def refused(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    monkeypatch.setenv("MQDIAG_MOST_CPU_S", "1")
    with watched(Silent(), ["evidence"]) as progress:
        progress.check()
        begun = time.process_time()
        while time.process_time() - begun < 1.2:
            pass
        with pytest.raises(InputError, match="took more than 1 s of CPU time"):
            progress.advance(0.5)


class Ending(Silent):
    """Progress that allows so many steps."""

    def __init__(self, steps: int) -> None:
        self._left = steps

    def advance(self, share: float) -> None:
        self._left -= 1
        if self._left < 0:
            raise InputError("any", say("took more than it may"))


def test_a_log_is_read_as_far_as_the_budget_goes(tmp_path: Path) -> None:
    (tmp_path / "broker.log").write_text(LINE * 100_000)
    (tmp_path / "store.log").write_text(LINE)
    names = [str(tmp_path / "broker.log"), str(tmp_path / "store.log")]
    report = diagnose_logs(names, progress=Ending(3)).report
    first, second = report.inputs
    assert (first.complete, first.error, english()(first.problem or NOTHING)) == (
        False,
        None,
        "took more than it may",
    )
    assert 0 < (first.stopped_at_byte or 0) < len(LINE) * 100_000
    assert english()(second.error or NOTHING) == "took more than it may"
    assert report.answer is not None
    assert report.answer.state != "healthy"
    assert "input-incomplete" in {finding.rule for finding in report.findings}


def test_a_large_input_has_a_larger_budget(tmp_path: Path) -> None:
    with open(tmp_path / "large", "wb") as file:
        file.truncate(100 << 20)
    (tmp_path / "loop").symlink_to(tmp_path)
    budget = Budget.of_environment()
    assert (budget.cpu_s, budget.memory_bytes) == (CPU_S, MEMORY_BYTES)
    budget.grow([str(tmp_path), str(tmp_path / "missing")])
    budget.grow([str(tmp_path)])
    assert budget.cpu_s == pytest.approx(CPU_S + 100 * CPU_S_FOR_MB, rel=0.01)
    assert budget.memory_bytes == pytest.approx(MEMORY_BYTES + (100 << 20) * MEMORY_FOR_BYTE, rel=0.01)


@one_in_each_run(2)
@pytest.mark.parametrize("variable", ["MQDIAG_MOST_CPU_S", "MQDIAG_MOST_MEMORY"])
def test_a_limit_that_is_none_is_wrong_usage(variable: str, tmp_path: Path) -> None:
    code = "import sys; from mqdiag.cli import run; sys.exit(run(['stacks', 'x']))"
    done = ended(tmp_path, code, **{variable: "much"})
    assert done.returncode == 2
    assert "much" in done.stderr


class OverBudget(Silent):
    """Progress of a run whose budget is used up after some questions."""

    def __init__(self, answers: int) -> None:
        self._left = answers

    def advance(self, share: float) -> None:
        self.check()

    def check(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise InputError("any", say("took more than it may"))


def test_every_kind_that_was_read_stays_when_the_budget_is_used_up(tmp_path: Path) -> None:
    (tmp_path / "broker.log").write_text(LINE * 100_000)
    (tmp_path / "jstack.txt").write_text(ring_of_locks(10))
    (tmp_path / "dump.hprof").write_bytes(small_dump(8).to_bytes())
    (tmp_path / "progress.txt").write_text(ADMIN)
    everything = diagnose_incident([tmp_path]).report
    kinds = {given.kind for given in everything.inputs}
    own_problems = {english()(given.problem or NOTHING) for given in everything.inputs}
    assert kinds == {"heap", "stacks", "log", "admin"}
    for answers in (0, 1, 2, 5, 12):
        report = diagnose_incident([tmp_path], progress=OverBudget(answers)).report
        assert {given.kind for given in report.inputs} == kinds
        reasons = {english()(given.error or given.problem or NOTHING) for given in report.inputs} - own_problems
        assert reasons == {"took more than it may"}
        has = {"heap": report.heap, "stacks": report.stacks, "log": report.logs, "admin": report.admin}
        for given in report.inputs:
            assert (has[given.kind or ""] is not None) == (given.error is None)
        assert report.answer.state != "healthy"


@CHECK
def test_a_thread_dump_is_read_as_far_as_the_budget_goes(tmp_path: Path) -> None:
    path = tmp_path / "jstack.txt"
    path.write_text(ring_of_locks(4_000, samples=3))
    (given,) = diagnose_stacks([path], progress=OverBudget(3)).report.inputs
    assert (given.complete, given.error) == (False, None)
    assert english()(given.problem or NOTHING) == "took more than it may"
    assert 0 < (given.stopped_at_byte or 0) < path.stat().st_size
