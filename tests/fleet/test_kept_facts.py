"""What was read is kept: other limits and expectations judge it again without the evidence. No Spark."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from mqdiag.config import Settings
from mqdiag.diagnose.incident import judge_incident, read_incident
from mqdiag.fleet.files.incidents import IncidentFile, hash_of
from mqdiag.fleet.files.storage import storage
from mqdiag.fleet.options import GIB, Limits
from mqdiag.fleet.tables.compact import compact
from mqdiag.fleet.tables.layout import Layout
from mqdiag.fleet.tables.schemas import KEPT_FACTS
from mqdiag.fleet.work import task
from mqdiag.fleet.work.analyse import Request, analyse
from mqdiag.fleet.work.item import Job, WorkItem
from mqdiag.fleet.work.kept_facts import packed_facts, reading_hash, unpacked_facts
from mqdiag.fleet.work.loss import NotAnalysed
from mqdiag.fleet.work.results import read_result
from mqdiag.fleet.work.rows import Rows
from mqdiag.fleet.work.task import run_item
from mqdiag.report_json import to_values
from mqdiag.text import say
from tests.fleet.made_output import Analysed, at, write_output
from tests.layers import CHECK, some_later

FIXTURES = Path(__file__).parents[2] / "fixtures"
SERIES = FIXTURES / "stacks/latch-stuck/series.tar.gz"
STRICT = Settings(limits={"stuck-wait": {"min_samples": 1000.0}})
"""settings by which the series shows no hang"""
CASES = [
    SERIES,
    FIXTURES / "drills/acl-rotation/fault.tar.xz",
    FIXTURES / "drills/explicit-gc/fault.tar.xz",
    FIXTURES / "drills/cache-growth/fault.tar.xz",
    FIXTURES / "heap/stuck-one-4.9.8/dump.hprof.gz",
    FIXTURES / "heap/no-rocketmq/dump.hprof.gz",
]


@pytest.mark.parametrize("case", some_later(CASES, lambda case: case != SERIES, name=str))
def test_kept_facts_are_judged_as_the_evidence_is(case: Path) -> None:
    evidence, _ = read_incident([case], Settings())
    kept = unpacked_facts(packed_facts(evidence))
    assert kept == evidence
    first, second = (to_values(judge_incident(one, Settings()).report) for one in (evidence, kept))
    assert first == second
    assert first["findings"] or "no-rocketmq" in str(case)


class InProcess:
    """Analyses here, as the child does in a process of its own."""

    def __init__(self) -> None:
        self.read = 0

    def of(self, limits: Limits) -> InProcess:
        return self

    def analyse(self, request: Request) -> Rows:
        self.read += bool(request.paths)
        try:
            return analyse(request)
        except ValueError as error:
            raise NotAnalysed(kind="fault", reason=say("{error}", error=str(error))) from error


@pytest.fixture
def child(monkeypatch: pytest.MonkeyPatch) -> InProcess:
    monkeypatch.setattr(tempfile, "tempdir", None)
    child = InProcess()
    monkeypatch.setattr(task, "warm_child", child.of)
    return child


@pytest.fixture
def evidence(tmp_path: Path) -> Path:
    path = tmp_path / "in/series.tar.gz"
    path.parent.mkdir()
    path.write_bytes(SERIES.read_bytes())
    return path


def _job(tmp_path: Path, settings: Settings, *, redact: bool = False) -> Job:
    (tmp_path / "scratch").mkdir(exist_ok=True)
    return Job(
        out=str(tmp_path / "out"),
        run="r1",
        settings=settings,
        settings_hash=hash_of(settings.limits, settings.heap_limit, redact),
        limits=Limits(memory_bytes=GIB),
        scratch=str(tmp_path / "scratch"),
        redact=redact,
        reading=reading_hash(settings, redact=redact),
    )


def _rows(job: Job, path: Path) -> Rows:
    item = WorkItem(
        incident=hash_of(job.settings_hash, job.again),
        environment="",
        service="orders",
        host="h1",
        window_start_ns=None,
        bytes=1,
        files=(IncidentFile(uri=str(path), bytes=1),),
        contents=("?",),
        listing="?",
        evidence="e",
    )
    run_item(item, job)
    result = read_result(*storage(job.out), item.incident)
    assert result is not None
    return result.rows


def _rules(rows: Rows) -> list[str]:
    return [row["rule"] for row in rows["findings"] if row["severity"] == "error"]


def _kept(tmp_path: Path) -> list[Path]:
    return [path for path in (tmp_path / "out" / KEPT_FACTS).rglob("*") if path.is_file()]


def test_other_limits_judge_again_without_the_evidence(
    tmp_path: Path, child: InProcess, evidence: Path
) -> None:
    rows = _rows(_job(tmp_path, Settings()), evidence)
    (kept,) = _kept(tmp_path)
    assert (_rules(rows), rows["incidents"][0]["facts"]) == (["stuck-wait"], kept.name)
    evidence.unlink()
    strict = _rows(_job(tmp_path, STRICT), evidence)
    assert _rules(strict) == []
    assert strict["incidents"][0]["status"] == "ok"
    assert [row["path"] for row in strict["inputs"]] == [row["path"] for row in rows["inputs"]]
    assert child.read == 1


@CHECK
def test_what_reading_depends_on_reads_again(tmp_path: Path, child: InProcess, evidence: Path) -> None:
    """So do --again, and facts that are damaged; --redact keeps none."""
    job = _job(tmp_path, Settings())
    _rows(job, evidence)
    _rows(_job(tmp_path, msgspec.structs.replace(STRICT, heap_limit=GIB)), evidence)
    assert (child.read, len(_kept(tmp_path))) == (2, 2)
    _rows(replace(job, again=True), evidence)
    assert child.read == 3
    for path in _kept(tmp_path):
        path.write_bytes(path.read_bytes()[:-9])
    assert _rules(_rows(_job(tmp_path, STRICT), evidence)) == []
    assert child.read == 4
    for path in _kept(tmp_path):
        path.unlink()
    _rows(_job(tmp_path, Settings(), redact=True), evidence)
    assert (child.read, _kept(tmp_path)) == (5, [])


def test_facts_go_with_the_last_run_that_names_them(tmp_path: Path) -> None:
    layout = Layout(*storage(str(tmp_path / "out")))
    one = Analysed(incident="a", host="h1", window_start=at(2), more={"facts": "aa1"})
    write_output(layout, "r1", [one])
    for name in ("aa1", "bb2"):
        path = tmp_path / "out" / KEPT_FACTS / name[:2] / name
        path.parent.mkdir(parents=True)
        path.write_bytes(b"x")
    compact(layout)
    assert [path.name for path in _kept(tmp_path)] == ["aa1"]
