"""Growth by class."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mqdiag.diff.growth import both, growth, total
from mqdiag.facts.diff import ClassGrowth
from mqdiag.facts.heap_classes import ClassRow

MOST_ROWS = 500
# Generated at run time: a number or an address stands where it differs from run to run.
_LAMBDA = re.compile(r"\$\$Lambda.*")
_NUMBERED = re.compile(r"(?<=\$Proxy)\d+|(?<=Accessor)\d+|\$\$[0-9a-f]{6,}|/0x[0-9a-f]+")


def class_growth(before: Sequence[ClassRow], after: Sequence[ClassRow]) -> tuple[tuple[ClassGrowth, ...], int]:
    """Rows of classes that changed, the greatest change first, and how many more there are."""
    rows = []
    for name, old, new in both(_by_name(before), _by_name(after)):
        row = ClassGrowth(
            name=name,
            instances=growth(sum(one.instances for one in old), sum(one.instances for one in new)),
            shallow_bytes=growth(sum(one.shallow_bytes for one in old), sum(one.shallow_bytes for one in new)),
            retained_bytes=growth(
                total(one.retained_bytes for one in old) if old else _none_there(before),
                total(one.retained_bytes for one in new) if new else _none_there(after),
            ),
        )
        if row.instances.grown or row.shallow_bytes.grown:
            rows.append(row)
    rows.sort(key=lambda row: (-abs(row.shallow_bytes.grown or 0), row.name))
    kept = rows[:MOST_ROWS]
    return tuple(kept), len(rows) - len(kept)


def plain_name(name: str) -> str:
    """A class's name without what differs in every run."""
    return _NUMBERED.sub("", _LAMBDA.sub("$$Lambda", name))


def _by_name(rows: Sequence[ClassRow]) -> dict[str, list[ClassRow]]:
    found: dict[str, list[ClassRow]] = {}
    for row in rows:
        found.setdefault(plain_name(row.name), []).append(row)
    return found


def _none_there(rows: Sequence[ClassRow]) -> int | None:
    """Retained bytes of a class that a side does not have: 0, unless that side knows none of any class."""
    return 0 if any(row.retained_bytes is not None for row in rows) else None
