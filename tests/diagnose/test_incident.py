"""Whole incidents: real folders, mixed up in the ways in which people hand them over."""

from __future__ import annotations

import gzip
import io
import json
import re
import shutil
import tarfile
import time
import zipfile
from collections.abc import Callable
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mqdiag.config import Settings
from mqdiag.diagnose.heap import diagnose_heap
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.findings import Confidence, Finding, Report
from mqdiag.language import english
from mqdiag.render import View, renderer
from mqdiag.report_json import from_json, to_values
from mqdiag.text import Text
from tests.layers import CHECK, one_in_each_run

FIXTURES = Path(__file__).parents[2] / "fixtures"
INCIDENTS = FIXTURES / "incidents"
STUCK, BUSY = INCIDENTS / "stuck-http", INCIDENTS / "busy-http"
NAMES_A_STANDSTILL = frozenset(
    {
        "stuck-socket-read",
        "stuck-wait",
        "stuck-consumer-thread",
        "offset-stuck-at-head",
        "lock-convoy",
        "deadlock",
    }
)


@cache
def whole(case: Path) -> Report:
    """The report of a case as it stands in the repository."""
    return diagnose_incident([case]).report


def truth(case: Path) -> dict[str, Any]:
    """What the threads noted down of themselves."""
    read: dict[str, Any] = json.loads((case / "truth.json").read_text())
    return read


def found(report: Report, rule: str) -> Finding:
    (only,) = (finding for finding in report.findings if finding.rule == rule)
    return only


def written(texts: tuple[Text, ...]) -> list[str]:
    return [english()(text) for text in texts]


def stripped(report: Report) -> list[tuple[str, str, str]]:
    """The findings without what depends on where the files lie."""
    return [(one.rule, one.fingerprint, one.severity.value) for one in report.findings]


def test_a_stuck_call_is_followed_from_the_socket_to_the_backlog() -> None:
    report = whole(STUCK)
    verdict = report.verdict
    assert verdict is not None
    assert report.answer.state == "fault"
    assert verdict.confidence == "high"
    assert english()(verdict.confidence_reason) == "a heap dump and thread dumps show it independently"
    rules = {finding.fingerprint: finding.rule for finding in report.findings}
    assert [rules[step.fingerprint] for step in verdict.chain] == [
        "stuck-socket-read",
        "offset-stuck-at-head",
        "flow-control",
    ]
    root, offset, _ = verdict.chain
    assert [rules[also] for also in root.also] == ["stuck-consumer-thread"]
    assert set(root.seen_in) == {"heap", "stacks"}
    stuck = found(report, "offset-stuck-at-head")
    assert f"message {stuck.evidence['msg_id']}" in written(offset.tied_by)
    assert "the span limit held back" in english()(verdict.statement)
    assert any(
        f"{stuck.evidence['finished_beyond_head']:,} messages of this queue that are done are delivered" in line
        for line in written(verdict.consequences)
    )
    assert not verdict.contradictions


def test_the_stuck_thread_is_the_one_that_says_so_of_itself() -> None:
    report = whole(STUCK)
    (stuck,) = (row for row in truth(STUCK)["threads"] if row["truth"] == "stuck")
    assert found(report, "stuck-socket-read").evidence["threads"] == (stuck["name"],)
    seen = found(report, "stuck-consumer-thread")
    assert seen.evidence["thread"] == stuck["name"]
    assert str(seen.evidence["msg_id"]).endswith(stuck["message_at_each_sample"][0][-12:])
    assert report.verdict is not None
    assert any(
        stuck["name"] in line and "by name and address" in line for line in written(report.verdict.agreements)
    )


def test_heap_and_thread_dumps_are_tied_by_the_addresses_of_threads() -> None:
    report = whole(STUCK)
    assert report.process is not None
    assert report.process.pid == truth(STUCK)["pid"]
    assert english()(report.process.tied_by) == "names and addresses of their threads are the same"
    assert len(report.process.inputs) == 6
    assert report.other_processes == ()
    assert report.logs is not None


