"""A finding has one severity, whatever format tells it."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.findings import Report, Severity
from mqdiag.language import english
from mqdiag.render import UNWRAPPED, View, renderer
from tests.layers import one_in_each_run

FIXTURES = Path(__file__).parents[2] / "fixtures"
EVIDENCE = (
    "stacks/apache4-stuck/series.tar.gz",
    "heap/stuck-one-4.9.8/dump.hprof.gz",
    "logs/page-cache-busy-4.9.7/broker",
)
_WORDS = {"note": "info", "notice": "info"}
VIEW = View(width=UNWRAPPED, detail="full")


def _sarif(report: Report) -> list[tuple[str, str]]:
    (run,) = json.loads(renderer("sarif")(report, VIEW))["runs"]
    return [(one["ruleId"], one["level"]) for one in run["results"]]


def _github(report: Report) -> list[tuple[str, str]]:
    found = re.findall(r"^::(\w+) title=([a-z-]+)%3A ", renderer("github")(report, VIEW), re.MULTILINE)
    return [(rule, level) for level, rule in found]


def _csv(report: Report) -> list[tuple[str, str]]:
    return [
        (row["rule"], row["severity"]) for row in csv.DictReader(io.StringIO(renderer("csv")(report, VIEW)))
    ]


@pytest.fixture(scope="module", params=EVIDENCE)
def report(request: pytest.FixtureRequest) -> Report:
    return diagnose_incident([str(FIXTURES / request.param)]).report


@pytest.mark.parametrize("told", [_sarif, _github, _csv])
def test_formats_of_programs(report: Report, told: Callable[[Report], list[tuple[str, str]]]) -> None:
    expected = Counter((one.rule, one.severity.value) for one in report.findings)
    assert expected
    assert Counter((rule, _WORDS.get(level, level)) for rule, level in told(report)) == expected


def test_junit_fails_what_fails_the_run(report: Report) -> None:
    root = ElementTree.fromstring(renderer("junit")(report, VIEW))
    failed = {case.get("name", "") for case in root.iter("testcase") if case.find("failure") is not None}
    expected = {one.rule for one in report.findings if one.severity.value == "error"}
    assert {rule for rule in expected if not any(rule in name for name in failed)} == set()
    assert {name for name in failed if not any(rule in name for rule in expected)} == set()


@one_in_each_run(4)
@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_formats_of_people(report: Report, form: str) -> None:
    shown = renderer(form)(report, VIEW)
    if form != "text":
        shown = unescape(re.sub(r"<[^>]*>", "", shown)).replace("\\", "")
    words = {each.value for each in Severity}
    for one in report.findings:
        title = re.escape(english()(one.title))
        found = re.findall(rf"(\w+)\W{{1,20}}{title}", shown)
        assert {word.lower() for word in found} & words == {one.severity.value}, one.rule
