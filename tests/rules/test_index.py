"""The index of rules: it says of files that are not imported what the imported rules say of themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.rules import index
from mqdiag.rules.catalogue import cards_of, rule_files
from mqdiag.rules.discovery import all_rules, rules_about

SOURCE = (
    '"""A rule."""\n\n\n@RULE.sees("heap", "logs")\ndef check(): ...\n\n\n@RULE.sees()\ndef always(): ...\n'
)


def test_it_says_what_the_rules_say() -> None:
    listed = [(file.name, file.evidence) for file in rule_files()]
    assert listed == [(rule.name, rule.evidence) for rule in all_rules()]


CARD = """
[[detect.lines]]
lines = ["map-failed"]

[[detect.rows]]
of = "brokers.tables"
case = "large"
"""


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """The folder of rules of a package without any."""
    (tmp_path / "rules").mkdir()
    (tmp_path / index.CARDS).mkdir(parents=True)
    return tmp_path / "rules"


def test_the_written_index_is_read_before_the_sources(rules: Path) -> None:
    (rules / "some_rule.py").write_text(SOURCE)
    from_sources = index.read_index(str(rules))
    assert from_sources == [("some_rule", [["heap", "logs"], []])]
    (rules / index.FILE).write_bytes(index.write(str(rules)))
    (rules / "some_rule.py").unlink()
    assert index.read_index(str(rules)) == from_sources


def test_views_are_evidence_and_comments_are_no_checks(rules: Path) -> None:
    (rules / "some_rule.py").write_text(
        '@RULE.brokers  # of a dump\ndef heap(): ...\n\n\n# @RULE.sees("stacks")\n@RULE.counters\ndef admin(): ...\n'
    )
    assert index.read_index(str(rules)) == [("some_rule", [["heap"], ["admin"]])]


def test_a_card_may_describe_all_checks_or_some(rules: Path) -> None:
    (rules / "some_rule.py").write_text(SOURCE)
    for name in ("some-rule", "card-alone"):
        (rules.parent / index.CARDS / f"{name}.toml").write_text(CARD)
    (rules.parent / index.CARDS / "no-rule-yet.toml").write_text("title = 'Nothing shows it'")
    assert index.read_index(str(rules)) == [
        ("card_alone", [["logs"], ["heap"]]),
        ("some_rule", [["heap", "logs"], [], ["logs"], ["heap"]]),
    ]
    assert index.write(str(rules)).decode().splitlines()[0] == "card_alone\tlogs\theap"


def test_a_file_without_a_check_is_told(rules: Path) -> None:
    (rules / "some_rule.py").write_text('"""No rule."""\n')
    with pytest.raises(ValueError, match=r"some_rule\.py has no check"):
        index.read_index(str(rules))


def test_rules_about_one_kind_of_evidence() -> None:
    of_stacks = {rule.name for rule in rules_about("stacks")}
    assert {"deadlock", "input-incomplete", "pull-service-dead"} <= of_stacks
    assert "duplicate-strings" not in of_stacks


def test_cards_of_some_rules() -> None:
    assert {name: card.name for name, card in cards_of({"deadlock"}).items()} == {"deadlock": "deadlock"}
    assert cards_of(()) == {}