def test_a_busy_consumer_is_never_called_stuck() -> None:
    report = whole(BUSY)
    assert {row["truth"] for row in truth(BUSY)["threads"]} == {"progressing"}
    assert not {finding.rule for finding in report.findings} & NAMES_A_STANDSTILL
    assert all(finding.severity != "error" for finding in report.findings)
    assert report.verdict is not None
    assert "stuck" not in english()(report.verdict.statement)
    assert "hang" not in english()(report.verdict.statement)


@CHECK
def test_two_processes_are_kept_apart() -> None:
    report = diagnose_incident([BUSY, STUCK]).report
    assert report.process is not None
    assert report.process.pid == truth(STUCK)["pid"]
    (other,) = report.other_processes
    assert other.pid == truth(BUSY)["pid"]
    assert other.heap is not None
    assert other.stacks is not None
    own = set(report.process.inputs)
    assert all(path.startswith(str(STUCK)) for path in own)
    for finding in report.findings:
        group = finding.subject.group
        if group is not None and finding.processes:
            assert finding.processes == (report.process.name if group == "CID_stuck-http" else other.name,), (
                finding.rule
            )
    prints = {finding.fingerprint: finding for finding in report.findings}
    for finding in report.findings:
        for root in finding.caused_by:
            # logs are of no process; their group ties them to one
            assert prints[root].processes == finding.processes or () in (
                prints[root].processes,
                finding.processes,
            )
            assert prints[root].subject.group == finding.subject.group
    assert report.verdict is not None
    rules = [prints[step.fingerprint].rule for step in report.verdict.chain]
    assert rules[:2] == ["stuck-socket-read", "offset-stuck-at-head"]


@CHECK
def test_the_heap_of_one_process_and_the_threads_of_another_are_not_joined(tmp_path: Path) -> None:
    shutil.copy(STUCK / "java_pid.hprof.gz", tmp_path)
    shutil.copytree(BUSY / "stacks", tmp_path / "stacks")
    report = diagnose_incident([tmp_path]).report
    assert len(report.other_processes) == 1
    assert report.verdict is not None
    assert report.verdict.agreements == ()
    assert "independently" not in english()(report.verdict.confidence_reason)
    assert all(not (set(one.seen_in) >= {"heap", "stacks"}) for one in report.verdict.chain)


@CHECK
def test_names_folders_and_packing_do_not_matter(tmp_path: Path) -> None:
    stacks = io.BytesIO()
    with tarfile.open(fileobj=stacks, mode="w:gz") as archive:
        for number, file in enumerate(sorted((STUCK / "stacks").iterdir())):
            archive.add(file, f"IMG_{number}.jpg")
    with zipfile.ZipFile(tmp_path / "all.bin", "w") as outer:
        outer.writestr("notes/threads", stacks.getvalue())
        outer.write(STUCK / "java_pid.hprof.gz", "notes/server.log")
        outer.write(STUCK / "rocketmq_client.log", "notes/heap.hprof")
        outer.write(STUCK / "console.log", "notes/x")
    report = diagnose_incident([tmp_path]).report
    assert stripped(report) == stripped(whole(STUCK))
    assert report.verdict is not None
    assert whole(STUCK).verdict is not None
    assert report.verdict.statement == whole(STUCK).verdict.statement  # type: ignore[union-attr]
    kinds = {given.path.partition("!")[2]: given.kind for given in report.inputs}
    assert kinds["notes/server.log"] == "heap"
    assert kinds["notes/threads!IMG_0.jpg"] == "stacks"
    assert kinds["notes/heap.hprof"] == "log"


