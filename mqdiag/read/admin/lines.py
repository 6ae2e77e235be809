"""Lines that stand outside of tables: what tells each, and what it becomes."""

from __future__ import annotations

import re
from collections.abc import Callable

from mqdiag.facts.admin import BlockedQueue, ConnectedClient, Subscription, UnlockedQueue
from mqdiag.read.admin.cells import decimal_of
from mqdiag.read.admin.output import MOST_SETTINGS, Output

_QUEUE = r"MessageQueue \[topic=(?P<topic>.{1,255}?), brokerName=(?P<broker>.{1,255}?), queueId=(?P<queue>-?\d{1,9})\]"

_CLIENT = r"(?:\S+|[^\s@]{1,64}@\S.{0,254}?)"
"""an id of a client; the name of an instance, which is a part of it, may have blanks"""


def _total(out: Output, found: re.Match[str]) -> None:
    out.answer.total = int(found[1])


def _tps(out: Output, found: re.Match[str]) -> None:
    out.answer.tps = decimal_of(found[1])


def _waiting(out: Output, found: re.Match[str]) -> None:
    client, topic, broker, queue_id = found["client"], found["topic"], found["broker"], int(found["queue"])
    waited = int(found["ms"])
    if found["what"] == "consume":
        out.answer.blocked.append(
            BlockedQueue(client=client, topic=topic, broker=broker, queue_id=queue_id, blocked_ms=waited)
        )
    else:
        out.answer.unlocked.append(
            UnlockedQueue(client=client, topic=topic, broker=broker, queue_id=queue_id, unlocked_ms=waited)
        )


def _same(out: Output, found: re.Match[str]) -> None:
    out.answer.same = found[1] == "Same"


def _rebalance(out: Output, found: re.Match[str]) -> None:
    out.answer.rebalance = found[1] == "OK"


def _client(out: Output, found: re.Match[str]) -> None:
    out.answer.client_ids.append(found[1])


def _connected(out: Output, found: re.Match[str]) -> None:
    client = ConnectedClient(
        client_id=found["client"],
        address=found["address"].lstrip("/"),
        language=found["language"],
        version=found["version"],
    )
    # consumerConnection counts with three digits, producerConnection with four
    (out.answer.connected if len(found["number"]) == 3 else out.answer.producers).append(client)


def _producer(out: Output, found: re.Match[str]) -> None:
    if out.named != found["group"]:
        out.end_answer()
        out.named = found["group"]
    out.answer.producers.append(
        ConnectedClient(
            client_id=found["client"], address=found["address"].lstrip("/"), language=found["language"]
        )
    )


def _subscription(out: Output, found: re.Match[str]) -> None:
    out.answer.subscriptions.append(Subscription(topic=found[1], expression=found[2].strip()))


def _kind(out: Output, found: re.Match[str]) -> None:
    out.answer.kinds[found[1]] = found[2]


def _config_of(out: Output, found: re.Match[str]) -> None:
    out.end_answer()
    out.answer.config_of = found["slave"] or found["address"]


def _setting(out: Output, found: re.Match[str]) -> None:
    if len(out.answer.config) < MOST_SETTINGS:
        out.answer.config[found[1]] = found[2].strip()


def _replication(out: Output, found: re.Match[str]) -> None:
    if found[1] == "MasterAddr":
        out.end_answer()
    out.answer.replication[found[1]] = found[2].strip()


def _counter(out: Output, found: re.Match[str]) -> None:
    """A counter of brokerStatus; those of a cluster have the broker's address before them."""
    address, key, value = found.groups()
    last = out.open_statuses.get(address)
    if last is None or key in last or len(last) >= MOST_SETTINGS:
        last = out.open_statuses[address] = {}
        out.statuses.append((address, last))
    last[key] = value.strip()


def _pair(out: Output, found: re.Match[str]) -> None:
    if len(out.answer.pairs) < MOST_SETTINGS:
        out.answer.pairs[found[1]] = found[2].strip()


def _title(out: Output, found: re.Match[str]) -> None:
    out.title = found[1]


LINES: tuple[tuple[re.Pattern[str], Callable[[Output, re.Match[str]], None]], ...] = (
    # consumerProgress
    (re.compile(r"(?:Consume )?Diff Total: (-?\d{1,18})"), _total),
    (re.compile(r"Consume TPS: ([\d.Ee+-]{1,30})"), _tps),
    # consumerStatus
    (
        re.compile(
            rf"(?P<client>{_CLIENT}) {_QUEUE} can't (?P<what>consume|lock) for a while,"
            r" (?:maybe blocked, )?(?P<ms>\d{1,18})ms"
        ),
        _waiting,
    ),
    (re.compile(r"(Same|WARN: Different) subscription in the same group of consumer"), _same),
    (re.compile(r"Rebalance (OK|Failed)"), _rebalance),
    (re.compile(rf"\s*\d+\s+({_CLIENT})\s+V\d\S*\s+\d+/{_CLIENT}\s*$"), _client),
    # consumerConnection and producerConnection of all versions but for tables
    (
        re.compile(
            rf"\s*(?P<number>\d{{3,4}})\s+(?P<client>{_CLIENT})\s+(?P<address>/?\S+:\d{{1,5}})\s+(?P<language>[A-Z_]{{1,20}})"
            r"\s+(?P<version>V\d\S*)\s*$"
        ),
        _connected,
    ),
    (
        re.compile(
            r"producer group \((?P<group>.{1,255}?)\) instance : clientId=(?P<client>[^,]+),"
            r"remoteIP=(?P<address>[^,]+), language=(?P<language>\w+)"
        ),
        _producer,
    ),
    (re.compile(r"\s*\d{3}\s+Topic: (\S+)\s+(?:ClassFilter: \S+\s+)?SubExpression: (.*)$"), _subscription),
    (re.compile(r"(ConsumeType|MessageModel|ConsumeFromWhere): (\w+)\s*$"), _kind),
    # getBrokerConfig, and a broker's own file
    (
        re.compile(
            r"={6,}+(?:Master: |My Master: )?(?P<address>[\w.:-]++)(?:=++Slave: (?P<slave>[\w.:-]++))?={6,}+\s*+$"
        ),
        _config_of,
    ),
    (re.compile(r"([A-Za-z]\w{1,100})\s*=(?!=)[ \t]*(.*)$"), _setting),
    # haStatus
    (
        re.compile(
            r"#(MasterAddr|MasterCommitLogMaxOffset|SlaveNum|InSyncSlaveNum|CommitLogMaxOffset|LastReadTime|LastWriteTime"
            r"|MasterFlushOffset)\s+(.*)$"
        ),
        _replication,
    ),
    # brokerStatus
    (re.compile(r"(?:(\S+:\d{1,5})\s+)?([A-Za-z][\w./\[\]-]*)\s*: (.*)$"), _counter),
    # pages of a console
    (
        re.compile(r"\|?[ \t]*([A-Za-z][\w./\[\]-]{1,100})[ \t]*[|\t][ \t]*([^|\s][^|\t]*+)[ \t]*+\|?\s*+$"),
        _pair,
    ),
    (re.compile(r"([\w%.-]{1,255})\s*$"), _title),
)
"""the first pattern that matches a line's beginning is taken"""
