"""Numbers over runs: one line for each subject, each on its own scale from 0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from markupsafe import Markup

from mqdiag.language import Writer
from mqdiag.render.figures.svg import WIDTH, box, cut, element, picture, text
from mqdiag.render.parts import Words
from mqdiag.text import quantity, say

_ROW, _NAME, _LAST = 48, 240, 110
_PAD = 8
"""above and below a line"""
_DOT = 2.5


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One number over all points."""

    label: Words
    values: Sequence[int | None]
    """one for each point; None where it is not known: the line has a gap there"""
    kind: str = "info"
    """its colour"""


def lines(write: Writer, title: Words, drawn: Sequence[Line], first: str, last: str) -> Markup:
    """The picture.

    Args:
        write: in the reader's language.
        title: what it shows.
        drawn: lines with the same number of values, at least two.
        first: name of the first point, at the left end of the axis.
        last: name of the last one.
    """
    parts: list[Markup] = []
    for place, line in enumerate(drawn):
        parts += _line(write, line, top=place * _ROW)
    bottom = len(drawn) * _ROW + 16
    parts.append(text(_NAME, bottom, first, kind="soft"))
    parts.append(text(WIDTH - _LAST, bottom, last, kind="soft", anchor="end"))
    return picture(write(title), bottom + 10, *parts)


def _line(write: Writer, line: Line, top: float) -> Iterator[Markup]:
    step = (WIDTH - _LAST - _NAME) / (len(line.values) - 1)
    most = max((value for value in line.values if value is not None), default=0) or 1
    base = top + _ROW - _PAD
    middle = top + _ROW / 2 + 4
    yield text(_NAME - 12, middle, cut(write(line.label), _NAME - 20), anchor="end")
    yield box(_NAME, base, WIDTH - _LAST - _NAME, 1, "rest")
    points = [
        None if value is None else (_NAME + place * step, base - (_ROW - 2 * _PAD) * value / most)
        for place, value in enumerate(line.values)
    ]
    for stretch in _stretches(points):
        joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in stretch)
        yield element("polyline", points=joined, class_=f"trend {line.kind}")
    for point, value in zip(points, line.values, strict=True):
        if point is not None and value is not None:
            shown = write(say("{label}: {value}", label=line.label, value=quantity(value, "count")))
            hint = element("title", shown)
            yield element(
                "circle", hint, cx=round(point[0], 1), cy=round(point[1], 1), r=_DOT, class_=f"dot {line.kind}"
            )
    yield text(WIDTH - _LAST + 12, middle, write.value(line.values[-1], "count"))


def _stretches(points: Sequence[tuple[float, float] | None]) -> Iterator[list[tuple[float, float]]]:
    """The points between gaps; a lone point needs no line."""
    stretch: list[tuple[float, float]] = []
    for point in (*points, None):
        if point is not None:
            stretch.append(point)
            continue
        if len(stretch) > 1:
            yield stretch
        stretch = []