def test_a_console_log_with_dumps_in_it_is_both(tmp_path: Path) -> None:
    lines = (STUCK / "console.log").read_bytes()
    dumps = b"".join(file.read_bytes() + lines for file in sorted((STUCK / "stacks").iterdir()))
    (tmp_path / "console.log").write_bytes(lines + dumps)
    report = diagnose_incident([tmp_path]).report
    assert [given.kind for given in report.inputs] == ["stacks", "log"]
    assert found(report, "stuck-socket-read")
    assert report.logs is not None
    assert report.logs.lines > 0


def test_one_broken_file_never_stops_the_rest(tmp_path: Path) -> None:
    shutil.copytree(STUCK / "stacks", tmp_path / "stacks")
    (tmp_path / "a.hprof").write_bytes(b"JAVA PROFILE 1.0.2\0\0\0\0\x08\0\0\0\0\0\0\0\0")
    (tmp_path / "b.hprof.gz").write_bytes((STUCK / "java_pid.hprof.gz").read_bytes()[:3000])
    (tmp_path / "c.txt").write_text("2026-11-21 08:00:00\nFull thread dump OpenJDK:\n\n")
    (tmp_path / "d.json").write_text('{"schema_version": 1, "mqdiag": "x", "inputs": 7}')
    report = diagnose_incident([tmp_path, tmp_path / "nothing"]).report
    errors = {Path(given.path).name: english()(given.error) for given in report.inputs if given.error}
    assert set(errors) >= {"a.hprof", "b.hprof.gz", "c.txt", "d.json", "nothing"}
    assert "is not a report of mqdiag" in errors["d.json"]
    assert found(report, "stuck-socket-read")


def test_a_folder_without_evidence_has_no_verdict(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Notes\n\nNothing here.\n")
    report = diagnose_incident([tmp_path]).report
    assert report.verdict is None
    notes, folder = report.inputs
    assert notes.skipped is not None
    assert folder.error is not None
    assert english()(folder.error).startswith("holds no evidence of a known kind")


def test_each_given_path_without_evidence_is_told_by_what_is_below_it(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/notes.md").write_text("# Notes\n\nNothing here.\n")
    (tmp_path / "empty").mkdir()
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("notes.md", "# Notes\n\nNothing here.\n")
    given = ["in", "in/", "in/notes.md", "empty", "a.zip", "gone", "gone"]
    report = diagnose_incident([f"{tmp_path}/{name}" for name in given]).report
    told = {
        one.path.removeprefix(f"{tmp_path}/"): re.split("[,;]", english()(one.error))[0]
        for one in report.inputs
        if one.error is not None
    }
    nothing = "holds no evidence of a known kind"
    assert told == {
        "in": nothing,
        "in/": nothing,
        "in/notes.md": nothing,
        "empty": "is an empty folder",
        "a.zip": nothing,
        "gone": "no such file or folder",
    }


def test_many_paths_with_nothing_take_little_time(tmp_path: Path) -> None:
    """Who asks about thousands of files of an earlier time gets an answer; a square of them took minutes."""
    begun = time.process_time()
    report = diagnose_incident([f"{tmp_path}/gone{number}" for number in range(5_000)]).report
    assert time.process_time() - begun < 12
    assert sum(given.error is not None for given in report.inputs) == 5_000


def test_a_packed_saved_report_is_read(tmp_path: Path) -> None:
    plain = renderer("json")(
        diagnose_stacks(sorted(map(str, (STUCK / "stacks").iterdir()))).report, View()
    ).encode()
    saved = tmp_path / "stacks.json.gz"
    saved.write_bytes(gzip.compress(plain))
    report = diagnose_incident([saved]).report
    assert [(given.kind, given.error) for given in report.inputs] == [("report", None)]
    assert report.stacks is not None
    assert report.stacks.standstills


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda packed: packed[:-200], "the packed data ends in the middle"),
        (
            lambda packed: packed[:3000] + b"\0" * 400 + packed[3400:],
            "packed data is damaged between bytes 0 and",
        ),
    ],
)
def test_a_damaged_packed_report_says_so(tmp_path: Path, damage: Callable[[bytes], bytes], why: str) -> None:
    plain = renderer("json")(
        diagnose_stacks(sorted(map(str, (STUCK / "stacks").iterdir()))).report, View()
    ).encode()
    saved = tmp_path / "stacks.json.gz"
    saved.write_bytes(damage(gzip.compress(plain)))
    (given,) = diagnose_incident([saved]).report.inputs
    assert given.kind == "report"
    assert given.error is not None
    assert why in english()(given.error)


