"""Rows against columns, each cell darker the more there is, with the number in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from mqdiag.language import Writer
from mqdiag.render.figures.svg import WIDTH, box, cut, element, picture, text
from mqdiag.render.parts import Words

_ROW, _NAME, _HEAD = 26, 240, 120


def heat_map(
    write: Writer,
    title: Words,
    rows: Sequence[str],
    columns: Sequence[str],
    counts: Mapping[tuple[str, str], int],
) -> Markup:
    """The picture; `counts` by (row, column)."""
    width = min((WIDTH - _NAME) / max(len(columns), 1), 90)
    most = max(counts.values(), default=1) or 1
    parts: list[Markup] = []
    for place, column in enumerate(columns):
        at = _NAME + (place + 0.5) * width
        label = element(
            "text", cut(column, _HEAD), x=at, y=_HEAD - 8, transform=f"rotate(-40 {at:.1f} {_HEAD - 8})"
        )
        parts.append(label)
    for line, row in enumerate(rows):
        top = _HEAD + line * _ROW
        parts.append(text(_NAME - 8, top + 17, cut(row, _NAME - 16), anchor="end"))
        for place, column in enumerate(columns):
            count = counts.get((row, column), 0)
            at = _NAME + place * width
            parts.append(box(at + 1, top + 1, width - 2, _ROW - 2, "card", f"{row}, {column}: {count}"))
            if count:
                filled = box(at + 1, top + 1, width - 2, _ROW - 2, "stuck", f"{row}, {column}: {count}")
                parts.append(element("g", filled, opacity=round(0.35 + 0.65 * count / most, 2)))
                parts.append(text(at + width / 2, top + 17, str(count), kind="on", anchor="middle"))
    return picture(write(title), _HEAD + len(rows) * _ROW + 8, *parts)
