"""Two bars a row, each against the largest of its kind: bytes and messages of queues."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from mqdiag.render.html.figures.svg import WIDTH, box, cut, picture, text

_ROW, _NAME, _TEXT = 30, 300, 90


@dataclass(frozen=True, kw_only=True)
class BarRow:
    """One row."""

    label: str
    first: float
    first_text: str
    second: float
    second_text: str


def bars(title: str, heads: tuple[str, str], rows: Sequence[BarRow]) -> Markup:
    """The picture; `heads` name the two bars."""
    most = [max((getattr(row, side) for row in rows), default=0) or 1 for side in ("first", "second")]
    room = (WIDTH - _NAME) / 2 - _TEXT
    starts = (_NAME, _NAME + room + _TEXT)
    parts = [text(start, 16, head, kind="soft") for start, head in zip(starts, heads, strict=True)]
    for place, row in enumerate(rows):
        top = 24 + place * _ROW
        parts.append(text(_NAME - 8, top + 15, cut(row.label, _NAME - 16), anchor="end"))
        values = ((row.first, row.first_text, "bar"), (row.second, row.second_text, "bar-2"))
        for start, largest, (value, words, kind) in zip(starts, most, values, strict=True):
            width = room * value / largest
            parts.append(box(start, top + 3, width, _ROW - 10, kind, f"{row.label}: {words}", 2))
            parts.append(text(start + width + 6, top + 16, words))
    return picture(title, 32 + len(rows) * _ROW, *parts)
