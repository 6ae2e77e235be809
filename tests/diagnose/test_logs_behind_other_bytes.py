"""A log whose first bytes are no log's is read beside others, or said not to be: never passed over for an all-clear."""

from __future__ import annotations

import base64
import gzip
import html
import io
import json
import zipfile
import zlib
from collections.abc import Callable
from email.message import EmailMessage
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


def zipped(name: str, data: bytes) -> bytes:
    """A zip archive with one member."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return packed.getvalue()


def table(log: bytes) -> bytes:
    """The shared texts of a workbook."""
    cells = "".join(f"<si><t>{html.escape(line)}</t></si>" for line in log.decode().splitlines())
    return zipped("xl/sharedStrings.xml", f"<sst>{cells}</sst>".encode())


def mail(attached: bytes) -> bytes:
    """A mail with an attachment."""
    message = EmailMessage()
    message["Subject"] = "the log"
    message.set_content("see the attachment")
    message.add_attachment(attached, maintype="application", subtype="octet-stream", filename="x")
    return bytes(message)


def hits(log: bytes) -> bytes:
    """What a search in a page of logs exports."""
    return json.dumps([{"_source": {"m": line}} for line in log.decode().splitlines()]).encode()


UNREAD: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("logs.7z", lambda log: b"7z\xbc\xaf\x27\x1c" + zlib.compress(log)),
    ("logs.rar", lambda log: b"Rar!\x1a\x07\x01\0" + zlib.compress(log)),
    ("store.log.lz4", lambda log: b"\x04\x22\x4d\x18" + zlib.compress(log)),
    ("store.log.1.Z", lambda log: b"\x1f\x9d\x90" + zlib.compress(log)),
    ("store.log.gpg", lambda log: b"\x85\x02" + zlib.compress(log)),
    ("store.log", base64.encodebytes),
    ("store.log.2026-11-21", zlib.compress),
    ("log.xlsx", table),
    ("log.docx", lambda log: zipped("word/document.xml", b"<w:p>" + b"</w:p><w:p>".join(log.splitlines()))),
    ("log.eml", mail),
    ("packed.eml", lambda log: mail(gzip.compress(log))),
    ("x.json", hits),
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


@one_in_each_run(8)
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


@one_in_each_run(4)
@pytest.mark.parametrize("folder", [".old", ".git", "node_modules", "__pycache__"])
def test_evidence_in_a_folder_of_tools_forbids_an_all_clear(folder: str, tmp_path: Path) -> None:
    (tmp_path / folder / "logs").mkdir(parents=True)
    assert (
        state(tmp_path, f"{folder}/logs/HEAD", b"0000 a1b2 me <me@a> 1795262400 +0000\tcommit\n")[0]
        == "healthy"
    )
    report = diagnose_incident([HEALTHY, tmp_path]).report
    assert str(tmp_path / folder) in {one.path for one in report.inputs if one.skipped is not None}
    assert state(tmp_path, f"{folder}/logs/x", FULL)[0] == "undecided"


@one_in_each_run(3)
@pytest.mark.parametrize("name", ["x.json", "a.xml", "a.yml", "truth.json", "consumerOffset.json"])
def test_a_log_with_the_name_of_a_document_is_read(name: str, tmp_path: Path) -> None:
    assert state(tmp_path, name, FULL)[0] == "fault"


@one_in_each_run(2)
@pytest.mark.parametrize("program", [b"#!/bin/sh\nexit\n", b"MZ" + bytes(range(256))])
def test_an_archive_that_unpacks_itself_is_read(program: bytes, tmp_path: Path) -> None:
    assert state(tmp_path, "logs.run", program + zipped("store.log", FULL))[0] == "fault"
    assert state(tmp_path, "logs.run", program + zipped("BOOT-INF/store.log", FULL))[0] == "healthy"


def test_other_mails_and_documents_change_nothing(tmp_path: Path) -> None:
    (tmp_path / "hello.eml").write_bytes(mail(b"\x89PNG" + bytes(400)))
    (tmp_path / "list.xlsx").write_bytes(table(b"orders\n" * 30))
    assert state(tmp_path, "list.json", hits(b"orders\n" * 30))[0] == "healthy"


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