def test_a_saved_report_stands_in_for_its_dump_and_gives_way_to_it(tmp_path: Path) -> None:
    dump = STUCK / "java_pid.hprof.gz"
    saved = tmp_path / "heap.json"
    saved.write_text(renderer("json")(diagnose_heap(dump).report, View()))
    alone = diagnose_incident([saved, STUCK / "stacks"]).report
    assert alone.process is not None
    assert english()(alone.process.tied_by) == "names and addresses of their threads are the same"
    assert stripped(alone) == stripped(diagnose_incident([dump, STUCK / "stacks"]).report)
    both = diagnose_incident([saved, dump]).report
    assert both.other_processes == ()


def test_the_evidence_is_named_that_would_make_it_surer() -> None:
    heap_alone = diagnose_incident([STUCK / "java_pid.hprof.gz"]).report.verdict
    assert heap_alone is not None
    stacks, *_ = heap_alone.missing_evidence
    assert "thread dumps" in english()(stacks.what)
    host, container, kubernetes = (english()(command.lines[0]) for command in stacks.commands)
    assert f"jstack -l {truth(STUCK)['pid']}" in host
    assert container.startswith("docker exec ")
    assert kubernetes.startswith("kubectl exec ")
    progress = english()(heap_alone.missing_evidence[-1].commands[0].lines[0])
    assert "-g CID_stuck-http" in progress
    assert "NAMESRV" not in progress
    stacks_alone = diagnose_incident([STUCK / "stacks"]).report.verdict
    assert stacks_alone is not None
    heap = stacks_alone.missing_evidence[0]
    assert "heap dump" in english()(heap.what)
    assert "stops the JVM" in english()(heap.caution)
    assert "jcmd PID GC.heap_dump" in english()(heap.commands[0].lines[0])


def test_a_pod_is_named_where_its_log_path_tells_it(tmp_path: Path) -> None:
    folder = tmp_path / "var" / "log" / "containers"
    folder.mkdir(parents=True)
    shutil.copy(STUCK / "console.log", folder / f"orders-7d9f_shop_app-{'a1' * 32}.log")
    shutil.copy(STUCK / "stacks" / "j1.log", tmp_path)
    verdict = diagnose_incident([tmp_path]).report.verdict
    assert verdict is not None
    commands = [command for missing in verdict.missing_evidence for command in missing.commands]
    lines = [line for command in commands for line in written(command.lines)]
    assert any(line.startswith("kubectl exec -n shop orders-7d9f -c app -- ") for line in lines)


def test_the_text_report_gives_the_answer_first() -> None:
    text = renderer("text")(whole(STUCK), View())
    assert text.startswith("ERROR 1 of 10 consume threads of group CID_stuck-http hang")
    order = [
        "Then",
        "Why",
        "What it led to",
        "Impact now",
        "Evidence that was read",
        "Consequences",
        "Inputs",
        "Not checked, and why",
        "What would make it more certain",
    ]
    lines = [line.strip() for line in text.splitlines()]
    places = [lines.index(head) for head in order]
    assert places == sorted(places)
    assert "The samples" not in lines
    full = renderer("text")(whole(STUCK), View(detail="full"))
    assert full.index("What would make it more certain") < full.index("\nThe samples\n")


