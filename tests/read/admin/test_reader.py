"""mqadmin's output: that of real clusters of three versions, other forms of it, and hostile text."""

from __future__ import annotations

import random
from datetime import datetime
from pathlib import Path

import pytest

from mqdiag.facts import AdminFacts
from mqdiag.facts.put_buckets import puts_of
from mqdiag.read.admin.reader import read_admin
from mqdiag.read.admin.recognise import is_admin_output
from tests.folded import folded

FIXTURES = Path(__file__).parents[3] / "fixtures" / "admin"
VERSIONS = sorted(path.parent.name for path in FIXTURES.glob("*/clusterList.txt"))
PROGRESS_4_HEAD = (
    "#Topic                            #Broker Name                      #QID  #Broker Offset        #Consumer Offset"
    "      #Client IP           #Diff                 #LastTime"
)
PROGRESS_5_HEAD = PROGRESS_4_HEAD.replace("#LastTime", "#Inflight            #LastTime")


def read(path: Path) -> AdminFacts:
    return read_admin(str(path), path.read_text().splitlines()).facts


def of_text(text: str, name: str = "given.txt") -> AdminFacts:
    return read_admin(name, text.splitlines()).facts


@pytest.mark.parametrize("version", VERSIONS)
def test_every_output_is_told_and_read(version: str) -> None:
    for path in sorted((FIXTURES / version).glob("*.txt")):
        assert is_admin_output(path.read_text()), path.name
        assert read(path) != AdminFacts(), path.name


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("group", ["CID_mail", "CID_points", "CID_stock"])
def test_progress_of_a_group(version: str, group: str) -> None:
    path = FIXTURES / version / f"consumerProgress-{group}.txt"
    (progress,) = read(path).groups
    assert progress.group == group
    assert len(progress.queues) == 5
    assert progress.diff_total == sum(queue.diff for queue in progress.queues)
    assert all(queue.diff == queue.broker_offset - queue.consumer_offset for queue in progress.queues)
    assert progress.clients_shown is False
    assert progress.consume_tps is not None
    inflight = [queue.inflight for queue in progress.queues]
    assert (None not in inflight) if version.startswith("5") else set(inflight) == {None}
    assert all(queue.last_time is None or queue.last_time.startswith("2026-") for queue in progress.queues)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_rest_of_a_cluster(version: str) -> None:
    folder = FIXTURES / version
    shown = "V" + version.replace(".", "_")
    overview = {one.group: one for one in read(folder / "consumerProgress.txt").overview}
    assert set(overview) == {"CID_mail", "CID_points", "CID_stock"}
    assert {one.version for one in overview.values()} == {shown}
    assert overview["CID_points"].diff_total == 0
    (status,) = read(folder / "brokerStatus.txt").broker_statuses
    assert status.version == shown
    assert status.values["sendThreadPoolQueueCapacity"] == "10000"
    assert status.values["putMessageDistributeTime"].startswith("[<=0ms]:")
    (listed,) = read(folder / "clusterList.txt").brokers
    assert (listed.cluster, listed.broker, listed.broker_id, listed.version) == ("shop", "broker-a", 0, shown)
    (state,) = read(folder / "consumerStatus-CID_stock-s.txt").consumers
    assert (state.group, len(state.clients), state.same_subscription, state.rebalance_ok) == (
        "CID_stock",
        1,
        True,
        True,
    )
    assert [(one.topic, one.queue_id) for one in state.blocked] == [("orders", 1)]
    assert state.blocked[0].blocked_ms > 60_000
    assert [(one.queue_id, one.min_offset) for one in read(folder / "topicStatus.txt").topic_queues] == [
        (0, 0), (1, 0), (2, 0), (3, 0),
    ]  # fmt: skip


