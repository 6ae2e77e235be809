"""The guide for a new log event, carried out in a copy of the repository: it edits one file before the rule."""

from __future__ import annotations

import json
import re

import pytest

from tests.docs.copied_tree import ROOT, CopiedTree
from tests.layers import CHECK

pytestmark = CHECK

GUIDE = ROOT / "docs" / "guides" / "add-a-log-event.md"
ROWS = "mqdiag/knowledge/log_statements/store.toml"
LOG = "".join(
    f"2026-11-21 20:0{minute}:00 INFO StoreScheduledThread1 - commit log warm-up of file 0000000000107374182{minute}"
    f" took {milliseconds} ms\n"
    for minute, milliseconds in enumerate((900, 2210, 40))
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> CopiedTree:
    tree = CopiedTree(tmp_path_factory.mktemp("tree"))
    (tree.folder / "store.log").write_text(LOG, "utf-8")
    return tree


def events(tree: CopiedTree) -> dict[str, dict[str, object]]:
    report = json.loads(tree.run("mqdiag logs store.log --format json --fail-on never"))
    return {event["kind"]: event for event in report["logs"]["events"]}


def test_the_steps_of_the_guide(tree: CopiedTree) -> None:
    assert "warm-up" not in events(tree)
    (row,) = re.findall(r"```toml\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    assert ROWS.rpartition("/")[2] in GUIDE.read_text("utf-8")
    rows = tree.folder / ROWS
    rows.write_text(f"{rows.read_text('utf-8')}\n{row}", "utf-8")

    event = events(tree)["warm-up"]
    assert event["count"] == 3
    assert event["values"] == {"longest_ms": 2210}
    assert event["peak_per_minute"] == 1
    assert "warm-up" in tree.run("mqdiag logs store.log --fail-on never")
    tree.run("pytest tests/logs/test_statements.py tests/logs/test_texts.py")
