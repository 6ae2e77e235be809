"""Thread dumps that several processes read give the report that one process gives."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from mqdiag import workers
from mqdiag.config import Settings
from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.progress import Silent
from mqdiag.read.stacks import series
from mqdiag.read.stacks.reader import ReadResult
from mqdiag.report_json import to_values

SERIES = Path(__file__).parents[2] / "fixtures" / "stacks" / "urlconnection-stuck" / "series.tar.gz"


@pytest.fixture
def dumps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Five samples, and a file that holds none."""
    monkeypatch.setattr(series, "BYTES_FOR_A_WORKER", 1)
    with tarfile.open(SERIES) as archive:
        archive.extractall(tmp_path, filter="data")
    (tmp_path / "words.txt").write_text("no dump\n")
    return sorted(str(path) for path in tmp_path.rglob("*") if path.is_file())


def test_the_report_is_that_of_one_process(dumps: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    start = workers.started
    monkeypatch.setattr(workers, "started", lambda module: started.append(module) or start(module))
    one = diagnose_stacks(dumps, Settings(jobs=1)).report
    assert started == []
    several = diagnose_stacks(dumps, Settings(jobs=2)).report
    assert len(started) == 2
    assert to_values(several) == to_values(one)
    assert one.stacks is not None
    assert one.stacks.samples == 5


def test_equal_stacks_of_several_workers_are_one(dumps: list[str]) -> None:
    """What a stack means is then worked out once for all samples, as where one process reads them."""
    different = []
    for jobs in (1, 2):
        results = [one for one in series.read_series(dumps, Silent(), jobs) if isinstance(one, ReadResult)]
        threads = [thread for one in results for sample in one.samples for thread in sample.threads]
        different.append(len({id(thread.stack) for thread in threads}))
    alone, by_workers = different
    assert 0 < by_workers <= alone