def test_the_column_of_clients() -> None:
    rows = "orders  broker-a  0  10  4  10.0.0.7@1  6  2026-01-01 00:00:00\norders  broker-a  1  9  9  N/A  0  N/A\n"
    (progress,) = of_text(f"{PROGRESS_4_HEAD}\n{rows}").groups
    assert [queue.client for queue in progress.queues] == ["10.0.0.7@1", None]
    assert progress.clients_shown
    rows = "orders  broker-a  0  10  4  10.0.0.7@1  6  5  2026-01-01 00:00:00\n"
    (progress,) = of_text(f"{PROGRESS_5_HEAD}\n{rows}").groups
    (queue,) = progress.queues
    assert (queue.client, queue.diff, queue.inflight, queue.last_time) == (
        "10.0.0.7@1",
        6,
        5,
        "2026-01-01 00:00:00",
    )


def test_several_commands_in_one_file_keep_their_groups() -> None:
    table = f"{PROGRESS_4_HEAD}\norders  broker-a  0  10  4  N/A  6  N/A\n\nConsume TPS: 1.5\nDiff Total: 6\n"
    text = "".join(
        f"$ sh mqadmin consumerProgress -n x:9876 -g {group}\n{table}" for group in ("CID_a", "CID_b")
    )
    groups = of_text(text).groups
    assert [(one.group, one.diff_total, one.consume_tps) for one in groups] == [
        ("CID_a", 6, 1.5),
        ("CID_b", 6, 1.5),
    ]


def test_brokers_of_a_cluster_are_kept_apart() -> None:
    text = "".join(
        f"10.0.0.{n}:10911      brokerVersionDesc               : V4_9_{n}\n"
        f"10.0.0.{n}:10911      sendThreadPoolQueueSize         : {n}\n"
        for n in (1, 2)
    )
    statuses = of_text(text).broker_statuses
    assert [(one.address, one.version, one.values["sendThreadPoolQueueSize"]) for one in statuses] == [
        ("10.0.0.1:10911", "V4_9_1", "1"),
        ("10.0.0.2:10911", "V4_9_2", "2"),
    ]


def test_a_group_that_is_offline() -> None:
    text = (
        "#Group   #Count  #Version  #Type  #Model  #TPS  #Diff Total\n"
        "CID_gone                          0       OFFLINE                                         0        812\n"
    )
    (one,) = of_text(text).overview
    assert (one.group, one.count, one.version, one.diff_total) == ("CID_gone", 0, None, 812)


def test_the_file_of_a_client_gives_its_settings() -> None:
    text = (
        "#Consumer Properties#\nconsumeThreadMin   : 20\nconsumerGroup   : CID_mail\n\n\n"
        "#Consumer Subscription#\n001 Topic: orders\n\n"
        "#Consumer Offset#\n#Topic  #Broker Name  #QID  #Consumer Offset\n"
        "orders  broker-a  0  17\n"
    )
    facts = of_text(text)
    (client,) = facts.clients
    assert (client.group, client.settings["consumeThreadMin"]) == ("CID_mail", "20")
    assert facts.groups == ()


def test_garbage_is_read_without_harm() -> None:
    numbers = random.Random(5)
    whole = "".join(path.read_text() for path in sorted(FIXTURES.rglob("*.txt")))
    for _ in range(60):
        text = list(whole[: numbers.randrange(len(whole))])
        for _ in range(200):
            if text:
                text[numbers.randrange(len(text))] = chr(numbers.randrange(1, 0x2FF))
        of_text("".join(text))
    of_text(f"{PROGRESS_4_HEAD}\n" + "a b " + "9" * 5000 + " 1 1 N/A 1 N/A\n")
    assert of_text(f"{PROGRESS_4_HEAD}\n" + "a b 1 " + "9" * 30 + " 1 N/A 1 N/A\n").groups == ()


