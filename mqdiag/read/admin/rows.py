"""Rows of tables to facts; None for a line that is no row of its table.

Source: the SubCommand classes of rocketmq-tools 3.2.6 to 5.3.3, ConsumerRunningInfo.formatString.
"""

from __future__ import annotations

import re

from mqdiag.facts.admin import (
    BrokerListed,
    BrokerTotals,
    ConnectedClient,
    ConsumeRates,
    GroupOverview,
    ProcessQueueListed,
    QueueProgress,
    ReplicaListed,
    Subscription,
    TopicQueue,
    TopicRates,
    TopicRoute,
)
from mqdiag.read.admin.cells import Row, is_number

_OFFLINE = "OFFLINE"
_LOAD = re.compile(r"\((\d{1,9}),(\d{1,12})ms")
_FIELD = re.compile(r"(\w+)=([^,\]]*)")
_ADDRESS = re.compile(r"[\w.:-]+:\d{1,5}\b")
_INFO = re.compile(r"ProcessQueueInfo \[(.{1,2000}?)\]")


def progress_row(row: Row, topic: str | None) -> QueueProgress | None:
    """A line of `consumerProgress -g`; a console shows the topic above the table."""
    topic, broker = row.name("topic") or topic, row.name("broker")
    queue_id, given, consumed = row.number("qid"), row.number("brokeroffset"), row.number("consumeroffset")
    diff = row.number("diff")
    if topic is None or broker is None or queue_id is None or given is None or consumed is None or diff is None:
        return None
    return QueueProgress(
        topic=topic,
        broker=broker,
        queue_id=queue_id,
        broker_offset=given,
        consumer_offset=consumed,
        client=row.text("client"),
        diff=diff,
        inflight=row.number("inflight"),
        last_time=row.text("last"),
    )


def overview_row(row: Row, source: str) -> GroupOverview | None:
    """A line of `consumerProgress` over all groups."""
    group, count, diff = row.name("group"), row.number("count"), row.number("diff")
    if group is None or count is None or diff is None:
        return None
    version = row.text("version")
    return GroupOverview(
        group=group,
        source=source,
        count=count,
        version=None if version == _OFFLINE else version,
        type=row.text("type"),
        model=row.text("model"),
        tps=row.decimal("tps"),
        diff_total=diff,
    )


def broker_row(row: Row, source: str, broker: str | None) -> BrokerListed | None:
    """A line of `clusterList`; consoles of 3.x have the broker's name above the table."""
    broker_id, address = row.number("bid"), row.text("address")
    if broker_id is None or address is None or not _ADDRESS.fullmatch(address):
        return None
    send, pull = _LOAD.search(row.text("intps") or ""), _LOAD.search(row.text("outtps") or "")
    activated = row.text("activated")
    return BrokerListed(
        source=source,
        cluster=row.text("cluster"),
        broker=row.text("broker") or broker,
        broker_id=broker_id,
        address=address,
        version=row.text("version"),
        in_tps=row.decimal("intps"),
        out_tps=row.decimal("outtps"),
        send_queue=int(send[1]) if send else None,
        send_wait_ms=int(send[2]) if send else None,
        pull_queue=int(pull[1]) if pull else None,
        pull_wait_ms=int(pull[2]) if pull else None,
        page_cache_wait_ms=row.number("pcwaitms"),
        oldest_hours=row.decimal("hour"),
        disk_ratio=_share(row.decimal("space")),
        activated=None if activated is None else activated == "true",
    )


def totals_row(row: Row, source: str) -> BrokerTotals | None:
    """A line of `clusterList -m`."""
    broker = row.name("broker")
    counts = [row.number(name) for name in ("intotalyest", "outtotalyest", "intotaltoday", "outtotaltoday")]
    if broker is None or any(count is None for count in counts):
        return None
    in_before, out_before, in_today, out_today = (count or 0 for count in counts)
    return BrokerTotals(
        source=source,
        cluster=row.text("cluster"),
        broker=broker,
        in_yesterday=in_before,
        out_yesterday=out_before,
        in_today=in_today,
        out_today=out_today,
    )


def topic_row(row: Row, source: str, topic: str | None, name_server: str | None) -> TopicQueue | None:
    """A line of `topicStatus`."""
    broker, queue_id = row.name("broker"), row.number("qid")
    low, high = row.number("minoffset"), row.number("maxoffset")
    if broker is None or queue_id is None or low is None or high is None:
        return None
    return TopicQueue(
        source=source,
        name_server=name_server,
        topic=topic,
        broker=broker,
        queue_id=queue_id,
        min_offset=low,
        max_offset=high,
        last_updated=row.text("last"),
    )


