"""Reads a file of mqadmin output: one command's, or several one after another."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePath

from mqdiag.facts.admin import (
    AdminFacts,
    BlockedQueue,
    BrokerListed,
    ClientSettings,
    ConsumerState,
    GroupOverview,
    GroupProgress,
    QueueProgress,
    TopicQueue,
)
from mqdiag.read.admin.counters import broker_status
from mqdiag.read.admin.rows import broker_row, overview_row, progress_row, topic_row

MOST_LINES = 1_000_000
LONGEST_LINE = 8192
MOST_COUNTERS = 1000
MARKS = (
    b"#Consumer Offset",
    b"#Diff Total",
    b"brokerVersionDesc",
    b"#BID",
    b"#Min Offset",
    b"#ConsumerRunningInfoFile",
    b"subscription in the same group of consumer",
    b"can't consume for a while",
    b"#Consumer Properties#",
)
_TOTAL = re.compile(r"(?:Consume )?Diff Total: (-?\d+)")
_TPS = re.compile(r"Consume TPS: ([\d.Ee+-]+)")
_BLOCKED = re.compile(
    r"(\S+) MessageQueue \[topic=(.{1,255}?), brokerName=(.{1,255}?), queueId=(-?\d{1,9})\]"
    r" can't consume for a while, maybe blocked, (\d{1,18})ms"
)
_CLIENT = re.compile(r"\s*\d+\s+(\S+)\s+V\d\S*\s+\S+/\S+\s*$")
_COUNTER = re.compile(r"(?:(\S+:\d{1,5})\s+)?([A-Za-z][\w./\[\]-]*)\s*: (.*)$")
_PROPERTY = re.compile(r"([A-Za-z]\w*)\s*: (.*)$")
_COMMAND = re.compile(r"(consumerProgress|consumerStatus|topicStatus)\b")
_NAMED = {
    "consumerProgress": re.compile(r"(?:-g|--groupName)[ =]?\s*[\"']?([%\w-]+)"),
    "consumerStatus": re.compile(r"(?:-g|--consumerGroup)[ =]?\s*[\"']?([%\w-]+)"),
    "topicStatus": re.compile(r"(?:-t|--topic)[ =]?\s*[\"']?([%\w-]+)"),
}
_FILE_NAME = re.compile(r"(?:consumerProgress|consumerStatus|topicStatus)[-_.]([%\w-]+?)(?:-s)?\.\w+$")


def is_admin_output(head: bytes) -> bool:
    """Whether text holds what an mqadmin command prints."""
    return any(mark in head for mark in MARKS)


@dataclass
class _Output:
    """What has been read of a file so far."""

    name: str
    named: str | None
    groups: list[GroupProgress] = field(default_factory=list)
    overview: list[GroupOverview] = field(default_factory=list)
    statuses: list[tuple[str | None, dict[str, str]]] = field(default_factory=list)
    brokers: list[BrokerListed] = field(default_factory=list)
    consumers: list[ConsumerState] = field(default_factory=list)
    clients: list[ClientSettings] = field(default_factory=list)
    topic_queues: list[TopicQueue] = field(default_factory=list)
    table: str = ""
    columns: str = ""
    rows: list[QueueProgress] = field(default_factory=list)
    total: int | None = None
    tps: float | None = None
    client_ids: list[str] = field(default_factory=list)
    blocked: list[BlockedQueue] = field(default_factory=list)
    same: bool | None = None
    rebalance: bool | None = None
    properties: dict[str, str] = field(default_factory=dict)


def read_admin(name: str, lines: Iterable[str]) -> AdminFacts:
    """Read one file.

    Args:
        name: the file; the group or topic that was asked for often stands in its name only.
        lines: its lines.
    """
    from_name = _FILE_NAME.search(PurePath(name).name)
    out = _Output(name=name, named=from_name[1] if from_name else None)
    for line, _ in zip(lines, range(MOST_LINES), strict=False):
        _take(out, line.rstrip("\r\n")[:LONGEST_LINE])
    _close(out)
    return AdminFacts(
        groups=tuple(out.groups),
        overview=tuple(out.overview),
        broker_statuses=tuple(
            broker_status(name, address, values)
            for address, values in out.statuses
            if "brokerVersionDesc" in values
        ),
        brokers=tuple(out.brokers),
        consumers=tuple(out.consumers),
        clients=tuple(out.clients),
        topic_queues=tuple(out.topic_queues),
    )


def _take(out: _Output, line: str) -> None:
    command = _COMMAND.search(line)
    if command is not None and not line.startswith("#"):
        _close(out)
        given = _NAMED[command[1]].search(line, command.end())
        out.named = given[1] if given else None
    elif line.startswith("#") and out.table != "properties":
        _head(out, line)
    elif line.startswith("#"):
        out.table = "properties" if line.startswith("#Consumer Properties#") else "skip"
    elif out.table == "progress":
        _progress(out, line)
    elif out.table == "overview":
        if (row := overview_row(out.name, line)) is not None:
            out.overview.append(row)
    elif out.table == "cluster":
        if (listed := broker_row(out.name, line)) is not None:
            out.brokers.append(listed)
    elif out.table == "topic":
        if (queue := topic_row(out.name, out.named, line)) is not None:
            out.topic_queues.append(queue)
    elif out.table == "properties":
        if (setting := _PROPERTY.match(line)) is not None and len(out.properties) < MOST_COUNTERS:
            out.properties[setting[1]] = setting[2].strip()
    elif out.table != "skip":
        _loose(out, line)


def _head(out: _Output, line: str) -> None:
    _close(out)
    out.columns = line
    if "#Consumer Offset" in line and "#Broker Offset" in line:
        out.table = "progress"
    elif "#Group" in line and "#Diff Total" in line:
        out.table = "overview"
    elif "#Cluster Name" in line and "#BID" in line:
        out.table = "cluster"
    elif "#QID" in line and "#Min Offset" in line:
        out.table = "topic"
    elif line.startswith("#Consumer Properties#"):
        out.table = "properties"
    elif "#ConsumerRunningInfoFile" in line:
        out.table = ""
    else:
        out.table = "skip"


def _progress(out: _Output, line: str) -> None:
    if (total := _TOTAL.search(line)) is not None:
        out.total = int(total[1])
    elif (tps := _TPS.search(line)) is not None:
        out.tps = _float(tps[1])
    elif (row := progress_row(line, out.columns)) is not None:
        out.rows.append(row)


def _loose(out: _Output, line: str) -> None:
    """Lines outside of tables: those of consumerStatus and brokerStatus."""
    if (blocked := _BLOCKED.match(line)) is not None:
        client, topic, broker, queue_id, waited = blocked.groups()
        out.blocked.append(
            BlockedQueue(
                client=client, topic=topic, broker=broker, queue_id=int(queue_id), blocked_ms=int(waited)
            )
        )
    elif (client_line := _CLIENT.match(line)) is not None:
        out.client_ids.append(client_line[1])
    elif "subscription in the same group of consumer" in line:
        out.same = line.startswith("Same")
    elif line.startswith("Rebalance "):
        out.rebalance = line.startswith("Rebalance OK")
    elif (counter := _COUNTER.match(line)) is not None:
        address, key, value = counter.groups()
        last = next((values for place, values in reversed(out.statuses) if place == address), None)
        if last is None or key in last or len(last) >= MOST_COUNTERS:
            last = {}
            out.statuses.append((address, last))
        last[key] = value.strip()


def _close(out: _Output) -> None:
    """Put what a table or a consumerStatus gave where it belongs."""
    if out.rows:
        out.groups.append(_group(out))
    if out.client_ids or out.blocked or out.same is not None or out.rebalance is not None:
        out.consumers.append(
            ConsumerState(
                source=out.name,
                group=out.named,
                clients=tuple(out.client_ids),
                same_subscription=out.same,
                rebalance_ok=out.rebalance,
                blocked=tuple(out.blocked),
            )
        )
    if out.properties:
        out.clients.append(
            ClientSettings(source=out.name, group=out.properties.get("consumerGroup"), settings=out.properties)
        )
    out.rows, out.client_ids, out.blocked = [], [], []
    out.total = out.tps = out.same = out.rebalance = None
    out.properties, out.table, out.columns = {}, "", ""


def _group(out: _Output) -> GroupProgress:
    retry = next((row.topic for row in out.rows if row.topic.startswith("%RETRY%")), None)
    return GroupProgress(
        group=retry.removeprefix("%RETRY%") if retry else out.named,
        source=out.name,
        queues=tuple(out.rows),
        diff_total=out.total,
        consume_tps=out.tps,
        clients_shown=any(row.client is not None for row in out.rows),
    )


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