@pytest.mark.parametrize(
    ("case", "puts", "slow"),
    [
        ("4.3.2", {}, 0),
        ("4.9.7", {"<=0ms": 3831, "0~10ms": 132, "10~50ms": 1}, 0),
        (
            "page-cache-busy-4.3.2",
            {"50~100ms": 14, "100~200ms": 1, "200~500ms": 16, "500ms~1s": 44, "1~2s": 76},
            137,
        ),
        ("page-cache-busy-5.3.3", {}, 0),
    ],
)
def test_write_times_of_a_minute(case: str, puts: dict[str, int], slow: int) -> None:
    """Zeros of a minute without a put, and the "null" of a broker's first minute, tell nothing: no buckets."""
    (status,) = read(FIXTURES / case / "brokerStatus.txt").broker_statuses
    assert puts.items() <= status.put_buckets.items()
    assert bool(status.put_buckets) is bool(puts)
    assert puts_of(status.put_buckets).from_100_ms == slow


def test_the_disk_and_the_time_of_an_answer() -> None:
    (half,) = read(FIXTURES / "disk-full-4.3.2" / "brokerStatus-half.txt").broker_statuses
    (full,) = read(FIXTURES / "disk-full-4.3.2" / "brokerStatus.txt").broker_statuses
    assert (half.disk_ratio, full.disk_ratio) == (0.53167724609375, 0.93603515625)
    assert half.asked_at is not None
    assert full.asked_at is not None
    minutes = (
        datetime.fromisoformat(full.asked_at) - datetime.fromisoformat(half.asked_at)
    ).total_seconds() / 60
    assert 1.5 < minutes < 3


@folded("ratio", ["-1.0", "nan", "NaN", "1e400", "", "much", "7"])
def test_a_disk_that_is_not_known_is_not_empty(ratio: str) -> None:
    (status,) = of_text(f"brokerVersionDesc : V4_3_2\ncommitLogDiskRatio : {ratio}\n").broker_statuses
    assert status.disk_ratio is None


@folded("boot", ["", "-1", "x", "9" * 14, "9" * 400])
def test_a_time_that_is_none(boot: str) -> None:
    text = f"brokerVersionDesc : V4_3_2\nbootTimestamp : {boot}\nruntime : [ 0 days, 0 hours, 3 minutes, 9 seconds ]\n"
    (status,) = of_text(text).broker_statuses
    assert status.asked_at is None


def test_a_list_without_brokers_says_that_there_is_none() -> None:
    """The head alone is an answer; one with a row is another."""
    head = "#Cluster Name  #Broker Name  #BID  #Addr  #Version  #InTPS(LOAD)  #OutTPS(LOAD)"
    row = "shop  broker-a  0  10.0.0.1:10911  V5_3_3  0.00(0,0ms)  0.00(0,0ms)"
    assert read_admin("a.txt", [head]).facts.without_brokers == ("a.txt",)
    assert read_admin("a.txt", [head, row]).facts.without_brokers == ()
    assert read_admin("a.txt", [row, head]).facts.without_brokers == ()
    failed = "org.apache.rocketmq.remoting.exception.RemotingConnectException: connect to 10.0.0.1:10911 failed"
    assert read_admin("a.txt", [head, failed]).facts.without_brokers == ()
    of_one = ["$ mqadmin clusterList -n 10.0.0.9:9876 -c shopp", head]
    assert read_admin("a.txt", of_one).facts.without_brokers == ()
    assert read_admin("a.txt", [*of_one, of_one[0].removesuffix(" -c shopp"), head]).facts.without_brokers == (
        "a.txt",
    )
    assert (
        read_admin(
            "a.txt", ["#Broker Name  #QID  #Min Offset  #Max Offset  #Last Updated"]
        ).facts.without_brokers
        == ()
    )