def connection_row(row: Row) -> ConnectedClient | None:
    """A line of `consumerConnection`."""
    client_id, address = row.text("clientid"), row.text("clientaddr")
    if client_id is None or address is None or not _ADDRESS.search(address):
        return None
    return ConnectedClient(
        client_id=client_id,
        address=address.lstrip("/"),
        language=row.text("language"),
        version=row.text("version"),
    )


def subscription_row(row: Row) -> Subscription | None:
    """A line below "Below is subscription"."""
    topic, expression = row.name("topic"), row.text("subexpression")
    if topic is None or expression is None or topic.endswith(":"):
        return None
    return Subscription(topic=topic, expression=expression)


def process_queue_row(row: Row) -> ProcessQueueListed | None:
    """A line of "#Consumer MQ Detail#"."""
    topic, broker, queue_id = row.name("topic"), row.name("broker"), row.number("qid")
    info = _INFO.search(row.text("processqueueinfo") or "")
    if topic is None or broker is None or queue_id is None or info is None:
        return None
    values = dict(_FIELD.findall(info[1]))
    numbers = [
        values.get(name, "")
        for name in ("commitOffset", "cachedMsgMinOffset", "cachedMsgMaxOffset", "cachedMsgCount")
    ]
    if not all(map(is_number, numbers)):
        return None
    commit, low, high, messages = map(int, numbers)
    size = values.get("cachedMsgSizeInMiB", "")
    return ProcessQueueListed(
        topic=topic,
        broker=broker,
        queue_id=queue_id,
        commit_offset=commit,
        min_offset=low,
        max_offset=high,
        messages=messages,
        size_mib=int(size) if is_number(size) else None,
        locked=_truth(values.get("locked")),
        dropped=_truth(values.get("droped")),
        last_lock=values.get("lastLockTimestamp"),
        last_pull=values.get("lastPullTimestamp"),
        last_consume=values.get("lastConsumeTimestamp"),
    )


def rates_row(row: Row) -> ConsumeRates | None:
    """A line of "#Consumer RT&TPS#"."""
    topic, failed = row.name("topic"), row.number("consumefailedmsgsinhour")
    names = ("pullrt", "pulltps", "consumert", "consumeoktps", "consumefailedtps")
    rates = [value for value in map(row.decimal, names) if value is not None]
    if topic is None or failed is None or len(rates) < len(names):
        return None
    pull_ms, pull_tps, consume_ms, consumed, not_consumed = rates
    return ConsumeRates(
        topic=topic,
        pull_ms=pull_ms,
        pull_tps=pull_tps,
        consume_ms=consume_ms,
        consume_ok_tps=consumed,
        consume_failed_tps=not_consumed,
        failed_in_hour=failed,
    )


def route_row(row: Row, source: str, topic: str | None) -> TopicRoute | None:
    """A line of `topicRoute -l`; its last line is the total."""
    broker = row.name("broker")
    addresses = tuple(_ADDRESS.findall(row.text("brokeraddrs") or ""))
    if broker is None or not addresses:
        return None
    return TopicRoute(
        source=source,
        topic=topic,
        cluster=row.text("cluster"),
        broker=broker,
        addresses=addresses,
        read_queues=row.number("readqueue"),
        write_queues=row.number("writequeue"),
        permission=row.number("perm"),
    )


def topic_rates_row(row: Row, source: str) -> TopicRates | None:
    """A line of `statsAll`; for a topic without a group it prints "NO_CONSUMER" or leaves the cells out."""
    topic, rate = row.name("topic"), row.decimal("intps")
    if topic is None or rate is None:
        return None
    return TopicRates(
        source=source,
        topic=topic,
        group=row.text("group"),
        accumulation=row.number("accumulation"),
        in_tps=rate,
        out_tps=row.decimal("outtps"),
        in_24_hours=row.number("inmsg24hour"),
        out_24_hours=row.number("outmsg24hour"),
    )


def replica_row(row: Row) -> ReplicaListed | None:
    """A line of `haStatus`: one slave."""
    address, offset, diff = row.text("slaveaddr"), row.number("slaveackoffset"), row.number("diff")
    if address is None or offset is None or diff is None:
        return None
    status = row.text("status")
    return ReplicaListed(
        address=address.lstrip("/"),
        ack_offset=offset,
        diff_bytes=diff,
        kib_per_s=row.decimal("transferspeedkbs"),
        in_sync=None if status is None else status.upper() == "OK",
    )


def _truth(text: str | None) -> bool | None:
    return None if text is None else text == "true"


def _share(value: float | None) -> float | None:
    """A share; None for the -1 of a path that the broker cannot look at."""
    return value if value is not None and 0 <= value <= 1 else None
