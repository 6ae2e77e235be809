"""JUnit XML, read back as a CI server reads it."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import junitparser
import msgspec
import pytest

from mqdiag.facts import Input
from mqdiag.fail_on import parse_fail_on
from mqdiag.findings import Report, Severity
from mqdiag.language import english
from mqdiag.render import View, renderer
from mqdiag.text import Text
from tests.render import samples
from tests.render.test_text import REPORTS


def read(report: Report, fail_on: str = "error") -> junitparser.TestSuite:
    text = renderer("junit")(report, View(fail_on=parse_fail_on(fail_on, "--fail-on")))
    (suite,) = junitparser.JUnitXml.fromstring(text.encode())
    return suite


def outcomes(suite: junitparser.TestSuite) -> dict[str, str]:
    """Each case with what became of it."""
    found: dict[str, str] = {}
    for case in suite:
        assert f"{case.classname} {case.name}" not in found, "CI servers tell cases apart by these names"
        found[f"{case.classname} {case.name}"] = ",".join(type(one).__name__ for one in case.result) or "Passed"
    return found


MAY_HAVE = {
    "testsuites": {"name", "time", "tests", "failures", "errors"},
    "testsuite": {"name", "time", "tests", "failures", "errors", "skipped"},
    "testcase": {"name", "time", "classname"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
    "skipped": {"type", "message"},
    "system-out": frozenset(),
}
"""by element the attributes of it in the schema of Jenkins (junit-10.xsd of its xunit plugin) that are written here"""


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS.keys())
def test_it_keeps_to_the_schema_of_jenkins(report: Report) -> None:
    root = ElementTree.fromstring(renderer("junit")(report, View()))
    assert [
        (one.tag, set(one.attrib) - MAY_HAVE[one.tag])
        for one in root.iter()
        if set(one.attrib) - MAY_HAVE[one.tag]
    ] == []
    for suite in root:
        assert {"name", "tests", "failures", "errors"} <= set(suite.attrib)
    assert all(one.tag in ("testsuite", "testcase") or not len(one) for one in root.iter() if one is not root)


def test_every_rule_has_a_case() -> None:
    assert outcomes(read(samples.ARTICLE)) == {
        "mqdiag.inputs /app/logs/java_pid7.hprof.gz": "Passed",
        "mqdiag.rules consumer-cache-exceeds-heap": "Failure",
        "mqdiag.rules config-not-in-force": "Failure",
        "mqdiag.rules out-of-memory-thread": "Passed",
        "mqdiag.rules stuck-socket-read": "Skipped",
        "mqdiag.rules lock-convoy": "Skipped",
    }


@pytest.mark.parametrize(("fail_on", "failures"), [("never", 0), ("error", 2), ("warning", 2), ("info", 3)])
def test_it_fails_what_the_exit_code_fails(fail_on: str, failures: int) -> None:
    suite = read(samples.ARTICLE, fail_on)
    assert suite.failures == failures == list(outcomes(suite).values()).count("Failure")


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS.keys())
def test_the_counts_are_those_of_the_cases(report: Report) -> None:
    suite = read(report)
    found = list(outcomes(suite).values())
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (
        len(found),
        found.count("Failure"),
        found.count("Error"),
        found.count("Skipped"),
    )


def test_a_failure_says_what_to_change() -> None:
    case = next(case for case in read(samples.ARTICLE) if case.name == "consumer-cache-exceeds-heap")
    (failure,) = case.result
    assert failure.message == english()(samples.OVERSIZED.title)
    assert failure.type == "oversized-thresholds"
    assert f"1. {english()(samples.OVERSIZED.remedy[0])}" in failure.text.splitlines()


def test_findings_of_one_rule_share_a_case_that_names_them_all() -> None:
    other = msgspec.structs.replace(samples.OVERSIZED, title=Text("another group"), fingerprint="1")
    warning = msgspec.structs.replace(other, title=Text("a third"), severity=Severity.WARNING)
    report = msgspec.structs.replace(samples.ARTICLE, findings=(samples.OVERSIZED, other, warning))
    case = next(case for case in read(report) if case.name == "consumer-cache-exceeds-heap")
    assert case.result[0].message == f"{english()(samples.OVERSIZED.title)} (and 1 more)"
    assert "ERROR another group" in case.result[0].text
    assert "a third" not in case.result[0].text
    assert "WARNING a third" in case.system_out


def test_what_is_known_is_skipped_with_its_reason() -> None:
    suite = read(samples.GATED)
    assert outcomes(suite)["mqdiag.rules consumer-cache-exceeds-heap"] == "Skipped"
    assert outcomes(suite)["mqdiag.inputs other dump.hprof"] == "Skipped"
    case = next(case for case in suite if case.name == "consumer-cache-exceeds-heap")
    assert "Known: the heap is doubled in May (mqdiag-baseline.toml, until 2027-05-31)" in case.system_out
    assert "retry-storm 00000000000000bb does not occur any more" in suite.child(junitparser.SystemOut).text


def test_inputs_that_cannot_be_read_are_errors_when_there_is_no_other() -> None:
    suite = read(Report(mqdiag="0", inputs=(samples.GATED.inputs[1],)))
    assert outcomes(suite) == {"mqdiag.inputs other dump.hprof": "Error"}


def test_a_file_of_no_known_kind_is_no_error() -> None:
    other = Input(path="README", skipped=Text("is text of no known kind"))
    assert outcomes(read(msgspec.structs.replace(samples.ARTICLE, inputs=(samples.GIVEN, other)))).items() >= {
        ("mqdiag.inputs README", "Skipped")
    }
    assert outcomes(read(Report(mqdiag="0", inputs=(other,)))) == {"mqdiag.inputs README": "Error"}


def test_no_character_that_xml_forbids() -> None:
    text = renderer("junit")(samples.HOSTILE, View())
    forbidden = "[^\t\n\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
    assert not re.findall(forbidden, text)
    assert not re.findall("&#(x0*[0-8bcef]|x0*1.|[0-8]|1[124-9]|2.|3[01]);", text)
    suite = read(samples.HOSTILE)
    case = next(case for case in suite if case.name == "consumer-cache-exceeds-heap")
    assert case.result[0].message == "x\\x1b[2J\\x1b]0;owned\\x07\\u202egnp.exe\\r\\n[bold red]\\x00\\ud800"
