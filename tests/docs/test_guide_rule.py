"""The guide for a new rule, carried out in a copy of the repository."""

from __future__ import annotations

import json

import pytest

from tests.docs.copied_tree import ROOT, CopiedTree, block_of, blocks_of
from tests.layers import CHECK, some_later

GUIDE = ROOT / "docs" / "guides" / "add-a-rule.md"
FILE = "mqdiag/rules/thread_max_without_effect.py"
CARD = "mqdiag/knowledge/rules/thread-max-without-effect.toml"
EXAMPLE = "tests/rules/examples/thread_max_without_effect.py"
MOST_LINES = 45
"""lines of a rule and its card: a new rule costs little"""
NAME = "thread-max-without-effect"
TITLE = "runs 20 threads, not up to 64"
DUMP = "fixtures/heap/same-group-twice-4.3.2/dump.hprof.gz"
"""its consumers have the defaults of 4.3.2: 20 and 64"""
OTHER_TESTS = ("pytest tests/docs", "pytest tests/language", "pytest tests/render")
"""tests that hold for every rule and run here for one that has nothing special"""

pytestmark = [CHECK, pytest.mark.xdist_group("guide for a rule")]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> CopiedTree:
    """The repository with the guide's rule, and with the pages that `make docs` writes for it."""
    tree = CopiedTree(tmp_path_factory.mktemp("tree"))
    rule, example = blocks_of(GUIDE, "python")
    for file, text in ((FILE, rule), (EXAMPLE, example), (CARD, block_of(GUIDE, "toml"))):
        (tree.folder / file).write_text(text, "utf-8")
    tree.run("python docs/make --rules")
    return tree


def test_the_guide_names_the_files() -> None:
    for file in (FILE, CARD, EXAMPLE):
        assert f"`{file}`" in GUIDE.read_text("utf-8")
        assert not (ROOT / file).exists(), "a rule of the program is no example"


def test_a_rule_and_its_card_are_short() -> None:
    texts = (blocks_of(GUIDE, "python")[0], block_of(GUIDE, "toml"))
    assert sum(len(text.splitlines()) for text in texts) <= MOST_LINES


@pytest.mark.parametrize(
    "command",
    some_later(block_of(GUIDE, "text").splitlines(), lambda command: command.startswith(OTHER_TESTS)),
)
def test_the_checks_of_the_guide_pass(tree: CopiedTree, command: str) -> None:
    output = tree.run(command)
    if command == "pytest tests/rules/test_every_rule.py":
        assert NAME in tree.run("mqdiag rules")
    assert "no tests ran" not in output


def test_the_rule_has_a_page(tree: CopiedTree) -> None:
    assert NAME in (tree.folder / "docs" / "rules" / "README.md").read_text("utf-8")
    assert TITLE in (tree.folder / "docs" / "rules" / f"{NAME}.md").read_text("utf-8")


def test_the_rule_is_in_the_catalogue(tree: CopiedTree) -> None:
    assert NAME in tree.run("mqdiag rules")
    assert "consumeThreadMax is set, and has no effect" in tree.run(f"mqdiag rules {NAME}")


def test_reports_show_what_the_rule_finds(tree: CopiedTree) -> None:
    text = tree.run(
        f"mqdiag heap {DUMP} --fail-on never --format text --also html=report.html --also json=report.json"
    )
    page, values = ((tree.folder / f"report.{form}").read_text("utf-8") for form in ("html", "json"))
    assert TITLE in " ".join(text.split())
    assert TITLE in page
    findings = [one for one in json.loads(values)["findings"] if one["rule"] == NAME]
    assert findings
    assert all(TITLE in one["title"] for one in findings)


def test_without_its_examples_the_rule_fails_its_test(tree: CopiedTree) -> None:
    """The checks can fail: a rule that is never silent is seen."""
    source = (tree.folder / EXAMPLE).read_text("utf-8")
    try:
        # longer, as Python takes a file of the same second and size for the one that it has compiled
        wrong = source.replace('"consumeThreadMax": 20', '"consumeThreadMax": 121')
        (tree.folder / EXAMPLE).write_text(wrong, "utf-8")
        with pytest.raises(AssertionError, match=rf"test_is_silent[\s\S]*{NAME}"):
            tree.run("pytest tests/rules/test_every_rule.py")
    finally:
        (tree.folder / EXAMPLE).write_text(source, "utf-8")
