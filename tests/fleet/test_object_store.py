"""Evidence and tables in an object store: S3 on loopback, spoken to through pyarrow."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from mqdiag.config import Settings
from mqdiag.errors import UsageError
from mqdiag.fleet.files.fingerprints import content_fingerprint
from mqdiag.fleet.files.incidents import IncidentFile, incidents
from mqdiag.fleet.files.labels import Template
from mqdiag.fleet.files.listing import Listing
from mqdiag.fleet.files.storage import Storage, storage
from mqdiag.fleet.options import Limits
from mqdiag.fleet.tables.commit import whole_or_nothing
from mqdiag.fleet.tables.layout import Layout, RunMark
from mqdiag.fleet.tables.schemas import SCHEMA_VERSION
from mqdiag.fleet.work import task
from mqdiag.fleet.work.item import Job, WorkItem
from mqdiag.fleet.work.loss import NotAnalysed
from mqdiag.fleet.work.results import read_result
from mqdiag.fleet.work.scratch import fetch, wait_for_room
from tests.fleet.cluster import free_port
from tests.fleet.made_fleet import heap
from tests.fleet.runs import run
from tests.layers import CHECK, NIGHTLY
from tests.waiting import wait_until


@pytest.fixture(scope="module")
def query() -> Iterator[str]:
    """The options that lead a URI to the server."""
    port = free_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "test")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        server = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        query = f"?scheme=http&endpoint_override=127.0.0.1:{port}&region=us-east-1&allow_bucket_creation=true"
        try:
            _create(f"s3://dumps/x{query}", server)
            yield query
        finally:
            server.kill()
            server.wait()


def _create(uri: str, server: subprocess.Popen[bytes]) -> None:
    def is_there() -> bool:
        assert server.poll() is None
        with contextlib.suppress(OSError):
            storage(uri)[0].system.create_dir("dumps")
            return True
        return False

    wait_until(is_there, "the store")


@pytest.fixture(scope="module")
def bucket(query: str) -> tuple[Storage, str]:
    store, _ = storage(f"s3://dumps/in{query}")
    store.write("dumps/in/orders/h1/20261121-080000.hprof", heap("stuck-one-4.9.8"))
    store.write("dumps/in/orders/h2/20261121-080000.hprof", heap("no-rocketmq"))
    return store, query


def _item(query: str) -> WorkItem:
    listing = Listing([f"s3a://dumps/in{query}"], [Template("{service}/{host}/{time}.hprof")])
    files = [file for file in listing if file.labels.host == "h1"]
    ((one),) = incidents(files, 600)
    contents = tuple(content_fingerprint(file) for file in one.files)
    return WorkItem(
        incident="ab12",
        environment="",
        service=one.service,
        host=one.host,
        window_start_ns=one.window_start_ns,
        bytes=one.bytes,
        files=one.files,
        contents=contents,
        listing=one.listing,
        evidence="e",
    )


def _job(query: str, scratch: Path, **limits: int) -> Job:
    return Job(
        out=f"s3://dumps/out{query}",
        run="r1",
        settings=Settings(),
        settings_hash="x",
        limits=Limits(memory_bytes=2 << 30, **limits),
        scratch=str(scratch),
    )


@CHECK
def test_an_object_is_listed_fetched_analysed_and_removed(bucket: tuple[Storage, str], tmp_path: Path) -> None:
    store, query = bucket
    item = _item(query)
    assert item.files[0].uri == f"s3://dumps/in/orders/h1/20261121-080000.hprof{query}"
    assert item.files[0].bytes == len(heap("stuck-one-4.9.8"))
    assert task.run_item(item, _job(query, tmp_path))
    result = read_result(store, "dumps/out", "ab12")
    assert result is not None
    assert "offset-stuck-at-head" in [row["rule"] for row in result.rows["findings"]]
    # The endpoint is not the evidence's; the same object is found by another one tomorrow.
    assert [row["path"] for row in result.rows["inputs"]] == ["s3://dumps/in/orders/h1/20261121-080000.hprof"]
    assert result.rows["inputs"][0]["fingerprint"] == item.contents[0]
    assert list(tmp_path.iterdir()) == []


@CHECK
def test_an_object_over_the_limit_is_not_fetched(bucket: tuple[Storage, str], tmp_path: Path) -> None:
    store, _ = bucket
    with pytest.raises(NotAnalysed) as large:
        fetch(store, "dumps/in/orders/h1/20261121-080000.hprof", tmp_path / "x", 1 << 20)
    assert large.value.kind == "too-large"
    assert (tmp_path / "x").stat().st_size <= 1 << 20


def test_an_object_that_has_gone_is_tried_again_by_the_next_run(
    bucket: tuple[Storage, str], tmp_path: Path
) -> None:
    store, query = bucket
    item = WorkItem(
        incident="cd34",
        environment="",
        service="orders",
        host="h9",
        window_start_ns=None,
        bytes=10,
        files=(IncidentFile(uri=f"s3://dumps/in/gone.hprof{query}", bytes=10),),
        contents=("?",),
        listing="?",
        evidence="?",
    )
    assert not task.run_item(item, _job(query, tmp_path))
    result = read_result(store, "dumps/out", "cd34")
    assert result is not None
    assert result.again
    assert result.rows["failures"][0]["kind"] == "lost"


@CHECK
def test_a_full_scratch_disk_waits_and_then_says_so(tmp_path: Path) -> None:
    started = time.monotonic()
    with pytest.raises(NotAnalysed) as full:
        wait_for_room(tmp_path, 1 << 60, 0.6)
    assert time.monotonic() - started >= 0.5
    assert full.value.kind == "no-room"
    assert "1,048,576 TiB" in str(full.value)


def test_marks_and_tables_lie_in_the_store(bucket: tuple[Storage, str], tmp_path: Path) -> None:
    store, _ = bucket
    layout = Layout(store, "dumps/marks")
    mark = RunMark(
        run="r1",
        order=1,
        mqdiag="0",
        schema_version=SCHEMA_VERSION,
        started_at=datetime(2026, 11, 21, tzinfo=UTC),
        finished_at=datetime(2026, 11, 21, tzinfo=UTC),
        incidents=1,
        analysed=1,
        failed=0,
        bytes=1,
    )
    assert layout.runs() == []
    layout.mark(mark)
    assert layout.runs() == [mark]


def test_a_failed_commit_leaves_no_table_in_the_store(bucket: tuple[Storage, str]) -> None:
    """Part files are written to their place there, not moved."""
    layout = Layout(bucket[0], "dumps/failed")

    def write_half() -> None:
        with whole_or_nothing(layout):
            layout.store.write(layout.part("findings", "half", "2026-11-21", 0), b"rows")
            raise OSError("the store is gone")

    with pytest.raises(OSError, match="is gone"):
        write_half()
    assert _all(layout.store, layout.root) == []


@pytest.mark.parametrize("uri", ["nosuch://bucket/x", "s3://", "s3://key:secret@bucket/x"])
def test_an_unknown_store_is_refused(uri: str) -> None:
    with pytest.raises(UsageError):
        storage(uri)


@NIGHTLY
@pytest.mark.usefixtures("_java")
def test_a_whole_run_from_and_to_the_store(bucket: tuple[Storage, str]) -> None:
    store, query = bucket
    arguments = (f"s3://dumps/in{query}", "--template", "{service}/{host}/{time}.hprof")
    first = run(*arguments, "--out", f"s3://dumps/whole{query}", "--run", "first")
    assert first.code == 1, first.err
    assert first.report["fleet"]["totals"]["analysed"] == 2
    second = run(*arguments, "--out", f"s3://dumps/whole{query}", "--run", "second")
    assert second.report["fleet"]["totals"]["known"] == 2
    parts = [entry for entry in _all(store, "dumps/whole/incidents") if entry.endswith(".parquet")]
    tables = [pq.read_table(part, filesystem=store.system, partitioning=None) for part in parts]
    rows = [row for table in tables for row in table.to_pylist()]
    assert sorted(row["analysed_in"] for row in rows) == ["first"] * 4
    assert not [path for path in _all(store, "dumps/whole/_staging") if "/results/" in path]


def _all(store: Storage, folder: str) -> list[str]:
    from pyarrow import fs

    selector = fs.FileSelector(folder, recursive=True, allow_not_found=True)
    return [info.path for info in store.system.get_file_info(selector) if info.type == fs.FileType.File]
