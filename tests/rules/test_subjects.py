"""What a finding is known by: a fault that was accepted of one thing is not accepted of another."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from mqdiag.acceptance import Acceptance
from mqdiag.baseline import GONE, Baseline, Known, with_baseline
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.facts import Facts
from mqdiag.facts.services import ServicesFacts, SlowCommand
from mqdiag.findings import Finding, Report, Subject
from mqdiag.fingerprints import fingerprint
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
CAUSE = "its cause is the name of what is reported"
WITHOUT = {
    "access-denied": BROKER,
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


def test_each_slow_command_is_known_by_its_name() -> None:
    def subject(name: str) -> Subject:
        slow = SlowCommand(server="Redis", source="a", ms=2000.0, name=name, at="2026-11-28T01:14:28+00:00")
        (found,) = run_rules(
            [rule for rule in all_rules() if rule.name == "redis-slow-commands"],
            Facts(services=ServicesFacts(slow_commands=(slow,))),
        ).findings
        return found.subject

    assert subject("KEYS") == Subject(resource="KEYS") != subject("HGETALL")


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
