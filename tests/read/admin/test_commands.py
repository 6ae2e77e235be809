"""Answers of commands, re-typed from the formats of rocketmq-tools for versions of which no real one is at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.facts import AdminFacts
from mqdiag.facts.admin import ConnectedClient, ReplicaListed, Subscription
from mqdiag.read.admin.reader import read_admin
from mqdiag.read.admin.recognise import is_admin_output
from mqdiag.read.paste import decoded
from tests.folded import folded

FIXTURES = Path(__file__).parents[3] / "fixtures" / "admin"
CONNECTION_3 = """\
001  10.0.0.7@170                     10.0.3.11:43166        JAVA     V3_2_6
002  10.0.0.7@170                     10.0.3.12:51840        JAVA     V3_2_6

Below is subscription:
001  Topic: %RETRY%CID_stock                         SubExpression: *
002  Topic: orders                                   SubExpression: paid || sent

ConsumeType: CONSUME_PASSIVELY
MessageModel: CLUSTERING
ConsumeFromWhere: CONSUME_FROM_LAST_OFFSET
"""
CONNECTION_5 = """\
#ClientId                            #ClientAddr            #Language  #Version
10.0.0.7@170                         10.0.3.11:43166        JAVA       V5_3_3
10.0.0.7@170                         10.0.3.12:51840        JAVA       V5_3_3

Below is subscription:
#Topic               #SubExpression
%RETRY%CID_stock     *
orders               paid || sent

ConsumeType: CONSUME_PASSIVELY
MessageModel: CLUSTERING
ConsumeFromWhere: CONSUME_FROM_LAST_OFFSET
"""
CLUSTER_4 = """\
#Cluster Name     #Broker Name            #BID  #Addr                  #Version                #InTPS(LOAD)       #OutTPS(LOAD) #PCWait(ms) #Hour #SPACE
shop              broker-a                0     10.0.0.1:10911         V4_9_4            10.50(3,1209ms)       0.00(0,0ms)        1384 70.50 0.9112
shop              broker-a                1     10.0.0.2:10911                            0.00(0,0ms)          0.00(0,0ms)           0 0.00 -1.0000
"""  # noqa: E501
CLUSTER_3 = """\
broker-a\t
#BID\t#Addr\t#Version\t#InTPS\t#OutTPS\t#InTotalYest
0\t10.0.0.1:10911\tV3_1_8\t0.0\t2.5\t11989
"""
CONSOLE_CLUSTER = """\
分片\t编号\t地址\t版本\t生产消息TPS\t消费消息TPS\t昨日生产总数
broker-a\t0(master)\t10.0.0.1:10911\tV4_9_4\t10.50\t0.25\t11989
"""
ROUTE = """\
{
\t"brokerDatas":[
\t\t{
\t\t\t"brokerAddrs":{1:"10.0.0.2:10911",0:"10.0.0.1:10911"
\t\t\t},
\t\t\t"brokerName":"broker-a",
\t\t\t"cluster":"shop"
\t\t}
\t],
\t"filterServerTable":{},
\t"queueDatas":[
\t\t{"brokerName":"broker-a","perm":6,"readQueueNums":4,"topicSysFlag":0,"writeQueueNums":8}
\t]
}
"""
ROUTE_LIST = """\
#ClusterName                                  #BrokerName                      #BrokerAddrs                                       #ReadQueue #WriteQueue #Perm
shop                                          broker-a                         {0=10.0.0.1:10911, 1=10.0.0.2:10911}               4          8           6
---------------------------------------------------------------------------
Total:                                        1                                                                                   4          8
"""  # noqa: E501
STATS = """\
#Topic                            #Consumer Group                   #Accumulation      #InTPS     #OutTPS   #InMsg24Hour  #OutMsg24Hour
orders                            CID_stock                                  2894       12.50        0.00          11573              0
audit                                                                           0        1.00                        900    NO_CONSUMER
"""  # noqa: E501
CONFIG = """\
============10.0.0.1:10911============
serverSelectorThreads                             =  3
brokerRole                                        =  ASYNC_MASTER
namesrvAddr                                       =

============My Master: 10.0.0.1:10911=====Slave: 10.0.0.2:10911============
brokerRole                                        =  SLAVE
"""
HA_MASTER = """\

#MasterAddr\t10.0.0.1:10911
#MasterCommitLogMaxOffset\t98765
#SlaveNum\t2
#InSyncSlaveNum\t1
#SlaveAddr                        #SlaveAckOffset             #Diff #TransferSpeed(KB/s)          #Status #TransferFromWhere
/10.0.0.2:43110                   98765                           0            12.50               OK            98765
/10.0.0.3:43111                   90000                        8765             0.00      Fall Behind            90000
"""  # noqa: E501
HA_SLAVE = """\

