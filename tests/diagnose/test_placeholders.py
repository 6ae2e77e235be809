"""Commands of reports over fixtures: a word in capitals stands only for a name that the evidence does not tell."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.next_step import facts_of
from mqdiag.facts import Facts
from mqdiag.facts.known import KnownOfRun
from mqdiag.facts.recordings import Recording, RecordingsFacts
from mqdiag.findings import Action, Report
from mqdiag.language import english
from tests.folded import folded
from tests.layers import NIGHTLY

FIXTURES = Path(__file__).parents[2] / "fixtures"
WORDS = {
    "PID": "pid",
    "GROUP": "group",
    "TOPIC": "topic",
    "NAMESRV:9876": "name_server",
    "CLUSTER": "cluster",
    "STORE": "store_folder",
    "BROKER_NAME": "broker",
    "BROKER_ADDRESS": "broker_address",
    "BROKER": "broker_address",
    "DUMP": "dump",
}
WORD = re.compile(rf"(?<![\w-])({'|'.join(WORDS)})(?![\w-])")
SOME = (
    "incidents/stuck-http",
    "incidents/virtual-http-jdk21",
    "heap/app-heap-4.9.8",
    "stacks/deadlock-monitors",
    "logs/page-cache-busy-4.9.7/broker",
    "public/deadlock-oracle-timeout",
    "public/go-heartbeat-448",
    "logs/client-flow-control-4.3.2",
    "servers/proxy-silent-5.2.0",
)
REST = sorted(
    str(path.relative_to(FIXTURES))
    for kind in ("admin", "grpc", "heap", "incidents", "logs", "public", "servers", "stacks", "stores")
    for path in (FIXTURES / kind).iterdir()
    if path.is_dir() and str(path.relative_to(FIXTURES)) not in SOME
)


def lacking(report: Report) -> Iterator[str]:
    """Words that stand for a name which the evidence tells."""
    run = KnownOfRun(facts_of(report))
    alone = not report.other_processes
    for found in report.findings:
        subject = found.subject
        known = run.of(subject.group, subject.topic, subject.broker, seen_in=found.seen_in)
        for action in (*found.now, *found.then):
            yield from (f"{found.rule}: {word}" for word in told(action) if alone and known[WORDS[word]])
    if report.answer.next is not None:
        alone_logs = report.logs is not None and report.heap is None and report.stacks is None
        known = run.of(None, None, None, seen_in=("logs",) if alone_logs else ())
        yield from (f"next: {word}" for word in told(report.answer.next) if alone and known[WORDS[word]])


@pytest.mark.parametrize(("recorded", "known"), [(7, "7"), (8, None), (None, None)])
def test_a_recording_of_the_same_process_leaves_its_pid_known(recorded: int | None, known: str | None) -> None:
    recording = Recording(
        path="r.jfr",
        pid=recorded,
        began_at="2026-11-28T09:40:44Z",
        ended_at="2026-11-28T09:41:14Z",
        seconds=30,
        chunks=1,
        events=1,
    )
    run = KnownOfRun(Facts(pid=7, recordings=RecordingsFacts(recordings=(recording,))))
    assert run.of(None, None, None, seen_in=("heap", "recordings"))["pid"] == known


def told(action: Action) -> list[str]:
    write = english()
    return WORD.findall(f"{write(action.text)} {write(action.command)}")


# What the text of the evidence tells, looked for without any reader of mqdiag: words that must not be left over.
TOLD_BY_TEXT = {
    "NAMESRV:9876": rb"\bnamesrvAddr='?([\d.]+:\d+)|name server address updated\. NEW : \[([\d.]+:\d+)\]",
    "BROKER": rb"brokerAddrs=\{0=([\d.]+:\d+)\}",
    "BROKER_ADDRESS": rb"brokerAddrs=\{0=([\d.]+:\d+)\}",
    "PROXY": rb"clientEndpoints=(?:ipv4|dns):([\w.:-]+)",
    "PROXY:8081": rb"clientEndpoints=(?:ipv4|dns):([\w.:-]+)",
    "CONSUMER_PID": rb"clientId=[\w-]+@(\d+)@",
    "PID": rb"ClientID:[\d.]+@(\d{1,7})\b",
}
ENDED = b" shutdown OK"
OF_PROCESSES = frozenset(("heap", "stacks", "logs"))
"""kinds of evidence that tell their process"""


def text_of(folder: Path) -> bytes:
    """All texts of a fixture but those that tell about it."""
    told = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name not in ("truth.json", "truth.toml", "origin.md", "first_run.json"):
            data = path.read_bytes()
            if path.name.endswith((".txt.gz", ".log.gz")):
                data = gzip.decompress(data)
            told.append(b"" if ".hprof" in path.name or ".tar" in path.name else data)
    return b"\n".join(told)


def told_by_text(word: str, text: bytes) -> bool:
    """Whether exactly one value stands there, of a process that has not ended."""
    groups = re.findall(TOLD_BY_TEXT[word], text)
    values = {value for found in groups for value in (found if isinstance(found, tuple) else (found,)) if value}
    return len(values) == 1 and not (word.endswith("PID") and ENDED in text)


def left_over(report: Report, text: bytes) -> Iterator[str]:
    """Words of the first actions that stand for what the text tells."""
    steps = [
        (found.rule, found.lies_at if {*found.seen_in} <= OF_PROCESSES else "any", action)
        for found in report.findings
        for action in found.now
    ]
    if report.answer.next is not None:
        steps.append(("next", "client", report.answer.next))
    for rule, lies_at, action in steps:
        for word in re.findall(r"(?<![\w-])[A-Z][A-Z_]+(?::\d+)?(?![\w-])", english()(action.command)):
            # dumps and logs of other processes than the client's have a process id of their own
            own = word != "PID" or lies_at == "client"
            if word in TOLD_BY_TEXT and own and told_by_text(word, text):
                yield f"{rule}: {word}"


def assert_told(path: str) -> None:
    report = diagnose_incident([FIXTURES / path]).report
    assert not [*left_over(report, text_of(FIXTURES / path))]
    assert not [*lacking(report)]


@folded("path", SOME)
def test_no_word_stands_for_what_the_evidence_tells(path: str) -> None:
    assert_told(path)


@NIGHTLY
@folded("path", REST)
def test_no_word_stands_for_what_any_other_evidence_tells(path: str) -> None:
    assert_told(path)


def test_a_word_for_a_known_name_is_noticed() -> None:
    report = diagnose_incident([FIXTURES / "incidents/stuck-http"]).report
    commands = " ".join(english()(action.command) for found in report.findings for action in found.now)
    assert re.search(r"\bkill \d+", commands)
    assert not WORD.search("a CID_GROUP, PIDs and TOPIC-a")
    assert WORD.findall("jcmd PID; -g GROUP -n NAMESRV:9876") == ["PID", "GROUP", "NAMESRV:9876"]


@pytest.mark.parametrize(("version", "pid"), [("5.3.3", "7256"), ("4.9.7", "913")])
def test_the_process_of_a_clients_own_log(version: str, pid: str, tmp_path: Path) -> None:
    """No other log tells it: users could write a number into that of an application."""
    case = FIXTURES / f"logs/client-out-of-memory-{version}/g1"
    commands = [english()(action.command) for action in diagnose_incident([case]).report.findings[0].now]
    assert f"kill {pid}" in commands
    text = gzip.decompress((case / "rocketmq_client.log.gz").read_bytes()).decode()
    lines = "".join(f"2026-11-21 20:00:{n:02}.123 INFO [http-1] c.a.Orders - order {n}\n" for n in range(60))
    (tmp_path / "app.log").write_text(f"{lines}\n{text}\n{lines}")
    told = diagnose_incident([tmp_path / "app.log"]).report
    assert not any(
        pid in english()(action.command) for found in told.findings for action in (*found.now, *found.then)
    )
