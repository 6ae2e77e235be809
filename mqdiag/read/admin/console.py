"""The JSON with which the dashboard, and the console before it, answer their pages: progress, groups, brokers.

Source: GroupConsumeInfo, TopicConsumerInfo, QueueStatInfo and ClusterServiceImpl.list of rocketmq-dashboard, which
wraps them in "status", "data" and "errMsg" (JsonResult); ConsumeStats and KVTable of RocketMQ, which its server of
the Model Context Protocol wraps in "errorCode", "errorMessage" and "data" (ApiResponse of rocketmq-mcp).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from mqdiag.facts.admin import GroupOverview, GroupProgress, QueueProgress
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.admin.output import MOST_SETTINGS, Output
from mqdiag.read.admin.routes import objects, text_in, whole

MARKS = ('"queueStatInfoList"', '"consumeTps"', '"brokerServer"', '"table"')
"""keys of these answers"""
_QUEUE = lazy_pattern(r"MessageQueue \[topic=([^,\]]{1,300}), brokerName=([^,\]]{1,300}), queueId=(\d{1,9})\]")
_COUNTER = "brokerVersionDesc"
"""stands in the counters of each broker"""


def take(out: Output, text: str) -> None:
    """Take one answer; nothing of damaged text, nor of one whose offsets or backlogs are no numbers."""
    try:
        answer = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return
    if not isinstance(answer, dict):
        return
    data = answer.get("data", answer)
    if isinstance(data, dict) and isinstance(data.get("brokerServer"), dict):
        _brokers(out, data)
        return
    if isinstance(data, dict) and isinstance(data.get("offsetTable"), dict):
        _progress(out, data["offsetTable"])
        return
    if isinstance(data, dict) and isinstance(counters := data.get("table"), dict) and _COUNTER in counters:
        out.statuses.append((None, _values(counters)))
        return
    rows = objects(data if isinstance(data, list) else [data])
    if not all(map(_has_numbers, rows)):
        return
    queues = tuple(queue for row in rows for queue in _queues(row))
    if queues:
        out.groups.append(
            GroupProgress(
                group=out.named,
                source=out.source,
                queues=queues,
                diff_total=sum(whole(row.get("diffTotal")) or 0 for row in rows),
                clients_shown=any(queue.client is not None for queue in queues),
            )
        )
    out.overview += _groups(out.source, rows)


def _progress(out: Output, table: dict[str, Any]) -> None:
    """The offsets of a group, by the text of each queue; none where one of them is no number."""
    queues = []
    for text, row in table.items():
        found = _QUEUE.fullmatch(text)
        there, done = (
            whole(row.get(name)) if isinstance(row, dict) else None
            for name in ("brokerOffset", "consumerOffset")
        )
        if found is None or there is None or done is None:
            return
        queues.append(
            QueueProgress(
                topic=found[1],
                broker=found[2],
                queue_id=int(found[3]),
                broker_offset=there,
                consumer_offset=done,
                diff=there - done,
            )
        )
    if queues:
        total = sum(queue.diff for queue in queues)
        out.groups.append(
            GroupProgress(group=out.named, source=out.source, queues=tuple(queues), diff_total=total)
        )


def _values(counters: dict[str, Any]) -> dict[str, str]:
    return {key: str(value) for key, value in list(counters.items())[:MOST_SETTINGS]}


def _has_numbers(row: dict[str, Any]) -> bool:
    """Whether each backlog and offset that a row must have is a number."""
    if "consumeTps" in row and whole(row.get("diffTotal")) is None:
        return False
    return all(
        whole(queue.get(name)) is not None
        for queue in objects(row.get("queueStatInfoList"))
        for name in ("brokerOffset", "consumerOffset")
    )


def _queues(topic: dict[str, Any]) -> Iterator[QueueProgress]:
    for row in objects(topic.get("queueStatInfoList")):
        there, done = whole(row.get("brokerOffset")), whole(row.get("consumerOffset"))
        name, broker, number = topic.get("topic"), row.get("brokerName"), whole(row.get("queueId"))
        if there is None or done is None or number is None:
            continue
        if isinstance(name, str) and isinstance(broker, str):
            yield QueueProgress(
                topic=name,
                broker=broker,
                queue_id=number,
                broker_offset=there,
                consumer_offset=done,
                diff=there - done,
                client=text_in(row.get("clientInfo")),
            )


def _groups(source: str, rows: list[dict[str, Any]]) -> Iterator[GroupOverview]:
    for row in rows:
        group, total = row.get("group"), whole(row.get("diffTotal"))
        if isinstance(group, str) and "consumeTps" in row:
            yield GroupOverview(
                group=group,
                source=source,
                count=whole(row.get("count")),
                version=text_in(row.get("version")),
                type=text_in(row.get("consumeType")),
                model=text_in(row.get("messageModel")),
                tps=whole(row.get("consumeTps")),
                # the dashboard has -1 where it could not ask
                diff_total=None if total == -1 else total,
            )


def _brokers(out: Output, data: dict[str, Any]) -> None:
    tables = data.get("clusterInfo")
    listed = tables.get("brokerAddrTable") if isinstance(tables, dict) else None
    for name, members in list(data["brokerServer"].items())[:MOST_SETTINGS]:
        own = listed.get(name) if isinstance(listed, dict) else None
        addresses = own.get("brokerAddrs") if isinstance(own, dict) else None
        for number, counters in members.items() if isinstance(members, dict) else ():
            address = addresses.get(number) if isinstance(addresses, dict) else None
            if isinstance(counters, dict):
                out.statuses.append((text_in(address), _values(counters)))
