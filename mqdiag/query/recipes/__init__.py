"""Queries that answer what people ask of a heap: one `.sql` file each.

The first line of a file says what it answers, each further line of its head what one of its `$parameters` is.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import msgspec

from mqdiag.errors import UsageError
from mqdiag.spelling import did_you_mean, nearest
from mqdiag.text import say

_PARAMETER = re.compile(r"\$(\w+): (.+)")


class Recipe(msgspec.Struct, frozen=True):
    """One of them."""

    name: str
    answers: str
    parameters: dict[str, str]
    """what each means, by name"""
    sql: str


@cache
def recipes() -> dict[str, Recipe]:
    """All by name."""
    return {path.stem: _read(path) for path in sorted(Path(__file__).parent.glob("*.sql"))}


def recipe(name: str) -> Recipe:
    """The recipe of a name.

    Raises:
        UsageError: there is none.
    """
    found = recipes().get(name)
    if found is None:
        problem = say("there is no recipe {name} (--recipe list shows all)", name=name)
        raise UsageError(did_you_mean(problem, nearest(name, recipes())))
    return found


def _read(path: Path) -> Recipe:
    lines = path.read_text(encoding="utf-8").splitlines()
    head = [line.removeprefix("-- ") for line in lines if line.startswith("-- ")]
    parameters = {found[1]: found[2] for line in head[1:] if (found := _PARAMETER.fullmatch(line))}
    return Recipe(path.stem, head[0], parameters, "\n".join(lines[len(head) :]) + "\n")
