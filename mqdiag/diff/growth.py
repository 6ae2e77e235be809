"""Numbers of two sides, joined by a key."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

from mqdiag.facts.diff import Growth

Key = TypeVar("Key", bound=Hashable)
Row = TypeVar("Row")


def growth(before: int | None, after: int | None) -> Growth:
    """The two and their difference."""
    known = before is not None and after is not None
    return Growth(before=before, after=after, grown=after - before if known else None)  # type: ignore[operator]


def total(values: Iterable[int | None]) -> int | None:
    """The sum; None when there is nothing to sum, or one of the numbers is unknown."""
    numbers = list(values)
    if not numbers or any(number is None for number in numbers):
        return None
    return sum(number for number in numbers if number is not None)


def both(
    before: Mapping[Key, list[Row]], after: Mapping[Key, list[Row]]
) -> Iterable[tuple[Key, list[Row], list[Row]]]:
    """Each key of either side with its rows, in the order of first appearance."""
    for key in dict.fromkeys((*before, *after)):
        yield key, before.get(key, []), after.get(key, [])
