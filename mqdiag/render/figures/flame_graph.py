"""A flame graph: calls below those that they make, as wide as the samples that show them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from mqdiag.language import Writer
from mqdiag.render.parts import Words
from mqdiag.text import say

if TYPE_CHECKING:
    from markupsafe import Markup

_ROW = 20
_LEAST = 2.0


class Flame(msgspec.Struct, frozen=True, kw_only=True):
    """One call, or what threads do at its end."""

    label: Words
    samples: int
    kind: str
    """network, lock, pool, work or wait: its colour"""
    calls: tuple[Flame, ...] = ()
    """what it calls"""


def flame_graph(write: Writer, title: Words, flames: Sequence[Flame]) -> Markup:
    """The picture, the outermost calls in the first row; boxes too narrow to see are left out."""
    # Here, not above: a text shows the calls without the picture.
    from mqdiag.render.figures.svg import WIDTH, picture

    total = sum(flame.samples for flame in flames)
    parts: list[Markup] = []
    rows = 0
    waiting = [(flames, 0.0, 0)]
    while waiting:
        row, left, depth = waiting.pop()
        for flame in row:
            width = WIDTH * flame.samples / total
            if width >= _LEAST:
                rows = max(rows, depth + 1)
                parts += _drawn(write, flame, left, depth, width, total)
                waiting.append((flame.calls, left, depth + 1))
            left += width
    return picture(write(title), rows * _ROW, *parts)


def _drawn(
    write: Writer, flame: Flame, left: float, depth: int, width: float, total: int
) -> tuple[Markup, ...]:
    label = write(flame.label)
    hint = say(
        "{label}: {samples:count} of {total:count} thread samples",
        label=flame.label,
        samples=flame.samples,
        total=total,
    )
    from mqdiag.render.figures.svg import CHARACTER, box, cut, text

    drawn = box(left, depth * _ROW, width - 0.5, _ROW - 1, f"flame {flame.kind}", write(hint), 2)
    if width < 4 * CHARACTER:
        return (drawn,)
    return drawn, text(left + 4, depth * _ROW + 14, cut(label, width - 8), kind="on")
