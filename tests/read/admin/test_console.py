"""The answers of the dashboard's pages are read as those of mqadmin are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.read.admin.reader import read_admin
from mqdiag.read.wrappers import wrapper_of
from tests.folded import folded
from tests.layers import one_in_each_run

QUEUE = {
    "brokerName": "broker-a",
    "queueId": 1,
    "brokerOffset": 900,
    "consumerOffset": 400,
    "clientInfo": "10.1.2.3@7",
    "lastTimestamp": 1745303335796,
}
PROGRESS = {
    "status": 0,
    "data": [{"topic": "orders", "diffTotal": 500, "queueStatInfoList": [QUEUE]}],
    "errMsg": None,
}
GROUPS = {
    "status": 0,
    "data": [
        {
            "group": "CID_a",
            "version": "V4_9_4",
            "count": 2,
            "consumeTps": 3,
            "diffTotal": 7,
            "messageModel": None,
        },
        {"group": "CID_b", "count": 0, "consumeTps": 0, "diffTotal": -1},
    ],
}
BROKERS = {
    "data": {
        "brokerServer": {"broker-a": {"0": {"brokerVersionDesc": "V4_9_4", "commitLogDiskRatio": "0.96"}}},
        "clusterInfo": {"brokerAddrTable": {"broker-a": {"brokerAddrs": {"0": "10.1.2.3:10911"}}}},
    }
}


@pytest.mark.parametrize("indent", [None, 2])
def test_the_progress_of_a_group(indent: int | None) -> None:
    facts = read_admin("consumerProgress-CID_a.json", json.dumps(PROGRESS, indent=indent).splitlines()).facts
    (group,) = facts.groups
    assert (group.group, group.diff_total, group.clients_shown) == ("CID_a", 500, True)
    (queue,) = group.queues
    assert (queue.topic, queue.broker, queue.queue_id, queue.diff) == ("orders", "broker-a", 1, 500)


def test_groups_and_what_the_dashboard_could_not_ask() -> None:
    facts = read_admin("groups.json", [json.dumps(GROUPS)]).facts
    assert [(one.group, one.count, one.diff_total) for one in facts.overview] == [
        ("CID_a", 2, 7),
        ("CID_b", 0, None),
    ]


def test_counters_of_brokers() -> None:
    (status,) = read_admin("cluster.json", [json.dumps(BROKERS)]).facts.broker_statuses
    assert (status.address, status.version, status.disk_ratio) == ("10.1.2.3:10911", "V4_9_4", 0.96)


@folded(
    "text",
    [
        '{"data": [{"topic": 1, "queueStatInfoList": [{"brokerName": [], "queueId": true}]}]}',
        '{"data": {"brokerServer": {"a": [1]}, "clusterInfo": {"brokerAddrTable": 7}}}',
        '{"data": {"brokerServer": {"a": {"0": null}}}}',
        '{"consumeTps": "x", "data": [' + "[" * 500 + "}",
        '{"consumeTps": 1e999, "group": "a", "diffTotal": 1e30}',
        '{"data": [{"group": "a", "count": -1, "consumeTps": "x", "diffTotal": 99999999999999999999}]}',
        '{"data": [{"topic": "a", "queueStatInfoList": [{"brokerName": "b", "queueId": 0, "brokerOffset": "9"}]}]}',
    ],
)
def test_damaged_ones_give_nothing(text: str) -> None:
    facts = read_admin("some.json", [text]).facts
    assert not facts.groups
    assert not facts.overview
    assert not facts.broker_statuses


def test_one_of_which_nothing_was_read_gives_no_all_clear(tmp_path: Path) -> None:
    (tmp_path / "cluster.json").write_text(json.dumps(BROKERS).replace("0.96", "0.30"))
    (tmp_path / "groups.json").write_text(json.dumps(GROUPS).replace(": 7,", ": 99999999999999999999,"))
    answer = diagnose_incident([tmp_path]).report.answer
    assert answer is not None
    assert answer.state == "undecided"


def test_an_error_that_stands_over_several_lines() -> None:
    error = json.dumps({"status": -1, "data": None, "errMsg": "a.B: CODE: 1\nsee the FAQ"}, indent=4)
    wrapper = wrapper_of(error.splitlines())
    assert wrapper is not None
    strip = wrapper.strip()
    assert [strip(part) for part in (error[:40], f"{error[40:]}\n", "after it\n")] == [
        "",
        "a.B: CODE: 1\nsee the FAQ\n",
        "after it\n",
    ]


def test_an_answer_without_an_error_stays_as_it_is() -> None:
    assert wrapper_of(json.dumps(PROGRESS, indent=2).splitlines()) is None


RECORD = {
    "@timestamp": "2026-11-28T09:15:48.123Z",
    "level": "error",
    "msg": "send failed",
    "error": "the topic=orders route info not found",
}


@pytest.mark.parametrize(
    "document",
    [
        RECORD,
        [RECORD],
        {"_index": "app", "_source": RECORD},
        {"took": 3, "hits": {"hits": [{"_source": RECORD}]}},
    ],
    ids=["a record", "a list", "an export", "an answer of a search"],
)
def test_a_record_over_several_lines_is_read_like_one_in_a_line(document: object, tmp_path: Path) -> None:
    assert _told(json.dumps(document, indent=2), tmp_path) == ["no-route"]


@one_in_each_run(4)
@pytest.mark.parametrize("form", ["a search", "a list", "one below the other", "cut"])
def test_a_long_export_is_read_record_by_record(form: str, tmp_path: Path) -> None:
    """More than a sample holds, in chunks; only the last record tells the fault."""
    calm = [
        RECORD | {"level": "info", "msg": f"sent {number}", "error": "", "host": {"name": "a" * 60}}
        for number in range(400)
    ]
    records = [{"_index": "app", "_source": one} for one in (*calm, RECORD)]
    answer = {"took": 3, "_shards": {"total": 1}, "hits": {"total": {"value": 401}, "hits": records}}
    text = {
        "a search": json.dumps(answer, indent=2),
        "a list": json.dumps(records, indent=1),
        "one below the other": "\n".join(json.dumps(one, indent=4) for one in records),
        "cut": json.dumps(answer, indent=2).rpartition("error")[0]
        + 'error": "the topic=orders route info not found',
    }[form]
    assert len(text) > 90_000
    assert _told(text, tmp_path) == ["no-route"]


def _told(text: str, folder: Path) -> list[str]:
    (folder / "answer.json").write_text(text)
    return [one.rule for one in diagnose_incident([folder / "answer.json"]).report.findings]


QUEUE_OF_STATS = "MessageQueue [topic=orders, brokerName=broker-a, queueId=1]"
STATS = {"offsetTable": {QUEUE_OF_STATS: {"brokerOffset": 9_000_000, "consumerOffset": 400}}, "consumeTps": 0.0}
NO_ROUTE = "a.b.MQClientException: CODE: 17  DESC: No topic route info in name server for the topic: "
COUNTERS = {"table": {"brokerVersionDesc": "V5_3_3", "commitLogDiskRatio": "0.97"}}


@pytest.mark.parametrize(
    ("data", "error", "rules"),
    [
        (STATS, None, ["consumer-backlog"]),
        (COUNTERS, None, ["disk-full"]),
        (
            None,
            "a.b.MQClientException: CODE: 17  DESC: No topic route info in name server for the topic: orders",
            ["no-route"],
        ),
        ({"offsetTable": {QUEUE_OF_STATS: {"brokerOffset": "x", "consumerOffset": 1}}}, None, []),
    ],
    ids=["progress", "counters", "an error", "no numbers"],
)
def test_answers_of_a_tool_for_models(
    data: object, error: str | None, rules: list[str], tmp_path: Path
) -> None:
    """RocketMQ's server of the Model Context Protocol, by itself and in what the protocol wraps it in."""
    answer = {"errorCode": -1 if error else 0, "errorMessage": error, "data": data}
    wrapped = {"content": [{"type": "text", "text": json.dumps(answer)}], "isError": False}
    for one in (answer, wrapped, {"jsonrpc": "2.0", "id": 3, "result": wrapped}):
        assert _told(json.dumps(one), tmp_path) == rules
        assert _told(json.dumps(one, indent=2), tmp_path) == rules


def test_other_documents_are_no_records() -> None:
    for document in (
        {"message": "an event", "kind": "Event"},
        [{"State": {"Status": "exited"}}],
        [RECORD, 7],
        [],
    ):
        assert wrapper_of(json.dumps(document, indent=2).splitlines()) is None
