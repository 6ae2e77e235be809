"""The guide for a new RocketMQ version, carried out in a copy of the repository: it edits one file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.docs.copied_tree import ROOT, CopiedTree
from tests.layers import CHECK, NIGHTLY
from tests.rocketmq.written import WrittenClient
from tests.writers.hprof_writer import DumpWriter

pytestmark = CHECK

GUIDE = ROOT / "docs" / "guides" / "add-a-rocketmq-version.md"
TABLE = "mqdiag/knowledge/java_names.toml"
OLDER = "fixtures/heap/pop-5.3.3/dump.hprof.gz"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> CopiedTree:
    return CopiedTree(tmp_path_factory.mktemp("tree"))


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a client like 5.3 whose queues call their map of messages cachedMessages."""
    written = DumpWriter()
    client = WrittenClient(written, family="5.3")
    renamed = {"msgTreeMap": "cachedMessages"}
    queue = client.process_queue({offset: client.message(offset) for offset in (5, 6, 7)}, renamed=renamed)
    client.push_consumer("CID_a", {client.queue(): queue})
    return written.write(tmp_path_factory.mktemp("dump") / "new.hprof")


def heap_of(tree: CopiedTree, dump: str | Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(tree.run(f"mqdiag heap {dump} --format json --fail-on never"))["heap"]
    return found


def with_the_guides_rows(names: str) -> str:
    """The table after step 2: the guide's rows stand for the one of their role, its family is the first."""
    rows, family = re.findall(r"```toml\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    (role,) = set(re.findall(r'^ +\["([A-Za-z.]+)", ', rows, re.MULTILINE))
    (old,) = re.findall(rf'^ +\["{re.escape(role)}", .*\],\n', names, re.MULTILINE)
    assert names.count("families = [\n") == 1
    return names.replace(old, rows).replace("families = [\n", f"families = [\n{family}")


def test_the_steps_of_the_guide(tree: CopiedTree, dump: Path) -> None:
    assert f"`{TABLE}`" in GUIDE.read_text("utf-8")
    before = heap_of(tree, dump)
    assert before["consumers"][0]["layout"] == "5.3"
    assert before["messages_in_queues"] == 0, "nobody knows the new name yet"

    table = tree.folder / TABLE
    table.write_text(with_the_guides_rows(table.read_text("utf-8")), "utf-8")

    after = heap_of(tree, dump)
    assert after["consumers"][0]["layout"] == "6.0"
    assert after["messages_in_queues"] == 3
    assert [(row["min_offset"], row["max_offset"]) for row in after["queues"]] == [(5, 7)]
    assert heap_of(tree, OLDER)["consumers"][0]["layout"] == "5.3"


@NIGHTLY
def test_the_checks_pass(tree: CopiedTree) -> None:
    table = tree.folder / TABLE
    table.write_text(with_the_guides_rows((ROOT / TABLE).read_text("utf-8")), "utf-8")
    tree.run("pytest tests/rocketmq/test_names.py tests/rocketmq/test_families.py -k 'not real'")
