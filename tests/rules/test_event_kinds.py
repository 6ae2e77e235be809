"""Every kind of log event that a rule asks for is one that a handler of `mqdiag/logs` counts."""

from __future__ import annotations

import ast
import importlib
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import mqdiag.logs
import mqdiag.rules
from mqdiag.knowledge.card_files import read_card
from tests.layers import CHECK

LOGS = Path(mqdiag.logs.__file__).parent
RULES = Path(mqdiag.rules.__file__).parent
STATEMENTS = RULES.parent / "knowledge" / "log_statements"
CARDS = RULES.parent / "knowledge" / "rules"


def counted() -> tuple[set[str], list[re.Pattern[str]]]:
    """The texts in the handlers, kinds among them; and the patterns of those that are made of parts."""
    texts: set[str] = set()
    made: list[re.Pattern[str]] = []
    for path in LOGS.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.add(node.value)
            elif isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
                start = str(node.values[0].value)
                if re.fullmatch(r"[a-z][a-z-]*-(?:with-)?", start):
                    made.append(re.compile(re.escape(start) + r"[a-z0-9-]+"))
    for path in (*STATEMENTS.glob("*.toml"), STATEMENTS.parent / "last_exceptions.toml"):
        texts |= set(_texts(tomllib.loads(path.read_text())))
    return texts, made


def _texts(value: object) -> Iterator[str]:
    """All texts of a file of data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for inner in value.values() for text in _texts(inner))
    elif isinstance(value, list):
        yield from (text for inner in value for text in _texts(inner))


def asked() -> Iterator[tuple[str, str]]:
    """(rule's file, kind) of each call of `events`; constants of the module are looked up."""
    for path in RULES.rglob("*.py"):
        calls = [
            node
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "events"
        ]
        if not calls:
            continue
        name = ".".join(path.relative_to(RULES).with_suffix("").parts)
        known = vars(importlib.import_module(f"mqdiag.rules.{name}"))
        for call in calls:
            for given in call.args[1:]:
                given = given.value if isinstance(given, ast.Starred) else given
                value = given.value if isinstance(given, ast.Constant) else None
                if isinstance(given, ast.Name):
                    value = known.get(given.id)
                for kind in (value,) if isinstance(value, str) else value or ():
                    yield name, str(kind)


def asked_by_cards() -> Iterator[tuple[str, str]]:
    """(rule, kind) of each kind of event for which a card has a line, or which shows a case of it."""
    for path in CARDS.glob("*.toml"):
        for found in re.finditer(r'for_each_event = (\[[^]]*\]|"[^"]*")', path.read_text()):
            for kind in re.findall(r'"([^"*]+)"', found[1]):
                yield path.stem, kind
        for kind in read_card(path.stem).meaning.get("by_kind", ()):
            yield path.stem, kind
        for one in read_card(path.stem).detect.lines:
            further = (kind for number in one.values.values() for kind in number.lines)
            for kind in (*one.lines, *one.by_kind, *one.unless_later, *further):
                yield path.stem, kind


@CHECK
def test_rules_ask_for_events_that_are_counted() -> None:
    texts, made = counted()
    kinds = [*asked(), *asked_by_cards()]
    assert len(kinds) > 40
    unknown = {
        pair for pair in kinds if pair[1] not in texts and not any(one.fullmatch(pair[1]) for one in made)
    }
    assert unknown == set()
