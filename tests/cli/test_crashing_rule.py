"""A rule that crashes is our fault and not the user's: the report is written, the rule named, the exit code 4."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqdiag.cli import run
from mqdiag.errors import EXIT_INTERNAL
from mqdiag.facts import Facts
from mqdiag.rules.catalogue import rule_files
from mqdiag.rules.draft import Limits, Result
from tests.layers import CHECK
from tests.rules.made import made_rule

DUMP = Path(__file__).parents[2] / "fixtures" / "heap" / "oversized-oom-4.3.2" / "dump.hprof.gz"


RULE = made_rule("always-crashing")


@RULE.sees("heap")
def crash(facts: Facts, limits: Limits) -> Iterator[Result]:
    raise ZeroDivisionError("inside\nthe rule")
    yield


@pytest.fixture(autouse=True)
def with_crashing_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = (*rule_files(), RULE)
    monkeypatch.setattr("mqdiag.diagnose.judge.rule_files", lambda: rules)


@CHECK
def test_the_json_report_lists_it(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["heap", str(DUMP), "--format", "json"]) == EXIT_INTERNAL
    captured = capsysbinary.readouterr()
    report = json.loads(captured.out)
    assert report["failed"] == [{"rule": "always-crashing", "error": "ZeroDivisionError: inside\nthe rule"}]
    assert "always-crashing" not in report["checked"]
    assert report["findings"][0]["rule"] == "consumer-cache-exceeds-heap"
    assert captured.err.decode().splitlines() == [
        "mqdiag: rule always-crashing failed: ZeroDivisionError: inside\\nthe rule; --debug shows where"
    ]


def test_the_text_report_says_so(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["heap", str(DUMP)]) == EXIT_INTERNAL
    text = " ".join(capsysbinary.readouterr().out.decode().split())
    assert text.startswith("ERROR ")
    assert "always-crashing failed, which is a fault of mqdiag: ZeroDivisionError: inside\\nthe rule" in text


@CHECK
def test_debug_shows_where(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["heap", str(DUMP), "--debug"]) == EXIT_INTERNAL
    err = capsysbinary.readouterr().err.decode()
    assert "Traceback" in err
    assert "test_crashing_rule.py" in err
