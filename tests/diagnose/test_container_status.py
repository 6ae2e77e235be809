"""Descriptions of pods and containers in the folder of an incident: how one ended, and none of its settings."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.findings import Confidence, Report, Severity
from tests.logs.test_pod_settings import YAML, described, inspected

LOG = Path(__file__).parents[2] / "fixtures/incidents/healthy-5.3.3/broker/broker.log.gz"
ENDED = "    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n"


STATUS = YAML.format(value="x", code=137, reason="OOMKilled")
EVENTS = """\
apiVersion: v1
items:
- apiVersion: v1
  involvedObject:
    kind: {kind}
    name: broker-0
  kind: Event
  message: {message}
  reason: {reason}
  type: Warning
kind: List
"""
KILLED = "Memory cgroup out of memory: Killed process 2207 (java) total-vm:8123456kB, anon-rss:4123456kB"
LOW = "The node was low on resource: memory."
SYSTEM = "System OOM encountered, victim process: java, pid: 2207"
HEAP = "java.lang.OutOfMemoryError: Java heap space"
SAID = """\
    Last State:     Terminated
      Reason:       Error
      Message:      {said}
      Exit Code:    1
      Started:      Fri, 20 Nov 2026 10:00:01 +0000
"""


def report(folder: Path, name: str, text: str | bytes) -> Report:
    """What mqdiag says of a healthy broker's log beside a description."""
    folder.mkdir()
    (folder / "broker.log").write_bytes(gzip.decompress(LOG.read_bytes()))
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return diagnose_incident([folder]).report


def test_the_end_of_a_container_is_told(tmp_path: Path) -> None:
    for number, (name, text) in enumerate(
        (
            ("pod.txt", described(state=ENDED)),
            ("pod.yaml", YAML.format(value="x", code=137, reason="OOMKilled")),
            ("inspect.json", inspected(killed=True)),
            ("inspect.json", inspected(killed=True, indent=None)),
            ("inspect.txt", inspected(killed=True)),
        )
    ):
        causes = {one.cause for one in report(tmp_path / str(number), name, text).findings}
        assert "oom-killer" in causes, (name, causes)


def test_settings_of_a_container_that_is_well_change_nothing(tmp_path: Path) -> None:
    for number, (name, text) in enumerate(
        (
            ("pod.txt", described(value="OOMKilled", annotation="OOMKilled")),
            ("pod.yaml", YAML.format(value="OOMKilled", code=0, reason="Completed")),
            ("inspect.json", inspected(env="ALERT=OOMKilled")),
        )
    ):
        got = report(tmp_path / str(number), name, text)
        assert not got.findings or {one.severity.value for one in got.findings} == {"info"}
        assert any(one.path.endswith(name) and one.skipped for one in got.inputs)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pod.txt", described(state=ENDED)),
        ("pod.yaml", STATUS),
        ("inspect.json", inspected(killed=True)),
        ("state.txt", ENDED),
        (
            "podman.json",
            '[\n  {\n    "State": {\n      "OOMKilled": true,\n      "ExitCode": 137\n    }\n  }\n]\n',
        ),
    ],
)
def test_a_description_is_read_however_it_was_kept(tmp_path: Path, name: str, text: str) -> None:
    """A block of code in Markdown, a tab before each line, and what PowerShell writes."""
    in_code = ("".join(f"{before}{line}" for line in text.splitlines(True)) for before in ("    ", "\t"))
    wide = (one.encode("utf-16") for one in (text, text.replace("\n", "\r\n")))
    for number, one in enumerate([*(kept.encode() for kept in in_code), *wide]):
        found = report(tmp_path / str(number), name, one).findings
        assert [(one.cause, one.confidence) for one in found] == [("oom-killer", Confidence.HIGH)], number


def test_what_kubernetes_says_in_yaml_counts_as_in_json(tmp_path: Path) -> None:
    for number, (cause, kind, reason, message) in enumerate(
        (
            ("oom-killer", "Node", "OOMKilling", KILLED),
            ("oom-killer", "Node", "SystemOOM", SYSTEM),
            ("container", "Pod", "Evicted", LOW),
        )
    ):
        quoted = f"'{message}'" if ": " in message else message
        told = {"kind": "Event", "involvedObject": {"kind": kind}, "message": message, "reason": reason}
        for form, text in (
            ("yaml", EVENTS.format(kind=kind, message=quoted, reason=reason)),
            ("json", json.dumps({"kind": "List", "items": [told]}, indent=4)),
            ("json", json.dumps({"kind": "List", "items": [told]})),
        ):
            found = report(tmp_path / f"{number}{len(text)}", f"events.{form}", text).findings
            assert [(one.cause, one.confidence) for one in found] == [(cause, Confidence.HIGH)], text


def test_an_evicted_pod_is_told_by_its_reason_alone(tmp_path: Path) -> None:
    pod = {"kind": "Pod", "status": {"phase": "Failed", "reason": "Evicted"}}
    for number, (name, text) in enumerate(
        (
            ("pod.yaml", "kind: Pod\nstatus:\n  phase: Failed\n  reason: Evicted\n"),
            ("pod.json", json.dumps(pod, indent=4)),
            ("pod.json", json.dumps(pod)),
        )
    ):
        assert {one.cause for one in report(tmp_path / str(number), name, text).findings} == {"container"}, text


