"""The JSON report: the contract's keys, the shipped schema, hostile strings."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest

from mqdiag.findings import Report
from mqdiag.render import SHARED, View, formats, renderer
from mqdiag.render.json.schema import schema_text
from mqdiag.report_json import from_json
from tests.folded import folded
from tests.render import samples
from tests.render.test_text import REPORTS
from tests.report_schema import validate_report

SCHEMA: dict[str, Any] = json.loads(schema_text())

# As the public contract has them, written out a second time on purpose: a renamed field must fail here.
CONTRACT = {
    "Report": "schema_version mqdiag inputs findings skipped failed heap stacks logs diff",
    "Input": "path kind format bytes captured_at captured_at_local complete error",
    "Finding": "rule severity cause confidence fingerprint caused_by title subject evidence remedy references",
    "Subject": "group topic broker queue_id thread",
    "Skipped": "rule reason",
    "HeapFacts": (
        "objects shallow_bytes unreachable_objects unreachable_bytes heap_bytes heap_bytes_source id_size"
        " captured_at jvm shallow_size_source classes suspects consumers queues process_queues messages"
        " messages_unreachable messages_in_queues body_bytes broker threads"
    ),
    "ClassRow": "name loaders instances shallow_bytes retained_bytes",
    "Suspect": "class object_id retained_bytes share path",
    "ConsumerFacts": (
        "group kind client_version config queues messages body_bytes retained_bytes bound_bytes bound_max_bytes"
    ),
    "QueueFacts": (
        "group topic broker queue_id messages msg_count msg_size body_bytes min_offset max_offset span"
        " commit_offset next_offset lag oldest_consume_age_ms dropped locked last_pull_age_ms"
        " last_consume_age_ms"
    ),
    "HeapThread": "name role state message frames",
    "MessageInHand": "topic queue_id offset msg_id age_ms",
}


def rendered(report: Report) -> Any:
    return json.loads(renderer("json")(report, View()))


def test_the_schema_is_a_schema() -> None:
    jsonschema_rs.meta.validate(SCHEMA)


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS.keys())
def test_reports_are_valid(report: Report) -> None:
    validate_report(rendered(report))


@folded("name", CONTRACT)
def test_the_contract_s_keys_are_there(name: str) -> None:
    definition = SCHEMA["$defs"][name]
    keys = set(CONTRACT[name].split())
    assert keys <= set(definition["properties"])
    if name != "Subject":
        assert keys <= set(definition["required"])


@pytest.mark.parametrize(
    "path",
    [
        ("findings", 0, "severity"),
        ("heap", "consumers", 0, "queues"),
        ("inputs", 0, "path"),
        ("heap", "objects"),
    ],
)
def test_the_schema_refuses_a_report_with_a_missing_or_wrong_part(path: tuple[str | int, ...]) -> None:
    for damage in ("missing", "wrong"):
        report = rendered(samples.ARTICLE)
        part = report
        for step in path[:-1]:
            part = part[step]
        if damage == "missing":
            del part[path[-1]]
        else:
            part[path[-1]] = ["wrong"]
        with pytest.raises(jsonschema_rs.ValidationError):
            validate_report(report)


def test_values_arrive_as_they_are() -> None:
    report = rendered(samples.ARTICLE)
    assert list(report)[:5] == ["schema_version", "mqdiag", "answer", "inputs", "findings"]
    assert report["findings"][0]["subject"] == {"group": samples.GROUP}
    assert report["findings"][0]["evidence"]["bound_bytes"] == 55 * 100 * 428_311
    assert report["heap"]["suspects"][0]["class"].endswith("DefaultMQPushConsumerImpl")
    assert report["heap"]["broker"] is None
    assert report["stacks"] is None
    assert report["diff"] is None
    assert len(report["heap"]["queues"]) == 55


def test_two_runs_give_the_same_bytes() -> None:
    copy = from_json(renderer("json")(samples.ARTICLE, View()).encode())
    assert renderer("json")(copy, View()) == renderer("json")(samples.ARTICLE, View())


def test_half_a_surrogate_pair_becomes_an_escape() -> None:
    report = rendered(samples.HOSTILE)
    assert report["inputs"][0]["path"].endswith("\\ud800")
    assert "\x1b" in report["inputs"][0]["path"], "JSON escapes it, and a program gets the true name"


def test_formats_are_found_and_each_has_a_function() -> None:
    assert formats()[0] == "text"
    assert "json" in formats()
    assert not SHARED & set(formats())
    for name in formats():
        assert renderer(name)(samples.HEALTHY, View())
