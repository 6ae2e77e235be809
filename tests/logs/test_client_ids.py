"""Client ids that two processes have, by the logs of real brokers and clients, and by lines that come close."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.facts.logs import SharedClientId
from tests.folded import folded
from tests.layers import one_in_each_run
from tests.logs.given import CLIENT_4, facts, line

FIXTURES = Path(__file__).parents[2] / "fixtures" / "logs"
CONNECTED = (
    "new consumer connected, group: CID_orders CONSUME_PASSIVELY CLUSTERING channel: ClientChannelInfo [channel=[id:"
    " 0x2b472520, L:/10.0.0.1:10911 - R:/{remote}], clientId=172.17.0.2@1, language=JAVA, version=407]"
)
LEFT = (
    "NETTY EVENT: remove not active channel[ClientChannelInfo [channel=[id: 0x2b472520, L:/10.0.0.1:10911 !"
    " R:/{remote}], clientId=172.17.0.2@1]] from ConsumerGroupInfo groupChannelTable, consumer group: CID_orders"
)
LATER = "2026-11-21 20:09:00 INFO main - the last line\n"


def shared(*texts: str) -> tuple[SharedClientId, ...]:
    return facts(*texts).shared_client_ids


@one_in_each_run(3)
@pytest.mark.parametrize("version", ["4.9.7", "5.3.3"])
@pytest.mark.parametrize("processes", [("broker",), ("consumer", "second"), ("broker", "consumer", "second")])
def test_two_real_processes_with_one_id(version: str, processes: tuple[str, ...]) -> None:
    folder = FIXTURES / f"client-same-id-{version}"
    files = [file for process in processes for file in sorted((folder / process).glob("*.gz"))]
    (finding,) = diagnose_logs(files).report.findings
    assert (finding.rule, finding.subject.group) == ("duplicate-client-id", "CID_orders")
    assert finding.evidence["client_id"] == "127.0.0.1@1"
    assert finding.evidence["clients"] == 2


@pytest.mark.parametrize("process", ["consumer", "second"])
def test_one_of_the_two_alone_tells_nothing(process: str) -> None:
    files = sorted((FIXTURES / "client-same-id-5.3.3" / process).glob("*.gz"))
    assert not diagnose_logs(files).report.findings


def test_two_hosts_are_two_processes_at_once() -> None:
    (row,) = shared(
        line(CONNECTED.format(remote="10.0.0.7:4001")) + line(CONNECTED.format(remote="10.0.0.8:4001"))
    )
    assert row.addresses == ("10.0.0.7:4001", "10.0.0.8:4001")


OTHER_LEFT = LEFT.format(remote="10.0.0.9:5001")


@folded(
    "between",
    [
        line(LEFT.format(remote="10.0.0.7:4001")),
        line("Shutdown hook was invoked, 1") + line("The broker[broker-a, 10.0.0.1:10911] boot success."),
        line(
            "SCAN: remove expired channel from ConsumerManager consumerTable. channel=10.0.0.7:4001,"
            " consumerGroup=CID_orders"
        ),
        line("ProcessRequestWrapper response to /10.0.0.7:4001 failed"),
        line("transfer many message by pagecache failed, /10.0.0.7:4001"),
    ],
)
def test_a_process_that_connects_again(between: str) -> None:
    first, second = (line(CONNECTED.format(remote=f"10.0.0.7:{port}")) for port in (4001, 4002))
    other = line(OTHER_LEFT)
    assert not shared(other + first + between + second + LATER)
    assert shared(other + first + second + LATER), "without the line between it is two processes"


def test_one_host_in_a_log_that_leaves_ends_out() -> None:
    """And a process that connects again and again, of which the log tells no end."""
    first, second, third = (line(CONNECTED.format(remote=f"10.0.0.7:{port}")) for port in (4001, 4002, 4003))
    assert not shared(first + second + LATER)
    assert not shared(line(OTHER_LEFT) + first + second + third + LATER)


def test_two_connections_of_one_host_for_a_moment() -> None:
    first, second = (line(CONNECTED.format(remote=f"10.0.0.7:{port}")) for port in (4001, 4002))
    assert not shared(
        line(OTHER_LEFT) + first + second + line(LEFT.format(remote="10.0.0.7:4001"), second=9) + LATER
    )


def _client(group: str, second: int) -> str:
    started = line("the client factory [10.0.0.7@orders] start OK", CLIENT_4, second=second)
    consumer = line(f"the consumer [{group}] start OK.", CLIENT_4, second=second)
    return started + consumer + "2026-11-21 12:09:00,000 INFO RocketmqClient - the last line\n"


def test_one_id_for_two_groups_is_no_fault() -> None:
    assert shared(_client("CID_orders", 1), _client("CID_orders", 9))
    assert not shared(_client("CID_orders", 1), _client("CID_mail", 9))


def test_a_copy_of_a_log_is_no_second_process() -> None:
    assert not shared(_client("CID_orders", 1), _client("CID_orders", 1))


def test_one_process_after_the_other() -> None:
    ended = line("the client factory [10.0.0.7@orders] shutdown OK", CLIENT_4, second=5)
    assert not shared(
        _client("CID_orders", 1).replace("2026-11-21 12:09", ended + "2026-11-21 12:09"),
        _client("CID_orders", 9),
    )
