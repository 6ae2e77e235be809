"""Checks that every name on a card is one that somebody gives: `mqdiag knowledge check` without a folder.

A run fills sentences from what a check hands over, and a name that nobody hands over is a crash of the rule. This finds
it before, by the source of the checks: strings and keywords of the rule's file and of what it imports from `shared`,
fields of the facts, values of log events.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Collection, Iterator
from functools import cache

import msgspec

from mqdiag import given_toml
from mqdiag.causes.link import ANY_FAULT, ANY_RULE, SAME_THREADS
from mqdiag.findings import Subject
from mqdiag.knowledge import card_files, packed
from mqdiag.knowledge.card_files import read_card
from mqdiag.knowledge.rule_card import Card
from mqdiag.rules.catalogue import rule_files
from mqdiag.rules.filling import BY_ENGINE, EVENT_LINES, SUBJECT_LINES
from mqdiag.spelling import nearest
from mqdiag.text import placeholders

BY_FILLING = frozenset(
    {
        "lines",
        "occurrences",
        "when",
        "subjects",
        "called",
        "between",
        "what",
        "quoted",
        "quoted_at",
        EVENT_LINES,
        SUBJECT_LINES,
    }
)
"""names that `filling.py` gives"""
MOST_TOLD = 40
MARKS = frozenset({ANY_RULE, ANY_FAULT, SAME_THREADS})
HOLE = r"[\w-]+"
SHARED = "mqdiag.rules.shared"
_RULES = os.path.dirname(__file__)
_LIMIT_OF_TABLES = re.compile(r"getvariable\('([a-z-]+)\.(\w+)'\)")
_WORD = re.compile(r"[a-z_][a-z0-9_]*", re.IGNORECASE | re.ASCII)
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", re.ASCII)


def wrong_cards() -> Iterator[str]:
    """One line for each mistake on a card: file, line, what is wrong, the names that may stand there."""
    for name in sorted(packed.read(card_files.FOLDER)):
        path = packed.path_of(card_files.FOLDER, name)
        try:
            card = read_card(name)
        except packed.KnowledgeError as error:
            yield str(error)
            continue
        for place, word, problem in _problems(name, card):
            yield f"{path}, line {_line(path, place, word)}: {place or 'rule'}: {problem}"


def _problems(name: str, card: Card) -> Iterator[tuple[str, str, str]]:
    """(table, or "" for the head, the wrong word, what is wrong with it)."""
    given = _Given(name, card)
    for place, words in _named(card):
        for word in sorted({*words} - {""}):
            if not given.knows(word):
                yield place, word, f"nothing gives {word!r}; {given.told(word)}"
    asked = ", ".join(sorted(given.asked)) or "none"
    for word in sorted({*card.limits} - given.may_ask):
        yield "limits", word, f"no check asks for the limit {word!r}; they ask for {asked}"
    for word in sorted(given.asked - {*card.limits}):
        yield "limits", "limits", f"a check asks for the limit {word!r}, which the card does not have"
    rules = {file.name for file in rule_files()}
    other_rules = [("", one.partition(":")[0]) for one in (*card.explained_by, *card.leads_to, *card.same_as)]
    other_rules += [(place, one) for place, case in card.case.items() for one in case.gives_way_to]
    for place, word in other_rules:
        if word not in rules and word not in MARKS:
            alike = ", ".join(nearest(word, rules))
            yield (
                place,
                word,
                f"there is no rule {word!r}; expected the name of one" + (alike and f", such as {alike}"),
            )


def _named(card: Card) -> Iterator[tuple[str, Collection[str]]]:
    """The values that each table of a card names."""
    for name, case in card.case.items():
        yield name, (*case.evidence, *case.if_known)
        for line in case.lines:
            yield name, (line.if_, line.unless, line.for_each, line.given, *_values(*line.sentences))
    yield "lists", _values(*(text for texts in card.lists.values() for text in texts))
    yield "words", _values(*card.words.values())
    yield "skips", _values(*card.skips.values())
    yield "margins", _values(*(margin.label for margin in card.margins.values()))
    of_all = (line for entry in (*card.now, *card.actions) for line in card.steps_of(entry))
    yield "", _values(card.in_chain, *(text for line in of_all for text in line.sentences))


def _values(*texts: str) -> set[str]:
    return {value for text in texts for value, _ in placeholders(text)}


class _Source:
    """The names that Python sources have: strings, arguments, fields, and forms such as f"default_{name}"."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.forms: list[re.Pattern[str]] = []
        self.limits: set[str] = set()
        self.imported: set[str] = set()
        """modules of `shared`, and names that may be such"""

    def knows(self, word: str) -> bool:
        """Whether somebody may give a value of that name."""
        return word in self.names or any(form.fullmatch(word) for form in self.forms)

    def take(self, other: _Source) -> None:
        self.names |= other.names
        self.forms += other.forms

    def read(self, node: ast.AST) -> None:
        """Take the names of one place of a source."""
        match node:
            case ast.Constant(value=str(text)) | ast.keyword(arg=str(text)):
                self.names.add(text)
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.FunctionDef(name=name):
                self.names.add(name)
            case ast.JoinedStr(values=values):
                parts = [re.escape(str(one.value)) if isinstance(one, ast.Constant) else HOLE for one in values]
                if any(_WORD.search(part) for part in parts if part != HOLE):
                    self.forms.append(re.compile("".join(parts)))
            case ast.Subscript(value=ast.Name(id="limits"), slice=ast.Constant(value=str(name))):
                self.limits.add(name)
            case ast.ImportFrom(module=str(module), names=names) if module.startswith(SHARED):
                self.imported |= {module, *(f"{module}.{alias.name}" for alias in names)}


