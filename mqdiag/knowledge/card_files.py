"""Reads rule cards: whole, or those of their tables that a check needs."""

# Without annotations as strings: msgspec would compile each of them at the first use of a type, 0.2 ms in each run.

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import Any

import msgspec

from mqdiag.knowledge import packed
from mqdiag.knowledge.detect import Detect
from mqdiag.knowledge.rule_card import Card, Case

FOLDER = os.path.join(os.path.dirname(__file__), "rules")


class ForChecks(msgspec.Struct, frozen=True):
    """What the checks of a rule need of its card; most rules that run find nothing, and need no more of it."""

    detect: Detect = Detect()
    limits: dict[str, float] = {}
    names: dict[str, tuple[str, ...]] = {}
    meaning: dict[str, dict[str, str]] = {}


@cache
def read_card(name: str) -> Card:
    """A rule's card.

    Raises:
        KnowledgeError: there is none, or it has other keys or values than a card.
    """
    raw = packed.read(FOLDER)
    path = packed.path_of(FOLDER, name)
    if name not in raw:
        raise packed.KnowledgeError(f"{path}: there is no such file; each rule has a card")
    values = msgspec.msgpack.decode(raw[name])
    try:
        _extend(values.get("case", {}))
        card = msgspec.convert(values, Card)
        if name not in _right_cards(FOLDER):
            _check(card)
        return card
    except msgspec.ValidationError as error:
        for case, words in values.get("case", {}).items():
            try:
                msgspec.convert(words, Case)
            except msgspec.ValidationError as inner:
                raise packed.refused(FOLDER, name, Case, inner, case) from None
        raise packed.refused(FOLDER, name, Card, error) from None
    except ValueError as error:
        raise packed.KnowledgeError(f"{path}: {error}") from None


@cache
def _right_cards(folder: str) -> frozenset[str]:
    """The cards whose sentences and names were found right since a file of the folder changed; of a wheel all."""
    if packed.is_built(folder):
        return frozenset(packed.read(folder))
    # without the dot: what ends with it is the packed cards themselves
    return frozenset(packed.kept(folder, "oml", _names_of_right_cards).decode().split())


def _check(card: Card) -> None:
    # only where a card's file changed since the last run
    from mqdiag.knowledge.card_checks import check_card

    check_card(card)


def _names_of_right_cards(folder: str) -> bytes:
    right = []
    for name, raw in packed.read(folder).items():
        values = msgspec.msgpack.decode(raw)
        with suppress(ValueError):
            _extend(values.get("case", {}))
            _check(msgspec.convert(values, Card))
            right.append(name)
    return " ".join(right).encode()


def read_for_checks(name: str) -> ForChecks:
    """The tables of a card that checks need; nothing where there is none."""
    return packed.decode(FOLDER, name, ForChecks) if name in packed.read(FOLDER) else ForChecks()


def _extend(cases: dict[str, dict[str, Any]]) -> None:
    """Give each case what it leaves to the one that it extends, and the lines that it takes from another one.

    Raises:
        ValueError: it extends or names a case that is not there, or itself.
    """
    for name in cases:
        for above in _above(name, cases):
            cases[name] = {**cases[above], "extends": cases[name]["extends"], **cases[name]}
    for name, case in cases.items():
        for part in ("explanation", "now", "actions"):
            if isinstance(case.get(part), list):
                case[part] = [line for entry in case[part] for line in _expanded(entry, part, cases, (name,))]


def _expanded(
    entry: object, part: str, cases: Mapping[str, Mapping[str, Any]], inside: tuple[str, ...]
) -> list[Any]:
    """An entry of a part of a case, or the lines of the case that it names."""
    if not isinstance(entry, dict) or not entry.get("lines_of"):
        return [entry]
    name = entry["lines_of"]
    if name not in cases or name in inside:
        raise ValueError(f"case {inside[0]!r} has the lines of {name!r}, which is no other case of the card")
    lines = cases[name].get(part, ())
    return [line for one in lines for line in _expanded(one, part, cases, (*inside, name))]


def _above(name: str, cases: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """The cases that a case extends, the nearest first."""
    seen = {name}
    while above := cases[name].get("extends", ""):
        if above not in cases or above in seen:
            raise ValueError(f"case {name!r} extends {above!r}, which is no other case of the card")
        yield above
        seen.add(above)
        name = above