@pytest.mark.parametrize("case", [STUCK, BUSY])
def test_reports_survive_json(case: Path) -> None:
    text = renderer("json")(whole(case), View())
    again = from_json(text.encode())
    assert to_values(again) == to_values(whole(case))
    titles = [finding.title for finding in whole(case).findings]
    assert [finding.title for finding in again.findings] == titles, "with templates and raw values"


@CHECK
def test_settings_reach_every_process() -> None:
    report = diagnose_incident([STUCK, BUSY], Settings(heap_limit=64 << 20)).report
    assert report.heap is not None
    assert report.heap.heap_bytes_source == "option"
    assert all(
        other.heap is None or other.heap.heap_bytes_source == "option" for other in report.other_processes
    )


def test_a_reader_that_fails_on_one_file_reads_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mqdiag.diagnose.kinds import stacks

    shutil.copytree(STUCK / "stacks", tmp_path / "stacks")
    real = stacks.read_series

    def failing(paths: list[str], *rest: Any) -> Any:
        if any(path.endswith("j3.log") for path in paths):
            raise RuntimeError("a bug of ours")
        return real(paths, *rest)

    monkeypatch.setattr(stacks, "read_series", failing)
    diagnosis = diagnose_incident([tmp_path])
    (lost,) = (given for given in diagnosis.report.inputs if given.error is not None)
    assert lost.path.endswith("j3.log")
    assert lost.error is not None
    assert "a bug of ours" in english()(lost.error)
    assert [str(crash) for crash in diagnosis.crashes] == ["a bug of ours"]
    assert diagnosis.report.stacks is not None
    assert diagnosis.report.stacks.samples == 4


def test_the_same_fault_in_two_processes_is_told_once(tmp_path: Path) -> None:
    shutil.copytree(STUCK / "stacks", tmp_path / "one")
    (tmp_path / "two").mkdir()
    for file in (STUCK / "stacks").iterdir():
        # the same consumer on another host: other addresses everywhere
        text = file.read_text().replace("tid=0x00007fe3", "tid=0x00007aaa").replace("nid=0x1", "nid=0x2")
        (tmp_path / "two" / file.name).write_text(text)
    report = diagnose_incident([tmp_path]).report
    assert len(report.other_processes) == 1
    stuck = found(report, "stuck-socket-read")
    assert len(stuck.processes) == 2
    assert len(stuck.rests_on) == 10


@CHECK
def test_a_manifest_ties_what_was_captured_together(tmp_path: Path) -> None:
    folder = tmp_path / "taken"
    shutil.copytree(STUCK / "stacks", folder / "stacks")
    for file in (folder / "stacks").iterdir():
        # as of a JVM that prints no addresses
        file.write_text(re.sub(r" tid=0x[0-9a-f]+", " tid=7", file.read_text()))
    shutil.copy(STUCK / "java_pid.hprof.gz", folder)
    shutil.copy(BUSY / "java_pid.hprof.gz", tmp_path / "other.hprof.gz")
    apart = diagnose_incident([tmp_path]).report
    assert len(apart.other_processes) == 2
    rows = [(margin.rule, margin.label) for margin in apart.answer.margins]
    assert len(rows) == len(set(rows)) > 0, (
        "of processes without a word for each the nearest to the limit is shown"
    )
    manifest = {"mqdiag_capture": 1, "host": "orders-7", "process": {"pid": 7754, "inner_pid": None}}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    report = diagnose_incident([tmp_path]).report
    assert report.process is not None
    assert (
        english()(report.process.tied_by)
        == "they were captured together, by the word of the manifest beside them"
    )
    assert report.process.name == "pid 7754 on orders-7"
    assert len(report.other_processes) == 1
    (folder / "manifest.json").write_text('{"mqdiag_capture": "x"}')
    broken = diagnose_incident([folder]).report
    assert any(given.error and "is not a manifest" in english()(given.error) for given in broken.inputs)


