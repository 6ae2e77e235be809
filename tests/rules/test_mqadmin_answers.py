"""Rules over answers of mqadmin: queues that stand still, orderly listeners that fail, slaves that are behind."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.facts import AdminFacts, Facts
from mqdiag.facts.admin import (
    BlockedQueue,
    BrokerListed,
    BrokerStatus,
    ClientSettings,
    ConsumeRates,
    ConsumerState,
    GroupProgress,
    ProcessQueueListed,
    QueueProgress,
    ReplicaListed,
    ReplicationStatus,
)
from mqdiag.findings import Confidence, Finding
from mqdiag.language import english
from mqdiag.rules import backlog_not_judged, offset_stuck_at_head, orderly_suspended, slave_behind
from tests.rules.checks import findings, said

FIXTURES = Path(__file__).parents[2] / "fixtures" / "admin"
EARLY, LATE = "2026-11-21 12:00:00", "2026-11-21 12:05:00"


def of_file(path: Path, rule: str) -> list[Finding]:
    return [one for one in diagnose_incident([path]).report.findings if one.rule == rule]


def _answer(*offsets: tuple[int, int, str], group: str = "CID_stock") -> GroupProgress:
    queues = tuple(
        QueueProgress(
            topic="orders",
            broker="broker-a",
            queue_id=number,
            broker_offset=stored,
            consumer_offset=consumed,
            diff=stored - consumed,
            last_time=last,
        )
        for number, (stored, consumed, last) in enumerate(offsets)
    )
    return GroupProgress(group=group, source="progress.txt", queues=queues)


def _stuck(*answers: GroupProgress, clients: tuple[ClientSettings, ...] = ()) -> tuple[Finding, ...]:
    return findings(offset_stuck_at_head, Facts(admin=AdminFacts(groups=answers, clients=clients)))


BEFORE = _answer((100, 100, EARLY), (100, 9, EARLY))
AFTER = _answer((400, 400, LATE), (400, 9, EARLY))


def _with_clients(progress: GroupProgress, *clients: str | None) -> GroupProgress:
    queues = tuple(
        msgspec.structs.replace(queue, client=client)
        for queue, client in zip(progress.queues, clients, strict=True)
    )
    return msgspec.structs.replace(progress, queues=queues, clients_shown=True)


@pytest.mark.parametrize(
    "answers",
    [(BEFORE, AFTER), (_answer((400, 400, "2026-11-21 12:30:00"), (400, 9, EARLY)),)],
    ids=["two answers", "one answer"],
)
def test_no_message_is_stuck_in_a_queue_that_no_client_has(answers: tuple[GroupProgress, ...]) -> None:
    assert len(_stuck(*answers)) <= 1
    assert len(_stuck(*(_with_clients(one, "10.0.0.9", "10.0.0.9") for one in answers))) == len(
        _stuck(*answers)
    )
    assert not _stuck(*(_with_clients(one, "10.0.0.9", None) for one in answers))


@pytest.mark.parametrize("answers", [(BEFORE, AFTER), (AFTER, BEFORE)])
def test_an_offset_that_stands_between_two_answers(answers: tuple[GroupProgress, ...]) -> None:
    """Whichever file is read first."""
    (finding,) = _stuck(*answers)
    assert (finding.subject.queue_id, finding.evidence["offset"]) == (1, 9)
    assert (finding.evidence["consumed"], finding.evidence["passed_ms"]) == (300, 300_000)


@pytest.mark.parametrize(
    "later",
    [
        pytest.param(_answer((400, 400, LATE), (400, 10, EARLY)), id="it moved by one"),
        pytest.param(_answer((100, 100, EARLY), (400, 9, EARLY)), id="the other queue stands too"),
        pytest.param(_answer((400, 400, "2026-11-21 12:00:30"), (400, 9, EARLY)), id="half a minute later"),
        pytest.param(msgspec.structs.replace(AFTER, group="CID_mail"), id="another group"),
    ],
)
def test_offsets_that_do_not_prove_it(later: GroupProgress) -> None:
    assert not _stuck(BEFORE, later)


def test_an_orderly_queue_is_the_matter_of_another_rule() -> None:
    orderly = ClientSettings(source="x", group="CID_stock", settings={"PROP_CONSUMEORDERLY": "true"})
    assert not _stuck(BEFORE, AFTER, clients=(orderly,))


def test_one_answer_is_a_weak_hint() -> None:
    (finding,) = _stuck(_answer((400, 400, "2026-11-21 12:30:00"), (400, 9, EARLY)))
    assert finding.confidence is Confidence.LOW
    assert finding.evidence["behind_ms"] == 1_800_000
    assert not _stuck(_answer((400, 300, "2026-11-21 12:30:00"), (400, 9, EARLY))), "the other is behind too"
    assert not _stuck(_answer((400, 400, LATE), (400, 9, EARLY))), "five minutes"


@pytest.mark.parametrize("version", ["4.9.7", "5.3.3"])
def test_two_real_answers_about_a_queue_that_stands(version: str) -> None:
    """Its listener is orderly, which only consumerStatus says."""
    folder = FIXTURES / f"client-orderly-poison-{version}"
    files = [folder / f"{which}.consumerProgress-CID_orders.txt" for which in ("first", "second")]
    found = [one for one in diagnose_incident(files).report.findings if one.rule == "offset-stuck-at-head"]
    assert [one.evidence["offset"] for one in found] == [9]
    assert "orderly" in english()(found[0].confidence_reason)


@pytest.mark.parametrize("version", ["4.9.7", "5.3.3"])
def test_a_real_orderly_listener_that_always_fails(version: str) -> None:
    (finding,) = of_file(FIXTURES / f"client-orderly-poison-{version}", "orderly-suspended")
    assert (finding.subject.group, finding.subject.topic) == ("CID_orders", "orders")
    assert set(finding.evidence["commit_offsets"]) == {9, 109}  # type: ignore[arg-type]
    assert not of_file(FIXTURES / f"client-orderly-poison-{version}", "offset-stuck-at-head")


def _client(failed_tps: float, *, orderly: str = "true", messages: int = 300) -> Facts:
    rates = ConsumeRates(
        topic="orders",
        pull_ms=1.0,
        pull_tps=1.0,
        consume_ms=1.0,
        consume_ok_tps=8.0,
        consume_failed_tps=failed_tps,
        failed_in_hour=0,
    )
    queue = ProcessQueueListed(
        topic="orders",
        broker="broker-a",
        queue_id=1,
        commit_offset=9,
        min_offset=9,
        max_offset=309,
        messages=messages,
    )
    client = ClientSettings(
        source="x", group="CID", settings={"PROP_CONSUMEORDERLY": orderly}, queues=(queue,), rates=(rates,)
    )
    return Facts(admin=AdminFacts(clients=(client,)))


def test_what_makes_an_orderly_listener_a_finding() -> None:
    (finding,) = findings(orderly_suspended, _client(1.0))
    assert finding.subject.queue_id == 1
    assert not findings(orderly_suspended, _client(0.2))
    assert not findings(orderly_suspended, _client(1.0, orderly="false"))
    assert not findings(orderly_suspended, _client(1.0, messages=0))


def test_a_real_slave_that_is_behind() -> None:
    folder = FIXTURES / "slave-behind-5.3.3"
    (finding,) = of_file(folder / "haStatus.txt", "slave-behind")
    assert (finding.cause, finding.confidence) == ("slow-slave", Confidence.HIGH)
    assert isinstance(finding.evidence["behind_bytes"], int)
    assert finding.evidence["behind_bytes"] > 300_000_000
    assert not of_file(folder / "haStatus-before.txt", "slave-behind")


@pytest.mark.parametrize(
    ("diff", "cause"),
    [(300 << 20, "slow-slave"), (1 << 20, None), (-(1 << 20), None), (-(64 << 20), "slave-ahead")],
)
def test_ha_status(diff: int, cause: str | None) -> None:
    replica = ReplicaListed(address="10.0.0.8:40122", ack_offset=4 << 30, diff_bytes=diff)
    status = ReplicationStatus(
        source="x", master="10.0.0.7:10911", max_offset=(4 << 30) + diff, slaves=1, replicas=(replica,)
    )
    found = findings(slave_behind, Facts(admin=AdminFacts(replication=(status,))))
    assert [one.cause for one in found] == ([] if cause is None else [cause])


def _listed(broker_id: int, address: str) -> BrokerListed:
    return BrokerListed(source="x", broker="broker-a", broker_id=broker_id, address=address)


def _status(address: str, end: int) -> BrokerStatus:
    return BrokerStatus(source="x", address=address, values={"commitLogMaxOffset": str(end)})


@pytest.mark.parametrize(
    ("slave_end", "cause"), [(4 << 30, "slow-slave"), (5 << 30, None), (6 << 30, "slave-ahead")]
)
def test_the_ends_of_a_master_and_its_slave(slave_end: int, cause: str | None) -> None:
    """By brokerStatus of both; clusterList says which belongs to which."""
    statuses = (_status("10.0.0.7:10911", 5 << 30), _status("10.0.0.8:10911", slave_end))
    brokers = (_listed(0, "10.0.0.7:10911"), _listed(1, "10.0.0.8:10911"))
    found = findings(slave_behind, Facts(admin=AdminFacts(broker_statuses=statuses, brokers=brokers)))
    assert [(one.cause, one.subject.broker) for one in found] == (
        [] if cause is None else [(cause, "broker-a")]
    )
    assert not findings(slave_behind, Facts(admin=AdminFacts(broker_statuses=statuses)))
    for one in found:
        assert "brokerStatus" in said(one)


@pytest.mark.parametrize("blocked_ms", [(69_400, 65_644), (65_644, 69_400)])
def test_a_queue_that_two_answers_name_is_told_once(blocked_ms: tuple[int, int]) -> None:
    states = tuple(
        ConsumerState(
            source=f"status-{place}.txt",
            group="CID_stock",
            blocked=(
                BlockedQueue(client="c@1", topic="orders", broker="broker-a", queue_id=1, blocked_ms=longest),
            ),
        )
        for place, longest in enumerate(blocked_ms)
    )
    (finding,) = findings(offset_stuck_at_head, Facts(admin=AdminFacts(consumers=states)))
    assert finding.evidence["blocked_ms"] == 69_400
    assert len(finding.explanation) == 2


@pytest.mark.parametrize(
    ("tps", "offset", "causes"),
    [
        pytest.param(0.0, 0, ["nothing-taken"], id="takes-nothing"),
        pytest.param(0.0, 3, [], id="took-some-of-each-queue"),
        pytest.param(1.5, 0, [], id="takes-others"),
        pytest.param(None, 0, [], id="not-told"),
    ],
)
def test_a_group_that_takes_nothing_at_one_look(tps: float | None, offset: int, causes: list[str]) -> None:
    queue = QueueProgress(
        topic="orders", broker="a", queue_id=0, broker_offset=5, consumer_offset=offset, diff=5 - offset
    )
    group = GroupProgress(group="CID_a", source="progress", queues=(queue,), consume_tps=tps)
    found = findings(backlog_not_judged.RULE, Facts(admin=AdminFacts(groups=(group,))))
    assert [one.cause for one in found] == causes
