"""Answers of a size that an assistant can take: what matters first, and a count of what was left out.

A report has up to a megabyte, most of it histograms and threads that no reader of an answer needs. The command line
writes the whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

MOST_BYTES = 20_000
"""bytes of the structured content of an answer, as JSON"""
MOST_TEXT = 60_000
"""characters of its text"""
LEFT_OUT = "left_out"
_KEPT = frozenset(("answer", "findings", "inputs"))
"""parts of a report that are shortened last"""
_FOR_PROGRAMS = frozenset(("rule_cards", "checked", "texts", "traits", "verdict"))
"""fields that repeat others, or are for programs that write reports"""
_LONGEST_PATH = 100


class _Size(NamedTuple):
    kept: int
    """elements of each list within findings and inputs"""
    facts: int
    """elements of each list of facts; without any, all of them are left out"""
    entries: int
    """entries of each map"""
    characters: int
    """characters of each text"""


_SIZES = (
    _Size(100, 20, 60, 2000),
    _Size(100, 10, 60, 2000),
    _Size(50, 5, 60, 1000),
    _Size(30, 3, 50, 1000),
    _Size(30, 1, 50, 500),
    _Size(20, 0, 50, 500),
    _Size(10, 0, 40, 500),
    _Size(5, 0, 40, 300),
    _Size(3, 0, 40, 200),
    _Size(1, 0, 30, 100),
)


def shortened(document: dict[str, Any], most_bytes: int = MOST_BYTES) -> dict[str, Any]:
    """As much of a document as fits; `left_out` has the number of elements that are missing, by their place."""
    whole = {name: value for name, value in document.items() if name in _KEPT or value not in (None, [], {})}
    for size in _SIZES:
        left: dict[str, int] = {}
        found = {
            name: _cut(value, name, size.kept if name in _KEPT else size.facts, size, left)
            for name, value in whole.items()
            if name not in _FOR_PROGRAMS
        }
        if size.facts == 0:
            left.update({name: 1 for name, value in found.items() if name not in _KEPT and _is_large(value)})
            found = {name: value for name, value in found.items() if name in _KEPT or not _is_large(value)}
        if left:
            found[LEFT_OUT] = dict(list(left.items())[: size.entries])
        if _bytes(found) <= most_bytes:
            return found
    answer = document.get("answer") or {}
    return {"answer": {"state": answer.get("state")}, LEFT_OUT: {"everything": 1}}


def rows_that_fit(rows: list[dict[str, object]], most_bytes: int = MOST_BYTES) -> Iterator[dict[str, object]]:
    """The first rows of a query, as many as fit; a long text in one of them is cut."""
    for row in rows:
        short = {name: _cut(value, "", 100, _SIZES[0], {}) for name, value in row.items()}
        most_bytes -= _bytes(short) + 1
        if most_bytes < 0:
            return
        yield short


def short_text(text: str) -> str:
    """A text, or its first lines and how much of it is missing."""
    if len(text) <= MOST_TEXT:
        return text
    end = text.rfind("\n", 0, MOST_TEXT)
    cut = text[: end if end > 0 else MOST_TEXT]
    return f"{cut}\n... {len(text) - len(cut):,} further characters; detail=normal is shorter\n"


def _cut(value: Any, place: str, elements: int, size: _Size, left: dict[str, int]) -> Any:
    if isinstance(value, str):
        return value if len(value) <= size.characters else value[: size.characters] + "…"
    if isinstance(value, list):
        if len(value) > elements:
            place = place[:_LONGEST_PATH]
            left[place] = left.get(place, 0) + len(value) - elements
        return [_cut(each, place, elements, size, left) for each in value[:elements]]
    if isinstance(value, dict):
        there = [(name, each) for name, each in value.items() if each is not None and name not in _FOR_PROGRAMS]
        if len(there) > size.entries:
            place = place[:_LONGEST_PATH]
            left[place] = left.get(place, 0) + len(there) - size.entries
        return {
            name[:_LONGEST_PATH]: _cut(each, f"{place}.{name}", elements, size, left)
            for name, each in there[: size.entries]
        }
    return value


def _is_large(value: Any) -> bool:
    return isinstance(value, dict | list)


def _bytes(value: Any) -> int:
    return len(msgspec.json.encode(value))
