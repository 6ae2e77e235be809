"""The next step of an undecided answer asks for what would decide it, over fixtures."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from mqdiag.config import Settings
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.judge import judge
from mqdiag.facts import Facts, HeapFacts, Input
from mqdiag.facts.heap_classes import Suspect
from mqdiag.findings import Report
from mqdiag.language import english
from tests.folded import folded
from tests.layers import CHECK

FIXTURES = Path(__file__).parents[2] / "fixtures"
FITTING = {
    "logs/faulty-5.3.3": ("On the broker's host", "--newer-mtime='2026-11-22 00:03:50+08:00'"),
    "public/dledger-repeated-push-331": ("other members of the Raft group", "member-logs.tgz"),
    "public/canal-adapter-acks-null-1200": ("RocketMQ's own log", "--newer-mtime='2018-11-27 15:55:50'"),
    "public/cpp-connect-takes-4s-28": ("On the broker's host", "--newer-mtime='2019-04-15 10:21:33'"),
    "public/dledger-votes-after-restart-7620": (
        "the whole logs that",
        "--newer-mtime='2023-12-05 10:44:45+08:00'",
    ),
    "public/cleaner-keeps-jvm": ("again, whole", "jstack.txt"),
    "public/druid-take-last": ("four more thread dumps", "--samples 4"),
    "public/thread-dump-mail-reads": ("four more thread dumps", "--samples 4"),
    "public/thread-dumps-scenario-socket-io": ("five more thread dumps of the same process a minute later",),
}


def step(report: Report) -> str:
    assert report.answer.state == "undecided"
    assert report.answer.next is not None
    return english()(report.answer.next.in_a_line)


@folded("path", FITTING)
def test_the_next_step_fits_what_is_open(path: str) -> None:
    told = step(diagnose_incident([FIXTURES / path]).report)
    assert all(words in told for words in FITTING[path]), told


def test_a_file_in_a_form_without_a_reader_is_not_copied_again(tmp_path: Path) -> None:
    (tmp_path / "store.7z").write_bytes(b"7z\xbc\xaf\x27\x1c" + bytes(range(200)))
    told = step(diagnose_incident([FIXTURES / "logs/healthy-5.3.3", tmp_path]).report)
    assert "again, whole" not in told
    assert told.startswith("Get ")


def test_a_heap_without_rocketmq_beside_threads_with_it_is_of_another_process() -> None:
    given = [FIXTURES / "heap/no-rocketmq/dump.hprof.gz", FIXTURES / "stacks/idle/series.tar.gz"]
    told = step(diagnose_incident(given).report)
    assert "jcmd -l" in told


@CHECK  # a large dump
def test_requests_that_wait_are_of_a_client_though_it_was_shut_down() -> None:
    answer = diagnose_incident([FIXTURES / "servers/client-requests-4.9.8"]).report.answer
    assert answer.state == "fault"
    assert "No RocketMQ client" not in english()(answer.reason)


def test_a_cut_archive_is_copied_and_not_a_member_of_it(tmp_path: Path) -> None:
    whole = (FIXTURES / "stacks/apache4-stuck/series.tar.gz").read_bytes()
    cut = tmp_path / "cut.tar.gz"
    cut.write_bytes(whole[: len(whole) * 7 // 10])
    told = step(diagnose_incident([cut]).report)
    assert f"rsync --checksum HOST:PATH {cut}`" in told


@pytest.mark.parametrize(
    ("threads", "label", "told"),
    [
        (1500, "shop.Leaks.lambda", "1,500 threads in shop.Leaks.lambda have 43 MiB, 96 % of the heap in use"),
        (0, "shop.Leaks.KEEP", "shop.Leaks.KEEP retains 43 MiB, 96 % of the heap in use"),
        (0, "", "byte[] 0x7 holds 43 MiB, 96 % of the heap"),
    ],
    ids=["of-many-threads", "of-a-field", "of-no-name"],
)
def test_a_heap_alone_with_a_large_holder_is_not_taken_for_another_process(
    threads: int, label: str, told: str
) -> None:
    holder = Suspect(
        class_name="byte[]",
        object_id="0x7",
        retained_bytes=43 << 20,
        share=0.96,
        path=(),
        label=label,
        kind="local-variable" if threads else "field",
        thread="worker-*" if threads else None,
        threads=threads,
        frame="shop.Leaks.lambda(Leaks.java:9)" if threads else None,
    )
    report = of_heap(holder)
    assert "mqdiag show a.hprof 0x7" in step(report)
    assert [english()(one.text).partition(", in local")[0] for one in report.answer.seen] == [told]
    assert "right process" not in english()(report.answer.reason)
    assert "jcmd -l" in step(of_heap(msgspec.structs.replace(holder, retained_bytes=300 << 10)))


def of_heap(*suspects: Suspect) -> Report:
    heap = HeapFacts(
        objects=9,
        shallow_bytes=45 << 20,
        unreachable_objects=0,
        unreachable_bytes=0,
        process_queues=0,
        suspects=suspects,
    )
    return judge(Facts(inputs=(Input(path="a.hprof", kind="heap", bytes=9),), heap=heap), Settings()).report


def test_that_one_sample_shows_no_progress_is_said_once() -> None:
    report = diagnose_incident([FIXTURES / "public/thread-dump-two-pushers"]).report
    assert english()(report.answer.reason).count("One sample") == 1
