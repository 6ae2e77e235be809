"""What a finding is known by: a fault that was accepted of one thing is not accepted of another."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import msgspec
import pytest

from mqdiag.acceptance import Acceptance
from mqdiag.baseline import GONE, Baseline, Known, with_baseline
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.facts import CrashFacts, Facts
from mqdiag.facts.crash import CrashReport
from mqdiag.facts.logs import ListenerException, LogEvent, LogsFacts, LogSubject
from mqdiag.facts.services import ServicesFacts, SlowCommand
from mqdiag.findings import Finding, Report, Subject
from mqdiag.fingerprints import fingerprint
from mqdiag.read.crash.frames import parts_of
from mqdiag.rules.discovery import all_rules
from mqdiag.rules.engine import run_rules
from tests.rules.examples import example_of

JVM = "it is about the whole JVM"
CLIENT = "it is about the one client of the JVM, or its only pool or service of that name"
HOST = "it is about the host"
EVIDENCE = "it is about the evidence"
BROKER = "the broker, where the evidence names it; in the example it does not"
GROUP = "the group, where the evidence names one; in the example it does not"
PEERS = "its peers come and go, and their addresses with them"
SECRET = "what it names is an access key, which a redacted report hides"
CAUSE = "its cause is the name of what is reported"
WITHOUT = {
    "access-denied": SECRET,
    "callback-pool-blocked": CLIENT,
    "carriers-pinned": JVM,
    "clock-jumped": HOST,
    "collections-not-judged": EVIDENCE,
    "consume-thread-interrupted": GROUP,
    "container-throttled": JVM,
    "dead-channels": CLIENT,
    "disk-full": BROKER,
    "dledger-ack-late": BROKER,
    "dledger-log-broken": BROKER,
    "explicit-collections": JVM,
    "file-descriptors-exhausted": JVM,
    "gc-pressure": JVM,
    "gc-thrashing": JVM,
    "heap-limit-contradicted": EVIDENCE,
    "host-short": HOST,
    "input-incomplete": EVIDENCE,
    "long-safepoints": JVM,
    "mapping-failed": BROKER,
    "memory-not-judged": EVIDENCE,
    "messages-by-count": JVM,
    "name-server-unreachable": CLIENT,
    "native-memory": JVM,
    "pop-revive-behind": BROKER,
    "progress-not-judged": EVIDENCE,
    "proxy-broker-unreachable": PEERS,
    "proxy-clients-pile-up": PEERS,
    "proxy-output-waits": PEERS,
    "proxy-relay-unanswered": PEERS,
    "proxy-unreachable": CLIENT,
    "pull-refused": GROUP,
    "pull-service-dead": CLIENT,
    "redis-script-blocks": GROUP,
    "reported-fault": CAUSE,
    "request-futures-leak": CLIENT,
    "send-busy": BROKER,
    "send-refused": BROKER,
    "shutdown-requested": JVM,
    "slow-writes": BROKER,
    "start-failed": BROKER,
    "store-path-missing": BROKER,
    "symptoms-not-judged": EVIDENCE,
    "team-statement": CAUSE,
    "thread-limit": JVM,
    "threshold-divided": CLIENT,
    "timer-stuck": BROKER,
    "unsupported-client": EVIDENCE,
}
"""rules whose example names nothing that its finding is about, each with the reason"""


def test_a_finding_names_what_it_is_about_or_there_is_a_reason() -> None:
    without = set()
    for rule in all_rules():
        findings = run_rules([rule], example_of(rule).fires()).findings
        if all(found.subject == Subject() for found in findings):
            without.add(rule.name)
    assert without == set(WITHOUT)


DF = (
    "Filesystem 1K-blocks     Used Available Use% Mounted on\n/dev/sda1   41152736 41152736         0 100% {}\n"
)
SESSIONS = """\
  pid  | usename | datname |        state        | wait_event_type | xact_age | pg_blocking_pids | query
-------+---------+---------+---------------------+-----------------+----------+------------------+-------------
 26006 | {0}     | orders  | idle in transaction | Client          | 00:20:00 | {{}}               | select 1
 26007 | web     | orders  | active              | Lock            | 00:19:00 | {{26006}}          | delete from t
