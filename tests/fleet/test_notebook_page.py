"""The ten questions of docs/fleet-notebook.md, asked of two runs."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from mqdiag.fleet.files.storage import storage
from mqdiag.fleet.tables.layout import Layout
from mqdiag.fleet.views.script import views_script
from tests.fleet.made_output import Analysed, Row, at, finding, write_output
from tests.layers import NIGHTLY

PAGE = Path(__file__).parents[2] / "docs/fleet-notebook.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)

pytestmark = [
    NIGHTLY,
    # DuckDB's own use of pandas, for columns of times.
    pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame.drop"),
]


def _incident(name: str, day: int, host: str, *rules: str, **more: Any) -> Analysed:
    findings = tuple(finding(rule, consumer_group="g", position=0) for rule in rules)
    cost = {"bytes": 4_000_000, "analysis_ms": 2_000}
    return Analysed(
        incident=name, host=host, window_start=at(day), checked=("r", "s"), findings=findings, more=cost, **more
    )


def _consumer(version: str, bound: int) -> Row:
    return {
        "consumer_group": "g",
        "client_version": version,
        "heap_bytes": 100,
        "bound_bytes": bound,
        "settings": {},
        "subscriptions": [],
    }


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """h1 flaps, h2 recovers in the second run, h3 falls ill in it, and a file of h4 is empty."""
    made = Layout(*storage(str(tmp_path / "out")))
    first = write_output(
        made,
        "first",
        [
            *(_incident(f"f{day}", day, "h1", *(["r"] if day % 2 else [])) for day in range(1, 6)),
            _incident("b", 3, "h2", "s", consumers=(_consumer("4.9.8", 50),)),
            _incident("c", 3, "h3", consumers=(_consumer("4.9.8", 20),)),
            _incident("d", 3, "h4", failures=({"path": "/in/d", "kind": "unreadable", "reason": "is empty"},)),
        ],
    )
    second = [
        _incident("b2", 10, "h2", consumers=(_consumer("5.1.0", 120),)),
        _incident("c2", 10, "h3", "s", consumers=(_consumer("4.9.8", 20),)),
    ]
    write_output(made, "second", second, first)
    return made


def test_every_question_has_its_answer(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    script = views_script(layout.root, "duckdb")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], 0, stdout=script))
    setup, *questions = BLOCKS
    names: dict[str, Any] = {}
    exec(setup, names)  # the page's own code
    wrong, new, gone, oldest, flapping, weeks, drift, groups, lost, runs = (
        eval(question.strip(), names).to_dict("records") for question in questions
    )
    assert [(row["host"], row["rule"]) for row in wrong] == [("h1", "r"), ("h3", "s")]
    assert [(row["host"], row["rule"]) for row in new] == [("h3", "s")]
    assert [(row["host"], row["rule"]) for row in gone] == [("h2", "s")]
    assert gone[0]["recovered_at"].day == 10
    assert {row["host"] for row in oldest} == {"h1", "h3"}
    assert [(row["host"], row["times_returned"]) for row in flapping] == [("h1", 2)]
    assert [(row["errors"], row["new"], row["recovered"]) for row in weeks] == [(1, 1, 0), (3, 1, 0), (1, 1, 1)]
    assert [(row["key"], row["value"], list(row["hosts"])) for row in drift] == [
        ("client_version", "4.9.8", ["orders/h3"])
    ]
    assert [(row["consumer_group"], row["over_heap"], row["headroom_bytes_least"]) for row in groups] == [
        ("g", 1, -20)
    ]
    assert [(row["host"], row["kind"], row["again"]) for row in lost] == [("h4", "unreadable", False)]
    costs = [(row["run"], row["analysed"], row["mb_per_second"]) for row in runs]
    assert costs == [("first", 8, 2.0), ("second", 2, 2.0)]
