"""Faults provoked in one real JVM, one group each: every rule speaks of its own group and of no other."""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mqdiag.diagnose.heap import diagnose_heap
from tests.layers import one_in_each_run

FOLDER = Path(__file__).parents[2] / "fixtures" / "heap" / "client-faults-4.9.2"
TRUTH = json.loads((FOLDER / "truth.json").read_text())
WANTED = TRUTH["expected"]["rules"]


@cache
def found() -> dict[str, list[Any]]:
    by_rule = defaultdict(list)
    for finding in diagnose_heap(str(FOLDER / "dump.hprof.gz")).report.findings:
        by_rule[finding.rule].append(finding)
    return by_rule


@one_in_each_run(3)
@pytest.mark.parametrize("wanted", WANTED, ids=lambda wanted: wanted["rule"])
def test_the_fault_is_found_in_its_group_alone(wanted: dict[str, Any]) -> None:
    groups = {finding.subject.group for finding in found()[wanted["rule"]]}
    assert groups == {wanted.get("subject", {}).get("group")}


def consumer(name: str) -> Any:
    rows = TRUTH["heap"]["consumers"]
    return next(row for row in rows if row["group"].endswith(f"_{name}"))


def only(rule: str) -> Any:
    (finding,) = found()[rule]
    return finding.evidence


def test_numbers_are_those_of_the_live_objects() -> None:
    assert only("retry-storm")["redelivered"] == consumer("again")["messages"]
    assert only("lite-pull-cache")["messages"] == consumer("unpolled")["messages"]
    assert only("send-back-failing")["resubmits"] == consumer("back")["messages"]
    assert only("client-leak")["instances"] == TRUTH["scenario"]["leaked_instances"]
    emptied = next(
        row for row in TRUTH["heap"]["queues"] if row["topic"].endswith("_emptied") and row["msg_size"]
    )
    assert only("message-size-drift")["msg_size"] == emptied["msg_size"]
    assert only("message-size-drift")["body_bytes"] == emptied["body_bytes"] == 0
