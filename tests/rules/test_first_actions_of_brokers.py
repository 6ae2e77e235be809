"""What to do first on a broker is what its own evidence asks for."""

from __future__ import annotations

from pathlib import Path

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.findings import Finding
from mqdiag.language import english
from mqdiag.text import Text

FIXTURES = Path(__file__).parents[2] / "fixtures"


def found(rule: str, evidence: str) -> Finding:
    report = diagnose_incident([FIXTURES / evidence]).report
    return next(one for one in report.findings if one.rule == rule)


def written(texts: tuple[Text, ...]) -> list[str]:
    return [english()(text) for text in texts]


def test_a_disk_that_is_not_full_is_told_with_its_share_and_the_next_limit() -> None:
    full = found("disk-full", "public/disk-82-nothing-expired")
    assert full.evidence["largest_percent"] == 81
    assert "Up to 81 % of the disk was in use." in written(full.explanation)
    assert "writes again" not in written(full.remedy)[0]


def test_small_files_are_the_first_thing_to_change() -> None:
    slow = found("slow-writes", "logs/page-cache-busy-4.9.7/broker")
    assert english()(slow.then[0].text).startswith("Give a new broker files of the default size")


def test_a_broker_that_is_known_to_sync_gets_no_action_that_begins_with_if() -> None:
    slow = written(tuple(one.text for one in found("slow-writes", "logs/sync-flush-slow-4.3.2").then))
    assert "because each write waits for it" in slow[0]
    assert not any("With SYNC_FLUSH or a SYNC_MASTER" in action for action in slow)


def test_answers_of_senders_alone_ask_for_the_brokers_own_evidence_first() -> None:
    busy = found("page-cache-busy", "public/busy-under-load-test")
    assert "PAGECACHERT ~/logs/rocketmqlogs/store.log" in english()(busy.now[0].command)
    assert "Add a broker to the cluster." in english()(busy.then[1].text)


def test_a_broker_that_may_have_moved_is_asked_for_before_one_is_stopped(tmp_path: Path) -> None:
    head = "#Cluster Name  #Broker Name  #BID  #Addr  #Version\n"
    for number, address in enumerate(("10.0.0.1:10911", "10.0.0.2:10911")):
        (tmp_path / f"clusterList{number}.txt").write_text(head + f"c  broker-a  0  {address}  V5_3_3\n")
    (one,) = (
        finding
        for finding in diagnose_incident([tmp_path]).report.findings
        if finding.rule == "duplicate-broker-identity"
    )
    commands = written(tuple(step.command for step in one.now if step.command))
    assert "clusterList" in commands[0]
    assert commands[-1] == "fuser -k -TERM 10911/tcp"
