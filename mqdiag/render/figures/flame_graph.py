"""A flame graph: calls below those that they make, as wide as the samples that show them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from mqdiag.language import Writer
from mqdiag.render.parts import Words
from mqdiag.text import Text

if TYPE_CHECKING:
    from markupsafe import Markup

_ROW = 20
_LEAST = 0.2
"""width of a box that is drawn: narrower ones cannot be pointed at, to be made wide"""


class Flame(msgspec.Struct, frozen=True, kw_only=True):
    """One call, or what threads do at its end."""

    label: Words
    samples: int
    """samples that show it, or milliseconds that threads spent there"""
    kind: str
    """threads, network, lock, pool, work or wait: its colour"""
    calls: tuple[Flame, ...] = ()
    """what it calls"""


Hint = Callable[[Flame, int], Text]
"""What a box tells of itself: given it and the samples of all."""


def flame_graph(write: Writer, title: Words, flames: Sequence[Flame], hint: Hint) -> Markup:
    """The picture, the outermost boxes in the first row."""
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
                parts.append(_drawn(write, flame, left, depth, width, hint(flame, total)))
                waiting.append((flame.calls, left, depth + 1))
            left += width
    return picture(write(title), rows * _ROW, *parts)


def _drawn(write: Writer, flame: Flame, left: float, depth: int, width: float, hint: Text) -> Markup:
    """A box and its label in one group, by which the page's script makes it wider and finds it."""
    from mqdiag.render.figures.svg import box, cut, element, text

    label = write(flame.label)
    return element(
        "g",
        box(left, depth * _ROW, width - 0.5, _ROW - 1, f"flame {flame.kind}", write(hint), 2),
        text(left + 4, depth * _ROW + 14, cut(label, width - 8), kind="on"),
        class_="call",
        data_label=label,
        data_left=left,
        data_width=width,
        data_depth=depth,
    )
