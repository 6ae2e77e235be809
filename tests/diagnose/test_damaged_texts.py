"""Whatever a page, a console or a collector did to evidence, its verdict stays."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.findings import Severity
from tests.damaged_texts import DAMAGES
from tests.layers import CHECK, one_in_each_run, some_later

FIXTURES = Path(__file__).parents[2] / "fixtures"
PUBLIC = FIXTURES / "public"
KINDS = {
    "client log": PUBLIC / "no-route-quickstart-39/console.log",
    "client exception": PUBLIC / "listener-throws-in-spring-337/application.log",
    "broker log": PUBLIC / "not-in-lock-dledger/store.log",
    "GC log": PUBLIC / "serial-until-full/gc.log",
    "crash report": PUBLIC / "segv-consume-queue-write/hs_err_pid5520.log",
    "crash head in a console": PUBLIC / "crash-in-a-musl-container-228/container.log",
    "consumerProgress": FIXTURES / "admin/4.9.7/consumerProgress-CID_stock.txt",
    "clusterList": PUBLIC / "slave-not-activated/clusterList.txt",
    "jstack": PUBLIC / "deadlock-of-three-3270/jstack.txt",
    "Spring's failed start": PUBLIC / "spring-admin-null-710/application.log",
    "launcher": PUBLIC / "jdk17-unrecognized-option/cmd.txt",
    "kubectl": PUBLIC / "direct-memory-in-a-pod-105/pod.log",
    "kubectl get pods": PUBLIC / "search-pods-out-of-memory-1821/pods.txt",
    "kubectl describe": PUBLIC / "search-pod-137-in-describe-84/describe.txt",
    "docker events": PUBLIC / "docker-events-253-267/events.txt",
    "docker's daemon": PUBLIC / "java-not-in-path-of-a-nightly-18/screen.txt",
    "Spring's analysis": PUBLIC / "port-5081-of-a-desktop-102/start.log",
    "connector": PUBLIC / "connector-of-another-class-4/connect.log",
    "operator": PUBLIC / "status-of-a-broker-without-nodes-141/operator.log",
    "client in C++": PUBLIC / "cpp-transport-not-made-352/rocketmq_client.log",
    "client in Node.js": PUBLIC / "node-startup-connection-dropped-880/output.txt",
    "client in Python": PUBLIC / "python-no-route-beside-its-log-29/post.md",
}
IN_EACH_RUN = {
    "jstack",
    "client log",
    "crash report",
    "consumerProgress",
    "launcher",
    "kubectl",
    "docker events",
}
LOST = {
    # a record of a logger with a whole report in it is the text of somebody
    ("crash report", "one record"),
    ("crash head in a console", "one record"),
    # so are further lines of its message, whatever they are
    *(
        (kind, "one record")
        for kind in (
            *("client log", "consumerProgress", "launcher", "jstack", "GC log", "clusterList"),
            *("kubectl get pods", "kubectl describe", "docker's daemon", "Spring's analysis", "connector"),
            *("client in C++", "client in Python"),
        )
    ),
    # one of its lines has a time, so that nothing shows that a host stands before them; the port is not read then
    ("Spring's analysis", "pdsh"),
    ("Spring's analysis", "ansible"),
    # two of three lines that were cut go on with what could begin one
    ("kubectl", "120 columns"),
    # the error stands behind the cut, and nothing shows that the line above it goes on
    ("client in Node.js", "100 columns"),
}
"""(kind, damage) that nobody heals yet"""


def verdict(text: str, folder: Path) -> tuple[set[tuple[str, str | None]], str]:
    """(rules and causes of what is wrong, the answer)."""
    path = folder / "paste.txt"
    path.write_text(text)
    report = diagnose_incident([path]).report
    assert report.answer is not None
    found = {(one.rule, one.cause) for one in report.findings if one.severity is not Severity.INFO}
    return found - {("input-incomplete", None)}, report.answer.state


@one_in_each_run(4)
@pytest.mark.parametrize("kind", some_later(KINDS, lambda kind: kind not in IN_EACH_RUN, layer=CHECK))
def test_the_verdict_of_damaged_evidence_stays(kind: str, tmp_path: Path) -> None:
    text = KINDS[kind].read_text()
    whole, state = verdict(text, tmp_path)
    assert whole or state == "healthy"
    lost = {}
    for name, damage in DAMAGES.items():
        found, now = verdict(damage(text), tmp_path)
        if not whole <= found or (state == "healthy" and now != state):
            lost[name] = found
            assert now != "healthy", f"{name}: an all-clear over a fault"
    assert {(kind, name) for name in lost} == {one for one in LOST if one[0] == kind}, lost


def test_crash_report_that_was_cut_in_its_head_allows_no_all_clear(tmp_path: Path) -> None:
    head = (
        "#\n# A fatal error has been detected by the Java Runtime Environment:\n#\n"
        "#  SIGSEGV (0xb) at pc=0x00007f3b, pid=4242, tid=4243\n"
    )
    with tarfile.open(FIXTURES / "stacks/idle/series.tar.gz") as series:
        series.extractall(tmp_path, filter="data")
    for end in range(head.index("Environment:"), len(head) + 1, 8):
        (tmp_path / "hs_err_pid4242.log").write_text(head[:end])
        report = diagnose_incident([tmp_path]).report
        assert report.answer.state != "healthy", head[:end]