@folded(
    "name, kept, is_cut",
    [
        ("topicStatus", -45, True),
        ("topicStatus", -1, False),
        ("consumerProgress-CID_stock", -60, True),
        ("consumerProgress-CID_stock", -2, True),
        ("consumerProgress-CID_stock", -1, False),
        ("consumerStatus-CID_stock", -9, True),
        ("consumerStatus-CID_stock", 190, True),
        ("consumerStatus-CID_stock", -1, False),
        ("clusterList", -60, True),
        ("clusterList", 100, True),
        ("clusterList", -1, False),
    ],
)
def test_an_answer_that_ends_in_its_middle_is_cut(name: str, kept: int, *, is_cut: bool) -> None:
    """A number without its last digits, and a list without its last rows, are other answers."""
    text = (FIXTURES / f"4.3.2/{name}.txt").read_text()
    answers = read_admin(f"{name}.txt", text[:kept].splitlines(), ends_open=True)
    assert answers.is_cut is is_cut
    assert len(answers.facts.topic_queues) == (0 if name != "topicStatus" else 4 - is_cut)
    assert not answers.facts.without_brokers


@pytest.mark.parametrize("name", ["null", "-", "topicStatus", "two words", "N/A"])
@pytest.mark.parametrize("column", ["orders", "broker-a"])
def test_a_row_counts_whatever_its_topic_or_broker_is_called(column: str, name: str) -> None:
    text = (FIXTURES / "5.3.3" / "consumerProgress-CID_stock.txt").read_text()
    (progress,) = of_text(text.replace(f"{column}     ", f"{name}     ")).groups
    behind = next(row for row in progress.queues if row.diff)
    assert name in (behind.topic, behind.broker)
    assert (behind.queue_id, behind.diff, behind.last_time) == (1, 2894, None)


@pytest.mark.parametrize("name", ["my shop", "topicStatus", "null", "#a  #b", "a  b"])
def test_a_list_with_a_row_has_a_broker_whatever_its_cluster_is_called(name: str) -> None:
    text = (FIXTURES / "5.3.3" / "clusterList.txt").read_text()
    assert not of_text(text.replace("\nshop     ", f"\n{name}     ")).without_brokers


@pytest.mark.parametrize("name", ["null", "-", "brokerStatus"])
def test_a_group_of_the_overview_may_have_any_name(name: str) -> None:
    text = (FIXTURES / "5.3.3" / "consumerProgress.txt").read_text()
    groups = of_text(text.replace("CID_stock     ", f"{name}     ")).overview
    assert [(group.group, group.diff_total) for group in groups if group.group == name] == [(name, 2894)]


@pytest.mark.parametrize("name", ["broker a", "broker  a", "a  b  c  d"])
@pytest.mark.parametrize("version", ["4.9.7", "5.3.3"])
@pytest.mark.parametrize("answer", ["clusterList", "clusterList-m", "topicStatus", "consumerProgress-CID_mail"])
def test_a_broker_may_have_blanks_in_its_name(name: str, version: str, answer: str) -> None:
    text = (FIXTURES / version / f"{answer}.txt").read_text()
    # mqadmin fills each cell up to the width of its column
    renamed = text.replace("broker-a" + " " * (len(name) - len("broker-a")), name)
    assert renamed != text
    assert repr(of_text(renamed)).replace(name, "broker-a") == repr(of_text(text))


@pytest.mark.parametrize("client", ["#ClientId", "#Diff", "QID", "Version", "ClientAddr", "#Topic#QID"])
def test_a_client_may_be_called_as_a_column(client: str) -> None:
    text = (FIXTURES / "4.9.7" / "consumerStatus-CID_mail.txt").read_text()
    own = "127.0.0.1@10922#15083405662440"
    renamed = text.replace(own, client.ljust(len(own)))
    assert repr(of_text(renamed)).replace(client, own) == repr(of_text(text))
    cells = ("orders".ljust(33), "broker-a".ljust(33), "0".ljust(5), "9".ljust(21), "5".ljust(21))
    row = " ".join((*cells, "{}", "4".ljust(21), "2026-11-21 12:48:17"))
    found, other = (
        of_text(f"{PROGRESS_4_HEAD}\n{row.format(name.ljust(20))}\n") for name in (client, "10.0.0.1")
    )
    assert len(other.groups[0].queues) == 1
    assert repr(found).replace(client, "10.0.0.1") == repr(other)
