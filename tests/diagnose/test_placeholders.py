"""Commands of reports over fixtures: a word in capitals stands only for a name that the evidence does not tell."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.facts import Facts
from mqdiag.facts.known import KnownOfRun
from mqdiag.facts.recordings import Recording, RecordingsFacts
from mqdiag.language import english
from tests.folded import folded
from tests.layers import CHECK, one_in_each_run
from tests.left_over import WORD, assert_told

FIXTURES = Path(__file__).parents[2] / "fixtures"
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


@CHECK
@folded("path", SOME)
def test_no_word_stands_for_what_the_evidence_tells(path: str) -> None:
    assert_told(diagnose_incident([FIXTURES / path]).report, FIXTURES / path)


def test_a_word_for_a_known_name_is_noticed() -> None:
    report = diagnose_incident([FIXTURES / "incidents/stuck-http"]).report
    commands = " ".join(english()(action.command) for found in report.findings for action in found.now)
    assert re.search(r"\bkill \d+", commands)
    assert not WORD.search("a CID_GROUP, PIDs and TOPIC-a")
    assert WORD.findall("jcmd PID; -g GROUP -n NAMESRV:9876") == ["PID", "GROUP", "NAMESRV:9876"]


@one_in_each_run(2)
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
