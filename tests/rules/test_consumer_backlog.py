"""consumer-backlog on real output, whose truth the rig knew, and on what must not be said."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.facts import AdminFacts, Facts
from mqdiag.facts.admin import ConnectedClient, ConsumerConnection, GroupProgress, QueueProgress
from mqdiag.facts.services import ServicesFacts, Socket
from mqdiag.findings import Finding
from mqdiag.rules import consumer_backlog
from tests.folded import folded
from tests.layers import one_in_each_run
from tests.rules import checks
from tests.rules.checks import said

FIXTURES = Path(__file__).parents[2] / "fixtures" / "admin"
VERSIONS = sorted(path.parent.name for path in FIXTURES.glob("*/clusterList.txt"))


def group(name: str, *diffs: int, clients: tuple[str | None, ...] = (), tps: float = 1.0) -> GroupProgress:
    queues = tuple(
        QueueProgress(
            topic="orders",
            broker="broker-a",
            queue_id=number,
            broker_offset=50_000,
            consumer_offset=50_000 - diff,
            diff=diff,
            client=clients[number] if clients else None,
        )
        for number, diff in enumerate(diffs)
    )
    return GroupProgress(
        group=name, source="x", queues=queues, consume_tps=tps, clients_shown=any(one for one in clients)
    )


def found(*groups: GroupProgress) -> list[Finding]:
    return list(checks.findings(consumer_backlog, Facts(admin=AdminFacts(groups=groups))))


@one_in_each_run(3)
@pytest.mark.parametrize("version", VERSIONS)
def test_real_groups(version: str) -> None:
    report = diagnose_incident([FIXTURES / version]).report
    by_group = {one.subject.group: one for one in report.findings if one.rule == "consumer-backlog"}
    assert set(by_group) == {"CID_mail", "CID_stock"}
    stock, mail = by_group["CID_stock"], by_group["CID_mail"]
    assert (stock.severity, stock.cause, stock.confidence) == ("warning", "stuck-message", "high")
    assert (stock.subject.topic, stock.subject.broker, stock.subject.queue_id) == ("orders", "broker-a", 1)
    assert (mail.severity, mail.cause, mail.subject.queue_id) == ("info", "slow-consumers", None)
    for one in (stock, mail):
        assert one.evidence["groups_that_keep_up"] == ("CID_points",)
        assert "the broker delivers" in said(one)


def test_one_queue_alone_is_no_proof_of_a_stuck_message() -> None:
    (finding,) = found(group("CID", 5000, 3, 0, 0))
    assert (finding.cause, finding.confidence) == ("one-queue-behind", "medium")


@pytest.mark.parametrize(
    ("consumed", "tps", "cause"),
    [
        (0, None, "group-stands"),
        (0, 0.0, "group-stands"),
        (1, 0.0, "slow-consumers"),
        (0, 3.0, "slow-consumers"),
    ],
)
def test_two_answers_of_a_group_whose_offsets_do_not_move(consumed: int, tps: float | None, cause: str) -> None:
    """By what the brokers stored, not by the order of the files."""
    earlier = group("CID", 900, 900, 900, tps=tps)
    later = msgspec.structs.replace(
        earlier,
        queues=tuple(
            msgspec.structs.replace(
                queue,
                broker_offset=queue.broker_offset + 50,
                consumer_offset=queue.consumer_offset + consumed,
                diff=queue.diff + 50 - consumed,
            )
            for queue in earlier.queues
        ),
    )
    for answers in ((earlier, later), (later, earlier)):
        (finding,) = found(*answers)
        assert (finding.cause, finding.evidence["diff_total"]) == (cause, 2850 - 3 * consumed)
        assert finding.confidence == "medium"
    # the same answer twice shows no time that passed
    (finding,) = found(earlier, earlier)
    assert finding.cause == "slow-consumers"


def test_queues_that_nobody_has() -> None:
    (finding,) = found(group("CID", 800, 800, clients=("10.0.0.7", None)))
    assert (finding.cause, finding.evidence["queues_without_client"]) == ("queue-without-consumer", 1)
    # without the option no queue names a client
    (finding,) = found(group("CID", 800, 800, clients=(None, None)))
    assert finding.cause == "slow-consumers"


def test_when_all_are_behind_the_broker_comes_first() -> None:
    assert [one.cause for one in found(group("a", 900, 900), group("b", 1200, 900))] == [
        "all-groups-behind"
    ] * 2


def test_small_backlogs_are_messages_on_their_way() -> None:
    assert found(group("CID", 200, 300, 400)) == []
    assert found(group("CID", -500, 400)) == []


def test_what_drains_soon_is_worth_a_note_only() -> None:
    assert found(group("CID", 3000, 3000, tps=500))[0].severity == "info"
    assert found(group("CID", 3000, 3000, tps=5))[0].severity == "warning"


@folded(
    "connected, cause, silent",
    [
        ({"10.0.0.1@A": "10.0.0.1:40001", "10.0.0.2@B": "10.0.0.2:40002"}, "client-stands", "10.0.0.2@B"),
        # two instances of one host, and the captured process has the other connection
        ({"10.0.0.1@A": "10.0.0.1:40001", "10.0.0.1@B": "10.0.0.1:40002"}, "client-stands", "10.0.0.1@B"),
        ({"10.0.0.1@A": "10.0.0.1:40001"}, "queue-without-consumer", None),
        ({"10.0.0.1@A": "10.0.0.1:40001", "10.0.0.2@GO": "10.0.0.2:40002"}, "queue-without-consumer", None),
        ({f"10.0.0.{host}@C": f"10.0.0.{host}:40001" for host in (1, 2, 3)}, "queue-without-consumer", None),
    ],
)
def test_the_only_client_that_does_not_answer_is_named(
    connected: dict[str, str], cause: str, silent: str | None
) -> None:
    """mqadmin shows no client for the queues of one that stands still; one of another language cannot be asked."""
    clients = tuple(
        ConnectedClient(client_id=name, address=address, language="GO" if name.endswith("@GO") else "JAVA")
        for name, address in connected.items()
    )
    admin = AdminFacts(
        groups=(group("CID_a", 2000, 3000, clients=("10.0.0.1", None)),),
        consumer_connections=(ConsumerConnection(source="x", group="CID_a", clients=clients),),
    )
    own = Socket(
        pid=1, local="10.0.0.1", local_port=40001, remote="10.0.0.9", remote_port=10911, source="sockets.txt"
    )
    facts = Facts(admin=admin, services=ServicesFacts(sockets=(own,)))
    (finding,) = checks.findings(consumer_backlog, facts)
    assert (finding.cause, finding.evidence.get("silent_client")) == (cause, silent)
