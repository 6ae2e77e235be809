"""The guide for a new figure, carried out in a copy of the repository: three files, and every format shows it."""

from __future__ import annotations

import json
import re

import pytest

from tests.docs.copied_tree import ROOT, CopiedTree
from tests.layers import CHECK, NIGHTLY

pytestmark = CHECK

GUIDE = ROOT / "docs" / "guides" / "add-a-figure.md"
DUMP = "fixtures/heap/stuck-one-5.3.3/dump.hprof.gz"
PLACES = {
    "mqdiag/facts/heap.py": "    dangling_references: int = 0\n",
    "mqdiag/diagnose/heap_facts.py": "        waste=sums.waste,\n",
    "mqdiag/render/sections/heap_summary.py": '    yield say("heap limit"), _limit(heap)\n',
}
"""the line before which each block goes"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> CopiedTree:
    tree = CopiedTree(tmp_path_factory.mktemp("tree"))
    page = GUIDE.read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    for (name, line), block in zip(PLACES.items(), blocks, strict=True):
        assert f": `{name}`" in page
        path = tree.folder / name
        text = path.read_text("utf-8")
        assert text.count(line) == 1
        path.write_text(text.replace(line, block + line), "utf-8")
    return tree


def test_every_format_shows_it(tree: CopiedTree) -> None:
    command = f"mqdiag heap {DUMP} --fail-on never --format"
    finalizers = json.loads(tree.run(f"{command} json"))["heap"]["finalizers"]
    assert finalizers > 0
    assert re.search(rf"^  wait for finalize\(\) +{finalizers:,}$", tree.run(f"{command} text"), re.MULTILINE)
    assert f"<dt>wait for finalize()</dt><dd>{finalizers:,}</dd>" in tree.run(f"{command} html")


@NIGHTLY
def test_the_checks_pass(tree: CopiedTree) -> None:
    tree.run("python -m mqdiag.render.json.schema")
    for name in PLACES:
        tree.run(f"ruff check {name}")
        tree.run(f"ruff format --check {name}")
    tree.run("lint-imports")
    tree.run(
        "pytest tests/render/test_json.py tests/redact/test_report.py -k 'schema or says_what_it_may_tell'"
    )
