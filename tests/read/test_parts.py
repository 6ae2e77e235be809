"""Pastes with several kinds of evidence, taken apart."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.sort.kind import all_kinds
from mqdiag.diagnose.sort.piece import Piece
from mqdiag.diagnose.sort.route import needs_sorting
from mqdiag.read.parts import MAX_BYTES, parts_of
from tests.folded import folded
from tests.read.stacks.given import real_dump

LOG = (
    "2026-11-21 20:00:01 WARN SendMessageThread_1 - [NOTIFYME]putMessage in lock cost time(ms)=1502, bodyLength=181\n"
    "2026-11-21 20:00:03 WARN SendMessageThread_2 - [NOTIFYME]putMessage in lock cost time(ms)=1802, bodyLength=181\n"
)
THREAD = (
    '"SendMessageThread_1" #30 prio=5 os_prio=0 tid=0x00007fabdb29d800 nid=0x6a03 runnable [0x000070000ae7c000]\n'
    "   java.lang.Thread.State: RUNNABLE\n\tat org.apache.rocketmq.store.MappedFile.appendMessage(MappedFile.java:1)\n"
    "\n"
)
ADMIN = (
    "[root@mq bin]# sh mqadmin consumerConnection -n 10.0.0.9:9876 -g CID_stock\n"
    "#ClientId                            #ClientAddr            #Language  #Version\n"
    "10.0.0.7@170                         10.0.3.11:43166        JAVA       V5_3_3\n\n"
    "Below is subscription:\n#Topic               #SubExpression\norders               *\n\n"
    "ConsumeType: CONSUME_PASSIVELY\n"
)
STATUS = (
    "bootTimestamp                   : 1795265442179\nbrokerVersionDesc               : V5_3_3\n"
    "pageCacheLockTimeMills          : 1384\n"
)
CRASH = (
    "# A fatal error has been detected by the Java Runtime Environment:\n#\n"
    "#  SIGBUS (0x7) at pc=0x00007f12a40a7b60, pid=24250, tid=0x00007f1131bfe700\n# Problematic frame:\n"
    "# v  ~StubRoutines::jbyte_disjoint_arraycopy\n#\n"
)


REFUSED = "send error:CODE: 2  DESC: [TIMEOUT_CLEAN_QUEUE]broker busy, start flow control for a while, period in queue"
CONFIG = "brokerClusterName=shop\nbrokerRole=ASYNC_MASTER\n"


def test_a_refusal_without_its_record_is_a_log_beside_the_settings() -> None:
    parts = {part.name: part.text for part in parts_of(f"{REFUSED}: 200ms\nmy settings:\n{CONFIG}")}
    assert parts["log lines"] == f"{REFUSED}: 200ms\nmy settings:\n"
    assert parts["settings of a broker"].strip() == CONFIG.strip()


def test_everything_in_one_paste() -> None:
    text = f"what we see:\n{ADMIN}and the log:\n{LOG}{THREAD}{STATUS}{CRASH}"
    parts = {part.name: part.text for part in parts_of(text)}
    assert list(parts) == ["mqadmin output", "log lines", "thread dumps", "crash report"]
    assert parts["log lines"] == LOG
    assert parts["mqadmin output"] == f"what we see:\n{ADMIN}and the log:\n{STATUS}"
    assert parts["crash report"].strip() == CRASH.strip()
    assert parts["thread dumps"] == THREAD


def test_a_send_that_failed_is_apart_from_an_answer_of_mqadmin() -> None:
    failed = (
        "org.apache.rocketmq.client.exception.MQClientException: Send [3] times, still failed, cost [6013]ms\n"
    )
    parts = {part.name: part.text for part in parts_of(f"it says:\n{failed}{ADMIN}")}
    assert failed in parts["log lines"]
    assert parts["mqadmin output"].strip() == ADMIN.strip()


def test_log_lines_around_an_answer_of_a_host_are_a_log() -> None:
    free = "$ free -h\n   total used free shared buff/cache available\nMem:  15G 13G 460M 210M 1.4G 1.1G\n"
    below = "$ dmesg\nOut of memory: Kill process 3164 (java) score 927 or sacrifice child\n"
    parts = {part.name: part.text for part in parts_of(f"{LOG}{free}\n{below}")}
    assert list(parts) == ["log lines", "disks and memory"]
    assert "Kill process" in parts["log lines"]
    assert "Mem:" in parts["disks and memory"]
    # its own prompt and blank lines make no log of it
    assert parts_of(f"{free}\n{free}") == []


def test_parts_of_one_kind_are_joined_in_their_order() -> None:
    one, two = LOG.splitlines(keepends=True)
    parts = {part.name: part.text for part in parts_of(f"{one}{ADMIN}{two}{ADMIN}")}
    assert list(parts) == ["log lines", "mqadmin output"]
    assert parts["log lines"] == LOG


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("==> store.log <==\n", "\n==> broker.log <==\n"),
        ("---- store.log ----\n", "---- broker.log ----\n"),
        ("### store.log:\n", "### broker.log:\n"),
        (
            "==> /home/admin/logs/rocketmqlogs/store.log <==\n",
            "\n==> /home/admin/logs/rocketmqlogs/broker.log <==\n",
        ),
    ],
)
def test_files_that_a_paste_names(first: str, second: str) -> None:
    other = LOG.replace("Send", "Pull")
    parts = {
        part.name.rpartition("/")[2]: part.text.strip() for part in parts_of(f"{first}{LOG}{second}{other}")
    }
    assert parts == {"store.log": LOG.strip(), "broker.log": other.strip()}


def test_what_tail_follows_in_turns_is_one_file_each() -> None:
    one, two = LOG.splitlines(keepends=True)
    text = f"==> a.log <==\n{one}\n==> b.log <==\n{one}\n==> a.log <==\n{two}"
    parts = {part.name: part.text.replace("\n\n", "\n").strip() for part in parts_of(text)}
    assert parts == {"a.log": LOG.strip(), "b.log": one.strip()}


@folded(
    "text",
    [
        LOG,
        THREAD,
        ADMIN,
        STATUS,
        CRASH,
        f"answer of the broker:\n{STATUS}",
        # a log with a thread dump, and with the head of a crash report, is read for both
        LOG + THREAD + LOG,
        LOG + CRASH + LOG,
        "one\ntwo\n",
        "",
    ],
)
def test_what_one_reader_understands_stays_whole(text: str) -> None:
    assert parts_of(text) == []


def test_a_real_dump_beside_an_answer_stays_whole() -> None:
    dump = real_dump()
    parts = {part.name: part.text for part in parts_of(ADMIN + dump)}
    assert parts["thread dumps"].strip() == dump.strip()


def test_diagnose_reads_all_parts_of_a_paste(tmp_path: Path) -> None:
    (tmp_path / "paste.txt").write_text(
        "".join(f"> {line}\n" for line in f"{ADMIN}{LOG}{THREAD}{CRASH}".splitlines())
    )
    report = diagnose_incident([tmp_path / "paste.txt"]).report
    assert sorted((Path(one.path).name, one.kind or "") for one in report.inputs) == [
        ("paste.txt!crash report", "crash"),
        ("paste.txt!log lines", "log"),
        ("paste.txt!mqadmin output", "admin"),
        ("paste.txt!thread dumps", "stacks"),
    ]
    assert report.admin is not None
    assert report.admin.consumer_connections[0].group == "CID_stock"
    assert report.logs is not None
    assert report.logs.count("slow-put-in-lock") == 2
    assert report.stacks is not None
    assert report.crash is not None


def test_a_large_file_is_not_taken_apart(tmp_path: Path) -> None:
    path = tmp_path / "all.log"
    path.write_text(LOG * (MAX_BYTES // len(LOG) + 1) + ADMIN)
    report = diagnose_incident([path]).report
    assert [Path(one.path).name for one in report.inputs] == ["all.log"]


@pytest.mark.parametrize(
    ("text", "own", "sorted_out"),
    [
        (ADMIN, "log", True),
        (ADMIN, "stacks", True),
        (CRASH, "log", True),
        (CRASH, "stacks", True),
        (THREAD, "log", True),
        (THREAD, "stacks", False),
        (LOG, "log", False),
        (LOG, "stacks", False),
        (LOG + THREAD, "log", False),
        (LOG + ADMIN, "log", True),
        ("==> a.log <==\n" + LOG + "==> b.log <==\n" + LOG, "log", True),
        ("prose\n", "log", False),
        ("", "log", False),
    ],
)
def test_which_texts_a_command_gives_to_all_readers(
    tmp_path: Path, text: str, own: str, sorted_out: bool
) -> None:
    path = tmp_path / "given.txt"
    path.write_text(text)
    assert needs_sorting(str(path), own) is sorted_out
    assert not needs_sorting(str(tmp_path), own)
    assert not needs_sorting(str(tmp_path / "missing"), own)


@pytest.mark.parametrize(("text", "sorted_out"), [(THREAD, True), (LOG, False), (LOG + THREAD, False)])
def test_packed_thread_dumps_that_are_given_as_logs(tmp_path: Path, text: str, sorted_out: bool) -> None:
    (tmp_path / "given.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "j1.log").write_text(text)
    with tarfile.open(tmp_path / "given.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "j1.log", "in/j1.log")
    with zipfile.ZipFile(tmp_path / "given.zip", "w") as pack:
        pack.write(tmp_path / "j1.log")
    for name in ("given.gz", "given.tar.gz", "given.zip"):
        assert needs_sorting(str(tmp_path / name), "log") is sorted_out
        assert not needs_sorting(str(tmp_path / name), "stacks")


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize(
    ("text", "for_logs", "for_stacks"),
    [(THREAD, True, False), (LOG, False, False), (ADMIN, True, True)],
)
def test_what_is_packed_is_looked_at_unpacked(
    tmp_path: Path, pack: Callable[[bytes], bytes], text: str, for_logs: bool, for_stacks: bool
) -> None:
    one, many = tmp_path / "given.packed", tmp_path / "given.tar.packed"
    one.write_bytes(pack(text.encode()))
    (tmp_path / "j1.log").write_text(text)
    with tarfile.open(tmp_path / "given.tar", "w") as archive:
        archive.add(tmp_path / "j1.log", "in/j1.log")
    many.write_bytes(pack((tmp_path / "given.tar").read_bytes()))
    for path in (one, many):
        assert needs_sorting(str(path), "log") is for_logs
        assert needs_sorting(str(path), "stacks") is for_stacks


@pytest.mark.parametrize(("text", "sorted_out"), [(ADMIN, True), (LOG, False), ("", False)])
def test_standard_input_is_looked_at_and_not_consumed(
    monkeypatch: pytest.MonkeyPatch, text: str, sorted_out: bool
) -> None:
    stream = io.TextIOWrapper(io.BufferedReader(io.BytesIO(text.encode())))
    monkeypatch.setattr("sys.stdin", stream)
    assert needs_sorting("-", "log") is sorted_out
    assert stream.read() == text


@pytest.mark.parametrize(
    "text",
    [
        "WARN RocketmqClient - the queue's messages, span too long, so do flow control, maxSpan=2001\n",
        "com.acme.ShopException: no route\n\tat com.acme.Shop.buy(Shop.java:3)\n",
        "the consumer message buffer is full, so do flow control, minOffset=1, maxOffset=9, size=1002\n",
        "[TIMEOUT_CLEAN_QUEUE]broker busy, start flow control for a while, period in queue: 209ms\n",
    ],
)
def test_diagnose_takes_excerpts_whose_times_were_cut_off(text: str) -> None:
    head = text.encode()
    piece = Piece(name="given.txt", path="", size_bytes=len(head), head=head)
    assert [kind.name for kind in all_kinds() if kind.recognise(piece)] == ["log"]


def test_a_document_about_log_lines_is_no_log() -> None:
    head = b"# Notes\n\nThe client says so do flow control when its cache is full.\n"
    for name, told in (("notes.md", []), ("notes.txt", ["log"])):
        piece = Piece(name=name, path="", size_bytes=len(head), head=head)
        assert [kind.name for kind in all_kinds() if kind.recognise(piece)] == told


@pytest.mark.parametrize("packing", ["gz", "bz2", "xz"])
def test_a_packed_archive_of_logs_is_read_as_logs(packing: Literal["gz", "bz2", "xz"], tmp_path: Path) -> None:
    log = tmp_path / "store.log"
    log.write_text("2026-05-01 10:00:00 WARN x - something\n" * 50)
    archive = tmp_path / f"logs.tar.{packing}"
    with tarfile.open(archive, f"w:{packing}") as tar:
        tar.add(log, "store.log")
    assert not needs_sorting(str(archive), "log")


def test_an_exception_with_its_stack_above_settings_is_a_log() -> None:
    exception = "org.apache.rocketmq.remoting.exception.RemotingConnectException: connect to <null> failed\n"
    stack = "\tat org.apache.rocketmq.client.impl.MQClientAPIImpl.getBrokerClusterInfo(M.java:1)\n"
    settings = "brokerClusterName=a\nbrokerId=0\n"
    names = [part.name for part in parts_of(exception + stack + settings)]
    assert names == ["log lines", "settings of a broker"]
    # without the stack it does not tell what was asked
    assert parts_of(exception + settings) == []


def test_lines_above_a_table_of_the_host_are_of_the_log() -> None:
    said = "the message store is not writable.\n"
    table = "Filesystem      Size  Used Avail Use% Mounted on\n/dev/vda1        50G  3.3G   44G   7% /\n\n"
    record = "2026-08-16 09:46:31,256 ERROR a.B: no\n"
    log, host = parts_of(said + table + record)
    assert (log.text, host.name) == (said + record + "\n", "disks and memory")