def test_a_manifest_tells_the_times_of_what_has_none(tmp_path: Path) -> None:
    """An answer of mqadmin beside it is of that hour, and the local time of the thread dumps has a zone."""
    folder = tmp_path / "taken"
    shutil.copytree(STUCK / "stacks", folder / "stacks")
    answer = (FIXTURES / "admin" / "4.9.7" / "consumerProgress-CID_stock.txt").read_text()
    (folder / "consumerProgress.txt").write_text(answer)
    first = min(
        re.findall(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", (folder / "stacks" / "j1.log").read_text(), re.M)
    )
    untimed = found(diagnose_incident([folder]).report, "consumer-backlog")
    assert not untimed.when
    began = f"{first.replace(' ', 'T')}.123+08:00"
    (folder / "manifest.json").write_text(json.dumps({"mqdiag_capture": 1, "started_at": began}))
    report = diagnose_incident([folder]).report
    (asked,) = found(report, "consumer-backlog").when
    assert datetime.fromisoformat(asked.first) == datetime.fromisoformat(began)
    assert all(one.first.endswith("+08:00") for one in found(report, "stuck-socket-read").when)
    assert report.verdict is not None
    assert "is not known" not in english()(report.verdict.confidence_reason)
    (folder / "manifest.json").write_text(json.dumps({"mqdiag_capture": 1, "started_at": "yesterday"}))
    assert not found(diagnose_incident([folder]).report, "consumer-backlog").when


@CHECK
def test_what_the_thread_dumps_contradict_is_hardly_believed(tmp_path: Path) -> None:
    shutil.copy(STUCK / "java_pid.hprof.gz", tmp_path)
    quiet = re.compile(r'("ConsumeMessageThread_[^"]*".*\n(?:(?!\n).*\n)*?)(?=\n)')
    idle = "   java.lang.Thread.State: WAITING (parking)\n\tat jdk.internal.misc.Unsafe.park(Native Method)\n"
    idle += "\tat java.util.concurrent.LinkedBlockingQueue.take(LinkedBlockingQueue.java:435)\n"
    idle += "\tat java.util.concurrent.ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1062)\n"
    for file in (STUCK / "stacks").iterdir():
        text = quiet.sub(lambda block: block[1].split("\n", 1)[0] + "\n" + idle, file.read_text())
        (tmp_path / file.name).write_text(text)
    report = diagnose_incident([tmp_path]).report
    seen = found(report, "stuck-consumer-thread")
    assert seen.confidence is Confidence.LOW
    assert english()(seen.confidence_reason) == "the thread dumps saw the same threads moving or idle"
    assert report.verdict is not None
    assert any("idle" in line for line in written(report.verdict.contradictions))
    assert report.verdict.confidence != "high"


STACKS = FIXTURES / "stacks"


@one_in_each_run(3)
@pytest.mark.parametrize("case", ["urlconnection-stuck-jdk25", "virtual-stuck-jdk21", "virtual-stuck-jdk25"])
def test_dumps_of_several_forms_do_not_hide_a_standstill(case: str) -> None:
    """jstack prints CPU time and addresses, Thread.dump_to_file neither: the samples with both decide."""
    report = whole(STACKS / case)
    assert not [given.path for given in report.inputs if given.kind == "log"], "JDK 25 dates each thread"
    assert any(finding.rule.startswith("stuck-") for finding in report.findings)


@one_in_each_run(2)
@pytest.mark.parametrize("case", ["urlconnection-progressing-jdk25", "virtual-progressing-jdk25"])
def test_dumps_of_several_forms_make_no_standstill(case: str) -> None:
    report = whole(STACKS / case)
    assert not [finding.title for finding in report.findings if finding.rule.startswith("stuck-")]


def test_a_busy_pool_with_a_thread_that_hangs_is_not_said_to_move_as_a_whole() -> None:
    (busy,) = (found for found in whole(STUCK).findings if found.rule == "workers-saturated")
    title = english()(busy.title)
    assert "; 9 of 10 work and move on" in title
    assert "All 10" not in title