"""


@pytest.mark.parametrize(
    ("text", "rule", "accepted", "other"),
    [(DF, "disk-full", "/mnt/iso", "/data"), (SESSIONS, "transaction-blocks-others", "batch", "shop")],
)
def test_what_is_accepted_of_one_thing_counts_of_another(
    text: str, rule: str, accepted: str, other: str, tmp_path: Path
) -> None:
    first, again, second = (_found(text.format(name), rule, tmp_path) for name in (accepted, accepted, other))
    assert first[1].fingerprint == again[1].fingerprint
    assert _judged(*again, first[1].fingerprint) == (True, [])
    assert _judged(*second, first[1].fingerprint) == (False, [GONE])


def test_an_entry_of_a_time_without_subjects_accepts_nothing_and_is_told(tmp_path: Path) -> None:
    report, found = _found(DF.format("/data"), "disk-full", tmp_path)
    assert _judged(report, found, fingerprint("disk-full", found.cause, Subject())) == (False, [GONE])


FIRST, LAST = "2026-11-21T20:00:01+08:00", "2026-11-21T20:05:01+08:00"


def _slow(name: str) -> Facts:
    slow = SlowCommand(server="Redis", source="a", ms=2000.0, name=name, at="2026-11-28T01:14:28+00:00")
    return Facts(services=ServicesFacts(slow_commands=(slow,)))


def _refused(topic: str) -> Facts:
    return _of_logs("pull-refused-no-topic", LogSubject(topic=topic, count=40))


def _unreached(address: str) -> Facts:
    return _of_logs("send-not-connected", LogSubject(broker=address, count=40))


def _away(proxy: str) -> Facts:
    return _of_logs("proxy-refused", LogSubject(broker=proxy, count=40))


def _gap(topic: str) -> Facts:
    return _of_logs("consume-queue-order", LogSubject(topic=topic, count=40))


def _of_logs(kind: str, subject: LogSubject) -> Facts:
    event = LogEvent(
        kind=kind,
        count=40,
        subjects=(msgspec.structs.replace(subject, first=FIRST, last=LAST),),
        first=FIRST,
        last=LAST,
    )
    return Facts(logs=LogsFacts(events=(event,), lines=5000))


def _thrown(frame: str) -> Facts:
    event = LogEvent(kind="consume-exception", side="client", count=40, first=FIRST, last=LAST)
    thrown = ListenerException(exception="java.lang.E", frame=frame, count=40, first=FIRST, last=LAST)
    return Facts(logs=LogsFacts(events=(event,), listener_exceptions=(thrown,), lines=5000))


def _crashed(frame: str) -> Facts:
    parts = parts_of(frame)
    report = CrashReport(
        source="a",
        signal="SIGSEGV",
        problematic_frame=frame,
        frame_kind=parts.kind,
        library=parts.library,
        method=parts.method,
    )
    return Facts(crash=CrashFacts(reports=(report,)))


NAMED = {
    "redis-slow-commands": (_slow, "KEYS", "KEYS", "HGETALL"),
    "pull-refused": (_refused, "orders", "orders", "stock"),
    "send-timeout": (_unreached, "10.0.0.1:10911", "10.0.0.1:10911", "10.0.0.2:10911"),
    "proxy-unreachable": (_away, "proxy-a:8081", "proxy-a:8081", "proxy-b:8081"),
    "consume-queue-broken": (_gap, "orders", "orders", "stock"),
    "listener-throws": (
        _thrown,
        "com.a.Orders.on(Orders.java:3)",
        "com.a.Orders.on(Orders.java:4)",
        "com.a.Stock.on(S.java:3)",
    ),
    "jvm-crash": (
        _crashed,
        "C  [libzstd66553539.so+0x3]  f+0x1",
        "C  [libzstd77553531.so+0x3]  f+0x1",
        "C  [libshop.so+0x3]  f+0x1",
    ),
}


@pytest.mark.parametrize("rule", NAMED)
def test_a_finding_is_known_by_what_it_names(rule: str) -> None:
    make, first, again, other = NAMED[rule]

    def known_by(name: str) -> str:
        rules = [one for one in all_rules() if one.name == rule]
        (found,) = run_rules(rules, make(name)).findings
        return found.fingerprint

    assert known_by(first) == known_by(again) != known_by(other)


def test_functions_of_the_jvm_are_told_apart() -> None:
    rules = [one for one in all_rules() if one.name == "jvm-crash"]
    (found,) = run_rules(rules, _crashed("V  [libjvm.so+0xc393a0]  Node::uncast() const+0x0")).findings
    assert found.subject == Subject(resource="Node::uncast() const")


def _found(text: str, rule: str, folder: Path) -> tuple[Report, Finding]:
    path = folder / "answer.txt"
    path.write_text(text)
    report = diagnose_incident([path]).report
    (found,) = (one for one in report.findings if one.rule == rule)
    return report, found


def _judged(report: Report, found: Finding, known: str) -> tuple[bool, list[str]]:
    """Whether a finding is accepted by a baseline with one entry, and what is said of the entry."""
    entry = Known(fingerprint=known, rule=found.rule, acceptance=Acceptance(source="b.toml", reason="so"))
    judged = with_baseline(report, Baseline(entries=(entry,)), date(2026, 11, 30))
    (same,) = (one for one in judged.findings if one.rule == found.rule)
    return same.accepted is not None, [one.why for one in judged.lapsed]
