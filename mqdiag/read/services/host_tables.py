"""Shares of a host's disks, memory and processors, as df, free and top print them (`knowledge/host_tables.toml`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import msgspec

from mqdiag.facts.services import HostFigure, HostFigureKind
from mqdiag.knowledge import packed

HEAD_LINES = 8
MOST_CHARACTERS = 1 << 20
MOST_FIGURES = 2_000
_UNITS = {unit: 1 << 10 * power for power, unit in enumerate("BKMGTP")}


class Figure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How one figure is printed."""

    of: HostFigureKind
    pattern: str
    after: str = ""
    """the head of its table: rows of another table look alike"""


class HostTables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file host_tables.toml."""

    heads: tuple[str, ...]
    left_out: tuple[str, ...]
    figure: tuple[Figure, ...]


@cache
def _tables() -> HostTables:
    return packed.decode(packed.ROOT, "host_tables", HostTables)


def is_host_table(text: str) -> bool:
    """Whether one of the first lines of a text is the head of such a table."""
    lines = [line for line in text[:4096].split("\n") if line.strip()][:HEAD_LINES]
    return any(map(begins_host_table, lines))


def begins_host_table(line: str) -> bool:
    """Whether a line is the head of such a table."""
    return any(re.search(head, line) for head in _tables().heads)


def read_host_tables(source: str, text: str) -> Iterator[HostFigure]:
    """The figures of a text; of `top` and `vmstat` that ran on, those of its last turn.

    Args:
        source: what the user calls the file.
        text: all of it.
    """
    text = text[:MOST_CHARACTERS]
    found: dict[tuple[str, str | None], HostFigure] = {}
    for figure in _tables().figure:
        for part in _parts(text, figure.after):
            for match in re.finditer(figure.pattern, part, re.M):
                one = _figure(figure.of, source, match.groupdict())
                if one is not None and len(found) < MOST_FIGURES:
                    found[one.of, one.place] = one
    yield from found.values()


def _parts(text: str, head: str) -> Iterator[str]:
    """The rows below each head, up to a blank line; the whole text where the figure needs no head."""
    if not head:
        yield text
        return
    for match in re.finditer(head, text, re.M):
        yield text[match.start() :].partition("\n\n")[0]


def _figure(of: HostFigureKind, source: str, groups: dict[str, str | None]) -> HostFigure | None:
    place = groups.get("place")
    loop = (groups.get("filesystem") or "").startswith("/dev/loop")
    if place is not None and (loop or f"{place}/".startswith(_tables().left_out)):
        return None
    percent, total = groups.get("percent"), groups.get("total")
    if percent is not None:
        return HostFigure(of=of, place=place, percent=float(percent), source=source)
    available = groups.get("available")
    if total is None or available is None or not _size(total):
        return None
    return HostFigure(
        of=of, percent=round(100 * (1 - min(1.0, _size(available) / _size(total))), 1), source=source
    )


def _size(text: str) -> float:
    """A size in the unit of its letter; without one in that of the table."""
    number = re.match(r"\d{1,15}(?:\.\d{1,6})?", text)
    unit = text.rstrip("iB")[-1:]
    return float(number[0]) * _UNITS.get(unit, 1) if number else 0.0