#MasterAddr\t10.0.0.1:10912
#CommitLogMaxOffset\t90000
#TransferSpeed(KB/s)\t0.00
#LastReadTime\t2026-11-21 12:00:01,250
#LastWriteTime\t2026-11-21 12:00:02,250
#MasterFlushOffset\t98765
"""


def of_text(text: str, name: str = "given.txt") -> AdminFacts:
    assert is_admin_output(text)
    return read_admin(name, text.splitlines()).facts


@pytest.mark.parametrize(("text", "version"), [(CONNECTION_3, "V3_2_6"), (CONNECTION_5, "V5_3_3")])
def test_consumer_connection(text: str, version: str) -> None:
    (connection,) = of_text(text).consumer_connections
    assert connection.group == "CID_stock"
    assert connection.clients == tuple(
        ConnectedClient(client_id="10.0.0.7@170", address=address, language="JAVA", version=version)
        for address in ("10.0.3.11:43166", "10.0.3.12:51840")
    )
    assert connection.subscriptions == (
        Subscription(topic="%RETRY%CID_stock", expression="*"),
        Subscription(topic="orders", expression="paid || sent"),
    )
    assert (connection.consume_type, connection.message_model, connection.consume_from_where) == (
        "CONSUME_PASSIVELY",
        "CLUSTERING",
        "CONSUME_FROM_LAST_OFFSET",
    )


@pytest.mark.parametrize(
    "text",
    [
        "ClientId\tClientAddr\tLanguage\tVersion\n10.0.0.7@170\t10.0.3.11:43166\tJAVA\tV4_3_0\n",
        "| ClientId | ClientAddr | Language | Version |\n|---|---|---|---|\n"
        "| 10.0.0.7@170 | 10.0.3.11:43166 | JAVA | V4_3_0 |\n",
        "ClientId  ClientAddr  Language  Version\n10.0.0.7@170  10.0.3.11:43166  JAVA  V4_3_0\n",
    ],
)  # fmt: skip
def test_a_consoles_list_of_clients(text: str) -> None:
    (connection,) = of_text(text).consumer_connections
    assert connection.clients == (
        ConnectedClient(client_id="10.0.0.7@170", address="10.0.3.11:43166", language="JAVA", version="V4_3_0"),
    )


def test_producer_connection() -> None:
    text = (
        "$ sh mqadmin producerConnection -n 10.0.0.9:9876 -g PID_shop -t orders\n"
        "0001  10.0.0.7@170                     10.0.3.11:43166        JAVA     V4_9_4\n"
    )
    (connection,) = of_text(text).producer_connections
    assert (connection.group, [client.client_id for client in connection.clients]) == (
        "PID_shop",
        ["10.0.0.7@170"],
    )


def test_producers_of_a_broker() -> None:
    text = "".join(
        f"producer group ({group}) instance : clientId=10.0.0.7@{number},remoteIP=10.0.0.7:{number}, language=JAVA,"
        " version=479, lastUpdateTimestamp=1795265442179\n"
        for group, number in (("PID_a", 1), ("PID_a", 2), ("PID_b", 3))
    )
    connections = of_text(text).producer_connections
    assert [(one.group, [client.client_id for client in one.clients]) for one in connections] == [
        ("PID_a", ["10.0.0.7@1", "10.0.0.7@2"]),
        ("PID_b", ["10.0.0.7@3"]),
    ]


def test_brokers_of_a_cluster_with_their_load() -> None:
    master, slave = of_text(CLUSTER_4).brokers
    assert (master.cluster, master.broker, master.broker_id, master.version) == (
        "shop",
        "broker-a",
        0,
        "V4_9_4",
    )
    assert (master.in_tps, master.send_queue, master.send_wait_ms) == (10.5, 3, 1209)
    assert (master.page_cache_wait_ms, master.oldest_hours, master.disk_ratio) == (1384, 70.5, 0.9112)
    assert (slave.address, slave.version, slave.disk_ratio) == ("10.0.0.2:10911", None, None)


def test_brokers_in_old_and_translated_consoles() -> None:
    (old,) = of_text(CLUSTER_3).brokers
    assert (old.broker, old.broker_id, old.version, old.out_tps) == ("broker-a", 0, "V3_1_8", 2.5)
    (translated,) = read_admin("given.txt", CONSOLE_CLUSTER.splitlines()).facts.brokers
    assert (translated.broker, translated.broker_id, translated.in_tps) == ("broker-a", 0, 10.5)


def test_messages_of_a_day() -> None:
    (totals,) = read_admin(
        "x", (FIXTURES / "4.3.2/clusterList-m.txt").read_text().splitlines()
    ).facts.broker_totals
    assert (totals.broker, totals.in_yesterday, totals.in_today, totals.out_today) == (
        "broker-a",
        0,
        13146,
        34996,
    )


@pytest.mark.parametrize("text", [ROUTE, ROUTE_LIST, ROUTE.replace("\n", "").replace("\t", "")])
def test_the_route_of_a_topic(text: str) -> None:
    (route,) = of_text(f"$ mqadmin topicRoute -n x:9876 -t orders\n{text}\n").routes
    assert (route.topic, route.cluster, route.broker) == ("orders", "shop", "broker-a")
    assert route.addresses == ("10.0.0.1:10911", "10.0.0.2:10911")
    assert (route.read_queues, route.write_queues, route.permission) == (4, 8, 6)


def test_a_cut_route_gives_nothing() -> None:
    assert of_text(ROUTE[:-40]).routes == ()


def test_rates_of_topics() -> None:
    orders, audit = of_text(STATS).topic_rates
    assert (orders.topic, orders.group, orders.accumulation, orders.in_tps, orders.out_24_hours) == (
        "orders",
        "CID_stock",
        2894,
        12.5,
        0,
    )
    assert (audit.topic, audit.group, audit.in_24_hours, audit.out_tps, audit.out_24_hours) == (
        "audit",
        None,
        900,
        None,
        None,
    )


def test_settings_of_brokers() -> None:
    master, slave = of_text(CONFIG).broker_configs
    assert (master.address, master.settings["brokerRole"]) == ("10.0.0.1:10911", "ASYNC_MASTER")
    assert master.settings["serverSelectorThreads"] == "3"
    assert (slave.address, slave.settings) == ("10.0.0.2:10911", {"brokerRole": "SLAVE"})


@pytest.mark.parametrize("between", ["=", " = ", "= "])
def test_the_file_of_a_broker_is_read_as_its_settings(between: str) -> None:
    (settings,) = of_text(
        f"brokerClusterName{between}shop\nfileReservedTime{between}48\n#a comment\n"
    ).broker_configs
    assert settings.settings == {"brokerClusterName": "shop", "fileReservedTime": "48"}


@pytest.mark.parametrize("between", ["\t", " | "])
def test_a_consoles_pages_of_keys_and_values(between: str) -> None:
    config = (
        f"brokerClusterName{between}shop\nbrokerRole{between}ASYNC_MASTER\nmaxMessageSize{between}4194304\n"
    )
    (settings,) = of_text(config).broker_configs
    assert settings.settings == {
        "brokerClusterName": "shop",
        "brokerRole": "ASYNC_MASTER",
        "maxMessageSize": "4194304",
    }
    status = f"brokerVersionDesc{between}V4_9_3\ncommitLogDiskRatio{between}0.91\nsendThreadPoolQueueSize{between}12\n"
    (counters,) = of_text(status).broker_statuses
    assert (counters.version, counters.disk_ratio, counters.values["sendThreadPoolQueueSize"]) == (
        "V4_9_3",
        0.91,
        "12",
    )


def test_replication_as_the_master_has_it() -> None:
    (master,) = of_text(HA_MASTER).replication
    assert (master.master, master.max_offset, master.slaves, master.in_sync_slaves) == (
        "10.0.0.1:10911",
        98765,
        2,
        1,
    )
    assert master.replicas == (
        ReplicaListed(address="10.0.0.2:43110", ack_offset=98765, diff_bytes=0, kib_per_s=12.5, in_sync=True),
        ReplicaListed(
            address="10.0.0.3:43111", ack_offset=90000, diff_bytes=8765, kib_per_s=0.0, in_sync=False
        ),
    )


def test_replication_as_the_slave_has_it() -> None:
    (slave,) = of_text(HA_SLAVE).replication
    assert (slave.master, slave.max_offset, slave.slaves, slave.master_flush_offset) == (
        "10.0.0.1:10912",
        90000,
        None,
        98765,
    )
    assert slave.last_read == "2026-11-21 12:00:01,250"


def test_the_file_of_a_client_gives_its_queues_and_rates() -> None:
    path = next((FIXTURES / "5.3.3").glob("consumerStatus-CID_stock.127*"))
    (client,) = read_admin(path.name, path.read_text().splitlines()).facts.clients
    assert client.subscriptions[1] == Subscription(topic="orders", expression="*")
    stuck = next(queue for queue in client.queues if queue.topic == "orders" and queue.queue_id == 1)
    assert (stuck.commit_offset, stuck.messages, stuck.dropped, stuck.size_mib) == (0, 1, False, 0)
    assert stuck.last_consume is not None
    assert len(stuck.last_consume) == 17
    assert len(client.queues) == 5
    assert [rates.topic for rates in client.rates] == ["%RETRY%CID_stock", "orders"]


def test_queues_of_a_client_before_4_2_0_have_no_size() -> None:
    text = (
        "#Consumer Properties#\nconsumerGroup : CID_a\n\n\n#Consumer MQ Detail#\n"
        "#Topic  #Broker Name  #QID  #ProcessQueueInfo\n"
        "orders  broker-a  3  ProcessQueueInfo [commitOffset=7, cachedMsgMinOffset=8, cachedMsgMaxOffset=19,"
        " cachedMsgCount=12, transactionMsgMinOffset=0, locked=true, droped=true,"
        " lastPullTimestamp=20261121125332344]\n"
    )
    (queue,) = of_text(text).clients[0].queues
    assert (queue.min_offset, queue.max_offset, queue.messages, queue.size_mib) == (8, 19, 12, None)
    assert (queue.locked, queue.dropped, queue.last_pull, queue.last_consume) == (
        True,
        True,
        "20261121125332344",
        None,
    )


def test_queues_that_cannot_be_locked() -> None:
    text = (
        "10.0.0.7@1 MessageQueue [topic=orders, brokerName=broker-a, queueId=2] can't lock for a while, 65012ms\n"
        "10.0.0.7@1 MessageQueue [topic=orders, brokerName=broker-a, queueId=3] can't consume for a while,"
        " maybe blocked, 597688ms\n"
    )
    (state,) = of_text(text).consumers
    assert [(one.queue_id, one.unlocked_ms) for one in state.unlocked] == [(2, 65012)]
    assert [(one.queue_id, one.blocked_ms) for one in state.blocked] == [(3, 597688)]


def test_a_consoles_progress_of_a_group() -> None:
    text = (
        "orders\nBroker\tQueue\tConsumerClient\tBrokerOffset\tConsumerOffset\tDiffTotal\tLastTimestamp\n"
        "broker-a\t0\t10.0.0.7@1\t2893\t2208\t685\t2026-11-21 12:53:20\nbroker-a\t1\t\t2894\t0\t2894\t\n"
    )
    (progress,) = of_text(text).groups
    assert [(one.topic, one.queue_id, one.diff, one.client) for one in progress.queues] == [
        ("orders", 0, 685, "10.0.0.7@1"),
        ("orders", 1, 2894, None),
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gb18030"])
@pytest.mark.parametrize("prompt", ["", "[root@shop bin]# ", "# ", "C:\\mq> "])
def test_encodings_and_prompts(encoding: str, prompt: str) -> None:
    text = f"{prompt}sh mqadmin consumerConnection -n x:9876 -g CID_主 || echo 完成\n{CONNECTION_5}"
    read = decoded(text.encode(encoding))
    assert read == text.lstrip("\ufeff")
    (connection,) = of_text(read).consumer_connections
    assert len(connection.clients) == 2


@pytest.mark.parametrize("quote", ["> ", "    "])
@pytest.mark.parametrize("text", [CONNECTION_3, CONNECTION_5, CLUSTER_4, STATS, CONFIG, HA_MASTER])
def test_quoted_and_indented(text: str, quote: str) -> None:
    dressed = "".join(f"{quote}{line}\n" for line in text.splitlines())
    assert of_text(decoded(dressed.encode())) == of_text(text)


def test_a_session_with_many_commands() -> None:
    text = "".join(
        f"[root@shop bin]# sh mqadmin {command}\n"
        f"OpenJDK 64-Bit Server VM warning: ignoring option PermSize=128m\n{answer}\n"
        for command, answer in (
            ("clusterList -n x:9876", CLUSTER_4),
            ("consumerConnection -n x:9876 -g CID_stock", CONNECTION_5),
            ("topicRoute -n x:9876 -t orders", ROUTE),
            ("statsAll -n x:9876", STATS),
            ("getBrokerConfig -n x:9876 -b 10.0.0.1:10911", CONFIG),
            ("haStatus -n x:9876 -b 10.0.0.1:10911", HA_MASTER),
        )
    )
    facts = of_text(text)
    assert [
        len(rows)
        for rows in (
            facts.brokers, facts.consumer_connections, facts.routes, facts.topic_rates, facts.broker_configs,
            facts.replication,
        )
    ] == [2, 1, 1, 2, 2, 1]  # fmt: skip


@folded(
    "text",
    [
        "2026-11-21 20:00:01 INFO main - brokerClusterName=shop\n",
        "a | b\nc | d\n",
        "Topic\tQueue\n",
        "x = 3\n",
        "{}\n",
    ],
)
def test_other_text_is_no_answer(text: str) -> None:
    assert not is_admin_output(text)
    assert read_admin("given.txt", text.splitlines()).facts == AdminFacts()
