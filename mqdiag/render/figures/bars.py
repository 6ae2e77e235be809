"""Two bars a row, each against the largest of its kind: bytes and messages of queues."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from markupsafe import Markup

from mqdiag.language import Writer
from mqdiag.render.figures.svg import WIDTH, box, cut, picture, text
from mqdiag.render.parts import Words

_ROW, _NAME, _TEXT = 30, 300, 90


class BarRow(msgspec.Struct, frozen=True, kw_only=True):
    """One row."""

    label: Words
    first: float
    second: float


def bars(
    write: Writer, title: Words, heads: tuple[Words, Words], kinds: tuple[str, str], rows: Sequence[BarRow]
) -> Markup:
    """The picture.

    Args:
        write: in the reader's language.
        title: what it shows.
        heads: names of the two bars.
        kinds: how the values of each are written, as in `mqdiag.text`.
        rows: from top to bottom.
    """
    most = [max((getattr(row, side) for row in rows), default=0) or 1 for side in ("first", "second")]
    longest = (WIDTH - _NAME) / 2 - _TEXT
    starts = (_NAME, _NAME + longest + _TEXT)
    parts = [text(start, 16, write(head), kind="soft") for start, head in zip(starts, heads, strict=True)]
    for place, row in enumerate(rows):
        top = 24 + place * _ROW
        label = write(row.label)
        parts.append(text(_NAME - 8, top + 15, cut(label, _NAME - 16), anchor="end"))
        drawn = zip(starts, most, kinds, (row.first, row.second), ("bar", "bar-2"), strict=True)
        for start, largest, kind, value, colour in drawn:
            width = longest * value / largest
            words = write.value(value, kind)
            parts.append(box(start, top + 3, width, _ROW - 10, colour, f"{label}: {words}", 2))
            parts.append(text(start + width + 6, top + 16, words))
    return picture(write(title), 32 + len(rows) * _ROW, *parts)