class _Given(_Source):
    """The names that the checks of a rule give, and the limits that they ask for."""

    def __init__(self, name: str, card: Card) -> None:
        super().__init__()
        own = _module(name.replace("-", "_"))
        self.take(own)
        self.names |= {*_WORD.findall(msgspec.json.encode(card.detect).decode()), *card.limits}
        if card.detect.evidence:
            self.take(_folder(os.path.join(_RULES, "detectors")))
        self.asked = own.limits | {*card.detect.limits} | _asked_elsewhere().get(name, set())
        self.may_ask = own.names | self.asked

    def knows(self, word: str) -> bool:
        return super().knows(word) or _given_to_all().knows(word)

    def told(self, word: str) -> str:
        """The names that may stand there: those that are written alike; without any, those of the rule's own checks."""
        alike = nearest(word, self.names | _given_to_all().names)
        if alike:
            return "did you mean " + " or ".join(alike) + "?"
        own = sorted(filter(_NAME.fullmatch, self.names))
        return "its checks give " + ", ".join(own[:MOST_TOLD]) + (", ..." if len(own) > MOST_TOLD else "")


@cache
def _asked_elsewhere() -> dict[str, set[str]]:
    """By rule the limits that the answer of a run asks for, and statements about the tables of a fleet."""
    package = os.path.dirname(_RULES)
    folder = os.path.join(package, "fleet", "analysis")
    asked = {"symptoms-not-judged": _file(os.path.join(package, "diagnose", "open_in_logs.py")).limits}
    for name in sorted(name for name in os.listdir(folder) if name.endswith(".sql")):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            for rule, limit in _LIMIT_OF_TABLES.findall(file.read()):
                asked.setdefault(rule, set()).add(limit)
    return asked


@cache
def _module(name: str) -> _Source:
    """A module of this package with those of `shared` that it imports; empty for a rule without Python."""
    path = os.path.join(_RULES, *name.split(".")) + ".py"
    if not os.path.isfile(path):
        return _Source()
    found = _file(path)
    for one in sorted(found.imported):
        found.take(_module(one.removeprefix("mqdiag.rules.")))
    return found


@cache
def _folder(folder: str) -> _Source:
    """All modules of a folder."""
    found = _Source()
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py"):
            found.take(_file(os.path.join(folder, name)))
    return found


@cache
def _given_to_all() -> _Source:
    """Names that do not depend on the rule: fields of the facts, values of log events, what the engine adds."""
    found = _Source()
    found.names |= {*BY_ENGINE, *BY_FILLING, *Subject.__struct_fields__}
    for name in ("facts", "logs"):
        found.take(_folder(os.path.join(os.path.dirname(_RULES), name)))
    return found


def _file(path: str) -> _Source:
    found = _Source()
    with open(path, "rb") as file:
        for node in ast.walk(ast.parse(file.read())):
            found.read(node)
    return found


def _line(path: str, place: str, word: str) -> int:
    """The line of a word, from the table of its case on; that of the table where only this is found."""
    with open(path, "rb") as file:
        data = file.read()
    start = (given_toml.line_of(data, place) if place else None) or 1
    lines = data.decode().split("\n")
    has = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
    places = (*range(start - 1, len(lines)), *range(start - 1))
    return next((at + 1 for at in places if has.search(lines[at])), start)
