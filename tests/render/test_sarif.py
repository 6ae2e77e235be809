"""SARIF 2.1.0: valid by the standard's schema, with fingerprints that stay and suppressions that say why."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import jsonschema_rs
import msgspec
import pytest

from mqdiag.findings import Failed, Report
from mqdiag.language import english
from mqdiag.render import View, renderer
from mqdiag.render.sarif.artifacts import uri
from mqdiag.text import Text
from tests.folded import folded
from tests.render import samples
from tests.render.test_text import REPORTS

# One pattern of the standard's schema has a bracket that ECMA's regular expressions want escaped.
SCHEMA = json.loads(
    (Path(__file__).parent / "sarif_schema" / "sarif-2.1.0-rtm.5.json").read_text().replace("]?$", "\\\\]?$")
)


@cache
def validator() -> jsonschema_rs.Draft4Validator:
    return jsonschema_rs.Draft4Validator(SCHEMA, validate_formats=True)


def run_of(report: Report) -> Any:
    log = json.loads(renderer("sarif")(report, View()))
    validator().validate(log)
    (run,) = log["runs"]
    return run


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS.keys())
def test_it_is_valid(report: Report) -> None:
    run = run_of(report)
    assert len(run["results"]) == len(report.findings) + len(report.ignored)


def test_the_schema_sees_a_fault() -> None:
    log = json.loads(renderer("sarif")(samples.ARTICLE, View()))
    log["runs"][0]["results"][0]["level"] = "fatal"
    with pytest.raises(jsonschema_rs.ValidationError):
        validator().validate(log)


def test_results_have_level_rule_and_fingerprint() -> None:
    run = run_of(samples.GATED)
    rules = run["tool"]["driver"]["rules"]
    for result, found in zip(run["results"], (*samples.GATED.findings, *samples.GATED.ignored), strict=True):
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == found.rule
        assert result["partialFingerprints"] == {"mqdiag/v1": found.fingerprint}
        assert result["message"]["text"].startswith(english()(found.title))
    assert [result["level"] for result in run["results"]] == ["error", "error", "note", "note"]
    assert rules[0]["fullDescription"]["text"] == "Why config-not-in-force matters."
    assert rules[0]["defaultConfiguration"] == {"level": "error"}
    evidence = run["results"][0]["properties"]["evidence"]
    assert evidence["bound_bytes"] == samples.OVERSIZED.evidence["bound_bytes"]


def test_accepted_and_ignored_findings_are_suppressed_with_their_reason() -> None:
    suppressed = [result.get("suppressions") for result in run_of(samples.GATED)["results"]]
    assert suppressed == [
        [
            {
                "kind": "external",
                "status": "accepted",
                "justification": "the heap is doubled in May",
                "properties": {"source": "mqdiag-baseline.toml", "until": "2027-05-31"},
            }
        ],
        None,
        None,
        [
            {
                "kind": "external",
                "status": "accepted",
                "justification": "small by design",
                "properties": {"source": "mqdiag.toml"},
            }
        ],
    ]


def test_a_result_is_in_the_inputs_that_its_rule_looked_at() -> None:
    run = run_of(samples.GATED)
    (location,) = run["results"][1]["locations"]
    artifact = location["physicalLocation"]["artifactLocation"]
    assert artifact == {"uri": "file:///app/logs/java_pid7.hprof.gz", "index": 0}
    assert run["artifacts"][0]["location"]["uri"] == artifact["uri"]
    (logical,) = location["logicalLocations"]
    assert logical["fullyQualifiedName"] == f"group {samples.GROUP}, setting pullThresholdForQueue"


def test_the_run_says_what_went_wrong() -> None:
    (invocation,) = run_of(samples.GATED)["invocations"]
    notes = [(note["level"], note["descriptor"]["id"]) for note in invocation["toolExecutionNotifications"]]
    assert invocation["executionSuccessful"]
    assert notes == [
        ("error", "input-unreadable"),
        ("warning", "acceptance-lapsed"),
        ("warning", "acceptance-lapsed"),
    ]
    crashed = msgspec.structs.replace(samples.ARTICLE, failed=(Failed(rule="a-rule", error="x"),))
    assert not run_of(crashed)["invocations"][0]["executionSuccessful"]
    lost = Report(mqdiag="0", inputs=(samples.GATED.inputs[1],))
    assert not run_of(lost)["invocations"][0]["executionSuccessful"]


def test_a_name_that_looks_like_a_link_is_none() -> None:
    title = "group [here](https://evil.example/) and byte[]"
    report = msgspec.structs.replace(
        samples.ARTICLE, findings=(msgspec.structs.replace(samples.OVERSIZED, title=Text(title)),)
    )
    text = run_of(report)["results"][0]["message"]["text"]
    assert "](" not in text
    assert "byte[]" in text


def test_hostile_text_is_shown_as_escapes() -> None:
    text = renderer("sarif")(samples.HOSTILE, View())
    assert "\\\\x1b[2J" in text
    assert "\\u001b" not in text
    assert "\u202e" not in text
    text.encode()


@folded(
    "path, wanted",
    [
        ("a dump.hprof", "a%20dump.hprof"),
        ("/var/log/x", "file:///var/log/x"),
        ("//x", "file:///x"),
        ("http:x#y?z", "http%3Ax%23y%3Fz"),
        ("../dumps/消息.hprof", "../dumps/%E6%B6%88%E6%81%AF.hprof"),
        ("-", "stdin"),
        ("a\udc80b", "a%5Cudc80b"),
    ],
)
def test_a_path_as_a_uri(path: str, wanted: str) -> None:
    assert uri(path) == wanted
    assert urlsplit(wanted).scheme in ("", "file")
    if path not in ("-", "a\udc80b"):
        assert unquote(urlsplit(wanted).path).lstrip("/") == path.lstrip("/")