@pytest.mark.parametrize(
    "text",
    [
        "Last State: Terminated\nReason: OOMKilled\nExit Code: 137\n",
        "broker-0     0/1     OOMKilled          4 (52s ago)   2m11s\n",
        "mq   broker-0     0/1     Evicted   0   2m11s\n",
        "broker-0     1/1     Running   14 (52s ago)   2m11s\n",
        '7b993112dd2f   mq:5   "sh mqbroker"   2 hours ago   Exited (137) 5 minutes ago   mq\n',
        "        exitCode: 137\n",
    ],
)
def test_an_excerpt_tells_what_it_shows(tmp_path: Path, text: str) -> None:
    for number, name in enumerate(("pod.txt", "pod.yaml", "pod.md")):
        assert report(tmp_path / str(number), name, text).answer.state == "fault", text


def test_a_status_that_nobody_knows_is_no_all_clear(tmp_path: Path) -> None:
    rows = "broker-0     0/1     ContainerStatusUnknown   0   2m11s\n"
    for number, text in enumerate((rows, f"NAME     READY   STATUS   RESTARTS   AGE\n{rows}")):
        assert report(tmp_path / str(number), "pods.txt", text).answer.state == "undecided"
    well = "broker-0     1/1     Running   0   2m11s\njob-1     0/1     Completed   0   2m11s\n"
    assert report(tmp_path / "well", "pods.txt", well).answer.state == "healthy"


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ("boom\nReason: OOMKilled", "oom-killer"),
        ("boom\n      Reason:       OOMKilled", "oom-killer"),
        (f"boom\n      Exit Code:    0\n{ENDED.rstrip()}", "oom-killer"),
        (f"boom\n      Exit Code:    0\n{ENDED}    State:     Terminated\n      Message:   x", "oom-killer"),
        (f"boom\n{SYSTEM}\n{LOW}", "oom-killer"),
        (HEAP, "out-of-memory"),
        (f"boom\n{HEAP}", "out-of-memory"),
        (f"boom\n2026-11-20 10:00:01 ERROR x: {HEAP}", "out-of-memory"),
        (
            "\n".join((f"{HEAP}", *(f"2026-11-20 10:00:{at:02} INFO c.e.Shop - {at}" for at in range(25)))),
            "out-of-memory",
        ),
        ("\n".join((*(f'{{"level":"INFO","message":"{at}"}}' for at in range(25)), HEAP)), "out-of-memory"),
    ],
)
def test_last_words_are_quoted_and_hide_nothing(tmp_path: Path, said: str, cause: str) -> None:
    """Kubectl describe prints their further lines at the left edge."""
    found = report(tmp_path / "a", "pod.txt", described(state=SAID.format(said=said))).findings
    assert [(one.cause, one.severity, one.confidence) for one in found] == [
        ("container", Severity.ERROR, Confidence.MEDIUM),
        (cause, Severity.WARNING, Confidence.LOW),
    ]


def test_last_words_are_the_same_in_yaml_and_in_json(tmp_path: Path) -> None:
    state = {"containerStatuses": [{"lastState": {"terminated": {"exitCode": 1, "message": HEAP}}}]}
    yaml = f"{YAML.format(value='x', code=1, reason='Error')}        message: '{HEAP}'\n"
    for number, (name, text) in enumerate((("pod.yaml", yaml), ("pod.json", json.dumps(state, indent=4)))):
        found = report(tmp_path / str(number), name, text).findings
        assert [(one.cause, one.severity, one.confidence) for one in found] == [
            ("container", Severity.ERROR, Confidence.MEDIUM),
            ("out-of-memory", Severity.WARNING, Confidence.LOW),
        ]
    event = json.dumps({"kind": "Event", "terminated": {"exitCode": 1, "message": SYSTEM}})
    assert {one.confidence for one in report(tmp_path / "a", "a.json", event).findings} <= {
        Confidence.LOW,
        Confidence.MEDIUM,
    }


def test_what_stands_below_last_words_is_believed(tmp_path: Path) -> None:
    below = "Events:\n  Warning  Evicted  2m  kubelet  The node was low on resource: memory.\n"
    text = described(state=SAID.format(said="one")) + below
    assert {one.confidence for one in report(tmp_path / "a", "pod.txt", text).findings} == {Confidence.HIGH}
    # an annotation that looks like last words
    line = "\n                      "
    noted = described(annotation=f"{line}State: Terminated{line}  Message: y", state=ENDED)
    assert {one.confidence for one in report(tmp_path / "b", "pod.txt", noted).findings} == {Confidence.HIGH}


def test_other_schedulers_tell_that_a_container_was_killed(tmp_path: Path) -> None:
    """Amazon's ECS, Nomad, and CRI's own tool."""
    words = "OutOfMemoryError: Container killed due to memory usage"
    task = {"tasks": [{"containers": [{"lastStatus": "STOPPED", "exitCode": 137, "reason": words}]}]}
    stopped = {"tasks": [{"stopCode": "TaskFailedToStart", "stoppedReason": words}]}
    state = {"status": {"exitCode": 137, "message": "", "reason": "OOMKilled", "state": "CONTAINER_EXITED"}}
    nomad = '2026-11-21T12:04:40Z       Terminated      Exit Code: 137, Exit Message: "OOM Killed"\n'
    documents = [json.dumps(one, indent=indent) for one in (task, stopped, state) for indent in (None, 4)]
    for number, (name, text) in enumerate(
        (
            *(("task.json", one) for one in documents),
            ("task.yaml", f"tasks:\n- containers:\n  - exitCode: 137\n    name: mq\n    reason: '{words}'\n"),
            ("alloc.txt", f"Recent Events:\nTime    Type      Description\n{nomad}"),
        )
    ):
        found = report(tmp_path / str(number), name, text).findings
        assert [(one.cause, one.confidence) for one in found] == [("oom-killer", Confidence.HIGH)], text
