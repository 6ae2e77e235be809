"""The process that analyses: what it answers, and what ends it without harm."""

from __future__ import annotations

import gzip
import os
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from mqdiag.config import Settings
from mqdiag.fleet.options import Limits
from mqdiag.fleet.work.analyse import Request
from mqdiag.fleet.work.child import WarmChild
from mqdiag.fleet.work.loss import NotAnalysed
from mqdiag.language import english
from tests.layers import CHECK
from tests.waiting import wait_until

pytestmark = CHECK


@pytest.fixture
def child() -> Iterator[WarmChild]:
    made = WarmChild(Limits(memory_bytes=2 << 30, recycle_after=3))
    yield made
    made.close()


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory, fixtures: Path) -> Path:
    """A dump of 43 MB whose messages filled the heap."""
    path = tmp_path_factory.mktemp("dump") / "dump.hprof"
    path.write_bytes(gzip.decompress((fixtures / "heap/oversized-oom-4.3.2/dump.hprof.gz").read_bytes()))
    return path


def _request(tmp_path: Path, *paths: Path) -> Request:
    return Request(
        paths={str(path): f"s3://dumps/{path.name}" for path in paths},
        settings=Settings(),
        classes=5,
        scratch=str(tmp_path),
    )


def test_it_answers_is_reused_and_recycled(child: WarmChild, dump: Path, tmp_path: Path) -> None:
    pids = []
    for _ in range(4):
        rows = child.analyse(_request(tmp_path, dump))
        pids.append(child.pid)
    assert pids[0] == pids[1] == pids[2] != pids[3]
    assert next(row["rule"] for row in rows["findings"]) == "consumer-cache-exceeds-heap"
    assert rows["inputs"][0]["path"] == "s3://dumps/dump.hprof"
    assert len(rows["classes"]) == 5
    assert rows["consumers"][0]["threshold"] == 100
    assert rows["consumers"][0]["subscriptions"] == ["oversized-oom-4_3_2_orders"]
    assert rows["incidents"][0]["status"] == "ok"


def test_it_imports_nothing_from_the_working_folder(
    child: WarmChild, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("json", "msgspec", "mqdiag"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    child.start()
    assert not (tmp_path / "ran").exists()


def _many_objects(path: Path, count: int) -> Path:
    """A dump of so many instances of java.lang.Object, which need memory by their number; written in pieces."""
    head = b"JAVA PROFILE 1.0.2\0" + struct.pack(">IQ", 8, 0)
    head += struct.pack(">BIIQ", 0x01, 0, 24, 1) + b"java/lang/Object"
    head += struct.pack(">BIIIQIQ", 0x02, 0, 24, 1, 0x1000, 0, 1)
    class_dump = struct.pack(">BQI", 0x20, 0x1000, 0) + bytes(6 * 8 + 4 + 3 * 2)
    kind = np.dtype([("tag", "u1"), ("id", ">u8"), ("serial", ">u4"), ("class", ">u8"), ("length", ">u4")])
    instances = np.zeros(100_000, kind)
    instances["tag"], instances["class"] = 0x21, 0x1000
    with path.open("wb") as file:
        file.write(head)
        file.write(struct.pack(">BII", 0x1C, 0, len(class_dump) + count * kind.itemsize) + class_dump)
        for first in range(0, count, len(instances)):
            instances["id"] = 0x2000 + 16 * np.arange(first, first + len(instances))
            file.write(instances[: count - first].tobytes())
        file.write(struct.pack(">BII", 0x2C, 0, 0))
    return path


def test_too_much_memory_is_a_failure_and_the_next_incident_goes_on(fixtures: Path, tmp_path: Path) -> None:
    tight = WarmChild(Limits(memory_bytes=160 << 20))
    try:
        # Either the kernel refuses and the analysis says so, or the watchdog is faster and ends it.
        try:
            (failure,) = tight.analyse(_request(tmp_path, _many_objects(tmp_path / "many.hprof", 6_000_000)))[
                "failures"
            ]
            kind, reason = failure["kind"], failure["reason"]
        except NotAnalysed as ended:
            kind, reason = ended.kind, english()(ended.reason)
        assert kind == "memory"
        assert "more memory than" in reason or "more than 160 MiB" in reason
        small = fixtures / "stacks/latch-stuck/series.tar.gz"
        assert tight.analyse(_request(tmp_path, small))["incidents"][0]["status"] == "ok"
    finally:
        tight.close()


def test_too_much_time_is_a_failure(dump: Path, tmp_path: Path) -> None:
    hasty = WarmChild(Limits(memory_bytes=2 << 30, time_s=0.01))
    try:
        with pytest.raises(NotAnalysed) as failure:
            hasty.analyse(_request(tmp_path, dump))
        assert failure.value.kind == "time"
        assert hasty.pid is None
    finally:
        hasty.close()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_child_that_is_killed_is_a_failure(
    child: WarmChild, dump: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    child.analyse(_request(tmp_path, dump))
    pid = child.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)  # so that it cannot be done before it is killed

    def send(self: WarmChild, data: bytes) -> None:
        plain_send(self, data)
        os.kill(pid, number)
        os.kill(pid, signal.SIGCONT)

    plain_send = WarmChild._send
    monkeypatch.setattr(WarmChild, "_send", send)
    with pytest.raises(NotAnalysed) as failure:
        child.analyse(_request(tmp_path, dump))
    monkeypatch.undo()
    assert failure.value.kind == "killed"
    assert english()(failure.value.reason) == "something outside killed the analysing process"
    assert child.analyse(_request(tmp_path, dump))["incidents"][0]["status"] == "ok"


def test_a_bomb_inflates_to_the_limit_only(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.hprof.gz"
    with gzip.open(bomb, "wb") as file:
        file.write(b"JAVA PROFILE 1.0.2\0")
        for _ in range(200):
            file.write(bytes(1 << 20))
    small = WarmChild(Limits(memory_bytes=2 << 30, input_bytes=16 << 20))
    try:
        rows = small.analyse(_request(tmp_path, bomb))
    finally:
        small.close()
    assert rows["incidents"][0]["status"] == "failed"
    (failure,) = rows["failures"]
    assert failure["kind"] == "too-large"
    assert failure["reason"].startswith("inflates to more than 16 MiB, the limit of this process for one file")
    assert "TMPDIR" not in failure["reason"]
    assert sum(file.stat().st_size for file in tmp_path.rglob("*")) < (17 << 20)


def test_it_does_not_outlive_whoever_started_it(tmp_path: Path) -> None:
    script = (
        "import sys, time; from mqdiag.fleet.options import Limits; from mqdiag.fleet.work.child import WarmChild;"
        "child = WarmChild(Limits()); child.start(); print(child.pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
    wait_until(lambda: not _lives(pid), "the end of the process")


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
