"""The guide for a new log event, carried out in a copy of the repository: it edits two files before the rule."""

from __future__ import annotations

import json
import re

import pytest

from tests.docs.copied_tree import ROOT, CopiedTree

GUIDE = ROOT / "docs" / "guides" / "add-a-log-event.md"
FAMILY, TABLE = "mqdiag/logs/store.py", "mqdiag/logs/anchors.py"
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
    handler, row = re.findall(r"```python\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    for name in (FAMILY, TABLE):
        assert name.rpartition("/")[2] in GUIDE.read_text("utf-8")
    family, table = tree.folder / FAMILY, tree.folder / TABLE
    family.write_text(f"{family.read_text('utf-8')}\n\n{handler}", "utf-8")
    anchors = table.read_text("utf-8")
    opening = "ANCHORS: tuple[tuple[bytes, Handler], ...] = (\n"
    assert anchors.count(opening) == 1
    table.write_text(anchors.replace(opening, opening + row), "utf-8")

    event = events(tree)["warm-up"]
    assert event["count"] == 3
    assert event["values"] == {"longest_ms": 2210}
    assert event["peak_per_minute"] == 1
    assert "warm-up" in tree.run("mqdiag logs store.log --fail-on never")
    tree.run("ruff check mqdiag/logs --ignore E305")
    tree.run("pytest tests/logs/test_texts.py")
