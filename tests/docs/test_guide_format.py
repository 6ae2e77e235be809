"""The guide for a new output format, carried out in a copy of the repository: it writes one file."""

from __future__ import annotations

import json

import pytest

from tests.docs.copied_tree import ROOT, CopiedTree, block_of
from tests.layers import CHECK

pytestmark = CHECK

GUIDE = ROOT / "docs" / "guides" / "add-an-output-format.md"
FILE = "mqdiag/render/ndjson.py"
STACKS = "fixtures/stacks/apache4-stuck/series.tar.gz"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> CopiedTree:
    tree = CopiedTree(tmp_path_factory.mktemp("tree"))
    (tree.folder / FILE).write_text(block_of(GUIDE, "python"), "utf-8")
    return tree


def test_the_guide_names_the_file() -> None:
    assert f"`{FILE}`" in GUIDE.read_text("utf-8")
    assert not (ROOT / FILE).exists(), "a format of the program is no example"


def test_the_format_is_offered_and_written(tree: CopiedTree) -> None:
    assert "ndjson" in tree.run("mqdiag stacks --help")
    lines = tree.run(f"mqdiag stacks {STACKS} --format ndjson --fail-on never").splitlines()
    rows = [json.loads(line) for line in lines]
    findings = json.loads(tree.run(f"mqdiag stacks {STACKS} --format json --fail-on never"))["findings"]
    assert rows
    assert [one["title"] for one in rows] == [one["title"] for one in findings]
    assert {one["severity"] for one in rows} <= {"error", "warning", "info"}


def test_the_file_passes_the_linters(tree: CopiedTree) -> None:
    tree.run(f"ruff check {FILE}")
    tree.run(f"ruff format --check {FILE}")
    tree.run("lint-imports")
