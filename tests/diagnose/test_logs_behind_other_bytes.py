"""A log whose first bytes are no log's is read beside others, or said not to be: never passed over for an all-clear."""

from __future__ import annotations

import base64
import gzip
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from tests.layers import one_in_each_run

LOGS = Path(__file__).parents[2] / "fixtures" / "logs"
FULL = gzip.decompress((LOGS / "disk-full-5.3.3" / "broker" / "store.log.gz").read_bytes())
HEALTHY = LOGS / "healthy-5.3.3"
READ: dict[str, Callable[[bytes], bytes]] = {
    "utf-16 with a mark": lambda log: log.decode().encode("utf-16"),
    "utf-16 without a mark": lambda log: log.decode().encode("utf-16-le"),
    "one long line": lambda log: b"x" * 70_000 + b"\n" + log,
    "zeros of a lost block": lambda log: bytes(1 << 20) + log,
    "blank lines": lambda log: b"\n" * 70_000 + log,
    "lines of other text": lambda log: b"abc\n" * 20_000 + log,
}
TOLD: dict[str, Callable[[bytes], bytes]] = {
    "control bytes": lambda log: bytes(range(1, 8)) * 10_000 + log,
    "program": lambda log: b"\x7fELF\x02\x01\x01" + bytes(100) + log,
    "picture": lambda log: b"\x89PNG\r\n\x1a\n" + bytes(100) + log,
}
UNREAD: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("logs.7z", lambda log: b"7z\xbc\xaf\x27\x1c" + zlib.compress(log)),
    ("logs.rar", lambda log: b"Rar!\x1a\x07\x01\0" + zlib.compress(log)),
    ("store.log.lz4", lambda log: b"\x04\x22\x4d\x18" + zlib.compress(log)),
    ("store.log.1.Z", lambda log: b"\x1f\x9d\x90" + zlib.compress(log)),
    ("store.log.gpg", lambda log: b"\x85\x02" + zlib.compress(log)),
    ("store.log", base64.encodebytes),
    ("store.log.2026-11-21", zlib.compress),
]


def state(folder: Path, name: str, data: bytes) -> tuple[str, set[str]]:
    (folder / name).write_bytes(data)
    report = diagnose_incident([HEALTHY, folder]).report
    return report.answer.state, {found.rule for found in report.findings}


@one_in_each_run(4)
@pytest.mark.parametrize(
    ("way", "packed"),
    [(way, packed) for way in READ for packed in (False, True) if not (packed and "zeros" in way)],
)
def test_a_log_behind_its_beginning_is_read(way: str, packed: bool, tmp_path: Path) -> None:
    data = READ[way](FULL)
    found = state(tmp_path, "store.log.gz" if packed else "store.log", gzip.compress(data) if packed else data)
    assert found[0] == "fault"
    assert "disk-full" in found[1]


@one_in_each_run(3)
@pytest.mark.parametrize("way", TOLD)
def test_one_that_cannot_be_read_forbids_an_all_clear(way: str, tmp_path: Path) -> None:
    assert state(tmp_path, "store.log", TOLD[way](FULL))[0] == "undecided"


@pytest.mark.parametrize(("name", "way"), UNREAD)
@pytest.mark.parametrize("within", [False, True])
def test_evidence_in_a_form_without_a_reader_forbids_an_all_clear(
    name: str, way: Callable[[bytes], bytes], within: bool, tmp_path: Path
) -> None:
    data = way(FULL)
    if within:
        with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
            archive.writestr(name, data)
    else:
        (tmp_path / name).write_bytes(data)
    assert diagnose_incident([HEALTHY, tmp_path]).report.answer.state == "undecided"


def test_packed_zeros_forbid_an_all_clear(tmp_path: Path) -> None:
    assert state(tmp_path, "store.log.gz", gzip.compress(bytes(1 << 20) + FULL))[0] == "undecided"


def test_other_files_beside_healthy_logs_change_nothing(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_bytes(b"some words of somebody\n" * 9_000)
    (tmp_path / "data.bin").write_bytes(bytes(range(256)) * 900)
    assert state(tmp_path, "empty.bin", bytes(200_000))[0] == "healthy"


@one_in_each_run(3)
@pytest.mark.parametrize("place", [0, 40, -1])
def test_a_message_with_the_head_of_a_table_of_mqadmin_hides_no_line(place: int, tmp_path: Path) -> None:
    quoted = (
        b"2026-11-21 20:00:00.100  INFO 1 --- [http-1] c.s.A : note #Cluster Name #Broker Name #BID #Addr"
        b" #Version #InTPS(LOAD) #OutTPS(LOAD) #PCWait(ms)"
    )
    lines = FULL.splitlines()
    lines.insert(place % (len(lines) + 1), quoted)
    found = state(tmp_path, "store.log", b"\n".join(lines) + b"\n")
    assert found[0] == "fault"
    assert "disk-full" in found[1]
