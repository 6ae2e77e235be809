"""CSV tables, read back; no cell is a formula."""

from __future__ import annotations

import csv
import io
import json

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from mqdiag.findings import Report
from mqdiag.language import english
from mqdiag.render import TABLES, View, renderer
from mqdiag.render.csv.cells import cell
from mqdiag.render.csv.tables import TABLES as MADE
from mqdiag.text import Text
from tests.folded import folded
from tests.render import samples
from tests.render.test_text import REPORTS


def rows(report: Report, table: str = "findings") -> list[dict[str, str]]:
    text = renderer("csv")(report, View(table=table))
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    found = list(reader)
    assert reader.fieldnames
    assert all(None not in row and None not in row.values() for row in found), "rows are as long as the head"
    return found


def test_every_table_is_there() -> None:
    assert set(MADE) == set(TABLES)


@folded("table", TABLES)
def test_columns_do_not_depend_on_what_was_found(table: str) -> None:
    heads = {
        renderer("csv")(report, View(table=table)).split("\n")[0]
        for report in (*REPORTS.values(), Report(mqdiag="0", inputs=()))
    }
    assert len(heads) == 1


def test_findings() -> None:
    first, second, third = rows(samples.GATED)
    assert first["rule"] == "consumer-cache-exceeds-heap"
    assert (first["group"], first["queue_id"]) == (samples.GROUP, "")
    assert (first["known"], first["until"]) == ("the heap is doubled in May", "2027-05-31")
    assert json.loads(first["evidence"]) == samples.OVERSIZED.evidence
    assert first["remedy"].startswith("1. Set pullThresholdForQueue to 27")
    assert (second["known"], second["key"]) == ("", "pullThresholdForQueue")
    assert third["severity"] == "info"


def test_tables_of_the_heap() -> None:
    queues = rows(samples.ARTICLE, "queues")
    assert len(queues) == 55
    assert (queues[3]["queue_id"], queues[3]["dropped"], queues[3]["commit_offset"]) == ("3", "false", "")
    (consumer,) = rows(samples.ARTICLE, "consumers")
    assert json.loads(consumer["config"])["pullThresholdForQueue"] == 100
    assert rows(samples.ARTICLE, "classes")[0]["name"] == "byte[]"
    assert rows(samples.ARTICLE, "suspects")[0]["class"].endswith("DefaultMQPushConsumerImpl")
    assert [row["rule"] for row in rows(samples.ARTICLE, "skipped")] == ["stuck-socket-read", "lock-convoy"]
    assert rows(samples.GATED, "inputs")[1]["error"] == "is empty"
    assert rows(samples.ARTICLE, "threads") == []


FORMULAS = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    " =1",
    "＝1",
    "＋1",
    "－1",
    "＠x",
    '=HYPERLINK("x")',
]


@folded("formula", FORMULAS)
def test_a_name_from_a_dump_is_no_formula(formula: str) -> None:
    evil = msgspec.structs.replace(samples.OVERSIZED, title=Text(formula), remedy=())
    (row,) = rows(msgspec.structs.replace(samples.ARTICLE, findings=(evil,)))
    assert row["title"][0] in "'\\"


@given(st.text())
def test_no_text_begins_like_a_formula(text: str) -> None:
    shown = cell(text, english())
    assert not shown.strip().startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))
    assert "\n" not in shown
    assert "\t" not in shown


def test_numbers_stay_numbers() -> None:
    written = [cell(value, english()) for value in (-3, 2.5, True, None, ("-1", 2))]
    assert written == ["-3", "2.5", "true", "", '["-1",2]']


def test_hostile_text_is_shown_as_escapes() -> None:
    for table in TABLES:
        text = renderer("csv")(samples.HOSTILE, View(table=table))
        assert not {"\x1b", "\x07", "\u202e", "\r", "\x00", "\ud800"} & set(text)
