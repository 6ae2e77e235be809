"""Nothing that the last release promised is gone, unless a release before warned of it."""

from __future__ import annotations

import json
import tomllib

from mqdiag import __version__
from mqdiag.rules.catalogue import rule_files
from tests.layers import CHECK
from tests.surface.surface import RELEASED, REMOVED, missing, surface


def test_what_the_last_release_promised_is_there() -> None:
    released = json.loads(RELEASED.read_text("utf-8"))["surface"]
    removed = tomllib.loads(REMOVED.read_text("utf-8"))["removed"]
    assert set(missing(released, surface())) == set(removed), "see docs/compatibility.md"


def test_each_removal_names_the_release_that_warned() -> None:
    for place, why in tomllib.loads(REMOVED.read_text("utf-8"))["removed"].items():
        assert set(why) == {"warned_in", "instead"}, place


@CHECK
def test_a_lost_field_is_noticed() -> None:
    now = surface()
    later = {**now, "json": {**now["json"], "Finding": {"rule": True}}}
    assert "json > Finding > severity" in missing(now, later)
    assert missing({"a": 1}, {"a": 2}) == ["a"]
    assert missing({"a": {"b": True}}, {"a": True}) == ["a"]


def wrong_since(rules: dict[str, str], known: set[str], release: str, version: str) -> list[str]:
    """Rules that name a later release than the first with them, or an earlier one; `known` are those of the release."""
    last, next_one = (tuple(map(int, text.split("."))) for text in (release, version))
    wrong = []
    for name, since in rules.items():
        first = tuple(map(int, since.split(".")))
        # Until the next version has its number, the file of the last release may be written anew.
        if first > (last if name in known else next_one) or (name not in known and first <= last < next_one):
            wrong.append(name)
    return wrong


def test_rules_name_the_release_that_first_had_them() -> None:
    released = json.loads(RELEASED.read_text("utf-8"))
    rules = {rule.name: rule.card.since for rule in rule_files()}
    assert wrong_since(rules, set(released["surface"]["rules"]), released["release"], __version__) == []


def test_a_rule_with_a_wrong_since_is_noticed() -> None:
    rules = {"old": "1.0.0", "new": "1.0.0", "newer": "1.1.0", "later": "1.2.0", "moved": "1.1.0"}
    assert wrong_since(rules, {"old", "moved"}, "1.0.0", "1.1.0") == ["new", "later", "moved"]
