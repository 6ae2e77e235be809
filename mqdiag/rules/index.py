"""Which rules there are and which evidence their checks need, told without importing them or reading their cards.

Importing all rules takes longer than most diagnoses. A wheel has the index as a file, which its build wrote;
elsewhere the index is read from sources and cards, and kept beside the bytecode.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator

from mqdiag.knowledge import packed
from mqdiag.knowledge.detect import Described

CARDS = os.path.join("knowledge", "rules")
"""the folder of cards, beside that of rules"""
NO_RULES = frozenset(
    ("__init__", "card_names", "catalogue", "discovery", "draft", "engine", "filling", "index", "rule", "views")
)
"""modules of `mqdiag.rules` that are no rules"""
FILE = "index.tsv"
"""one line for each rule: its module, then the kinds of evidence of each check, such as `heap` or `heap+logs`"""
VIEWS = {
    "heap": "heap",
    "graph": "heap",
    "ages": "heap",
    "whole_graph": "heap",
    "whole_ages": "heap",
    "waste": "heap",
    "brokers": "heap",
    "stacks": "stacks",
    "logs": "logs",
    "broker_logs": "logs",
    "admin": "admin",
    "counters": "admin",
    "recordings": "recordings",
    "profiles": "profiles",
    "fleet": "fleet",
}
"""the evidence of the checks that a decorator of `Views` adds, by its name; `sees` names the evidence itself"""

Entry = tuple[str, list[list[str]]]
"""module, and for each of its checks the kinds of evidence that it needs"""


def read_sources(folder: str) -> list[Entry]:
    """The index of a folder of rules, by the decorators of the checks.

    Raises:
        ValueError: a file has no check.
    """
    entries: list[Entry] = []
    for file in sorted(os.listdir(folder)):
        module, dot, ending = file.partition(".")
        if dot + ending != ".py" or module in NO_RULES:
            continue
        with open(os.path.join(folder, file), encoding="utf-8") as source:
            checks = [*_checks(ast.parse(source.read()))]
        if not checks:
            raise ValueError(f"{file} has no check: a rule file has functions below @RULE.sees(...)")
        entries.append((module, checks))
    return entries


def _checks(tree: ast.Module) -> Iterator[list[str]]:
    """The kinds of evidence of each check of a file."""
    for node in tree.body:
        for decorator in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
            match decorator:
                case ast.Attribute(value=ast.Name(id="RULE"), attr=view) if view in VIEWS:
                    yield [VIEWS[view]]
                case ast.Call(func=ast.Attribute(value=ast.Name(id="RULE"), attr="sees"), args=kinds):
                    yield [str(kind.value) for kind in kinds if isinstance(kind, ast.Constant)]


def read_cards(folder: str) -> list[Entry]:
    """The checks that the cards of a folder describe, of cards that describe any."""
    cards = packed.read(folder)
    found = ((name, packed.decode(folder, name, Described).detect.evidence) for name in sorted(cards))
    return [(name.replace("-", "_"), [[kind] for kind in kinds]) for name, kinds in found if kinds]


def read_index(folder: str) -> list[Entry]:
    """The index that the build wrote, or else that of the sources and cards."""
    try:
        with open(os.path.join(folder, FILE), "rb") as file:
            return _entries(file.read())
    except FileNotFoundError:
        sources = packed.kept(folder, ".py", _of_sources)
        # without the dot, as what ends with it is the packed cards themselves
        cards = packed.kept(_cards_of(folder), "toml", _of_cards)
        return _joined(_entries(sources), _entries(cards))


def write(folder: str) -> bytes:
    """The index of a folder of rules and of the cards beside it, as the build writes it."""
    return _written(_joined(read_sources(folder), read_cards(_cards_of(folder))))


def _joined(sources: list[Entry], cards: list[Entry]) -> list[Entry]:
    """The checks of each rule's file, then those of its card."""
    checks: dict[str, list[list[str]]] = {}
    for module, own in (*sources, *cards):
        checks[module] = checks.get(module, []) + own
    return sorted(checks.items())


def _cards_of(folder: str) -> str:
    return os.path.join(os.path.dirname(folder), CARDS)


def _of_sources(folder: str) -> bytes:
    return _written(read_sources(folder))


def _of_cards(folder: str) -> bytes:
    return _written(read_cards(folder))


def _entries(written: bytes) -> list[Entry]:
    rows = [line.split("\t") for line in written.decode().splitlines()]
    return [(module, [check.split("+") if check else [] for check in checks]) for module, *checks in rows]


def _written(entries: list[Entry]) -> bytes:
    lines = ("\t".join((module, *map("+".join, checks))) for module, checks in entries)
    return "".join(f"{line}\n" for line in lines).encode()
