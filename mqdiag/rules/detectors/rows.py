"""Rows of the facts that are beyond their limits: what `[[detect.rows]]` of a card says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mqdiag.facts import Facts
from mqdiag.findings import Subject
from mqdiag.knowledge.detect import Rows
from mqdiag.rules.draft import Findings, Limits, Result, Skip
from mqdiag.rules.shared.brokers import brokers_of_heap
from mqdiag.rules.shared.graph_needed import without_graph

if TYPE_CHECKING:
    from mqdiag.rules.rule import Rule

Found = tuple[Any, ...]
"""a row, and what it is part of, from the inside to the outside"""


def in_rows(rule: Rule, shown: Rows, facts: Facts, limits: Limits) -> Findings:
    """One finding for each row, or one for the worst of them."""
    beyond: list[Found] = []
    for found in _rows(facts, shown.of.split(".")):
        if isinstance(found, Skip):
            yield found
            continue
        short = _short_of(shown, found, limits)
        if short is None:
            beyond.append(found)
        elif short in shown.margins:
            value, limit = _at(found, short), limits[shown.at_least[short]]
            yield rule.margin(shown.margins[short], value, limit, group=getattr(found[0], "group", None))
    if shown.worst and beyond:
        worst = max(beyond, key=lambda found: (not _may_be_quoted(found), _at(found, shown.worst)))
        yield _said(rule, shown, worst, {shown.count_as: len(beyond)} if shown.count_as else {})
    else:
        for found in beyond:
            yield _said(rule, shown, found, {})


def _rows(facts: Facts, place: list[str]) -> Iterator[Found | Skip]:
    """All rows; for a heap dump that was read without them the reason."""
    if place[0] == "brokers":
        for broker in brokers_of_heap(facts):
            yield broker if isinstance(broker, Skip) else (broker,)
        return
    if place[0] == "heap" and facts.heap is not None and (skip := without_graph(facts.heap)) is not None:
        yield skip
        return
    yield from _below((facts,), place)


def _below(found: Found, place: list[str]) -> Iterator[Found]:
    if not place:
        yield found
        return
    value = getattr(found[0], place[0])
    for one in value if isinstance(value, tuple) else (value,):
        if one is not None:
            yield from _below((one, *found), place[1:])


def _at(found: Found, place: str) -> Any:
    """A value of a row by its field, or of what the row is part of; None where a part of its place is unknown."""
    first, *rest = place.split(".")
    value = next(getattr(one, first) for one in found if hasattr(one, first))
    for name in rest:
        if value is None:
            return None
        value = value.get(name) if isinstance(value, dict) else getattr(value, name)
    return value


def _short_of(shown: Rows, found: Found, limits: Limits) -> str | None:
    """The first field that lacks its value or is below its limit; None where the row is beyond all limits."""
    for place, wanted in shown.is_.items():
        value = _at(found, place)
        if (bool(value) if isinstance(wanted, bool) else value) != wanted:
            return place
    for place, limit in shown.at_least.items():
        value = _at(found, place)
        if value is None:
            return ""
        if value < limits[limit]:
            return place
    return None


def _said(rule: Rule, shown: Rows, found: Found, counted: dict[str, int]) -> Result:
    row = found[0]
    values = {name: _at(found, place) for name, place in shown.values.items()}
    return rule.case(
        shown.case,
        *found,
        subject=Subject(**{part: _at(found, place) for part, place in shown.subject.items()}),
        evidence={**values, **counted},
        over=[row] if hasattr(row, "first") else (),
        age_ms=_at(found, shown.age_ms) if shown.age_ms else None,
        may_be_quoted=_may_be_quoted(found),
    )


def _may_be_quoted(found: Found) -> bool:
    """Whether a user may have written the row."""
    return bool(getattr(found[0], "may_be_quoted", False))
