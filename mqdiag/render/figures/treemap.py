"""Boxes in boxes whose areas are the bytes: who holds the heap.

Squarified layout (Bruls, Huizing, van Wijk, "Squarified Treemaps", 2000): rows are filled along the shorter side as
long as their boxes become squarer.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from markupsafe import Markup

from mqdiag.language import Writer
from mqdiag.render.figures.svg import WIDTH, box, cut, element, picture, text
from mqdiag.render.parts import Words
from mqdiag.text import Text, say

HEIGHT = 460
_HEAD = 18
_LEAST = 2.0


class Area(msgspec.Struct, frozen=True, kw_only=True):
    """One box."""

    label: Words
    detail: Words
    weight: float
    kind: str
    """its colour, a class of the style sheet: rocketmq, application, jdk, part-1 to part-4 or rest"""
    inner: tuple[Area, ...] = ()
    rest: Text = say("smaller objects")
    """what it has besides the areas in it"""


Rectangle = tuple[float, float, float, float]


def treemap(write: Writer, title: Words, areas: Sequence[Area]) -> Markup:
    """The picture; areas of no weight are left out."""
    drawn = list(_draw(write, areas, (0.0, 0.0, float(WIDTH), float(HEIGHT)), 0))
    return picture(write(title), HEIGHT, *drawn)


def _draw(write: Writer, areas: Sequence[Area], space: Rectangle, depth: int) -> list[Markup]:
    shown = sorted((area for area in areas if area.weight > 0), key=lambda area: -area.weight)
    parts: list[Markup] = []
    for area, (left, top, width, height) in zip(
        shown, squarified([area.weight for area in shown], space), strict=True
    ):
        if width < _LEAST or height < _LEAST:
            continue
        label, detail = write(area.label), write(area.detail)
        hint = f"{label}: {detail}" if label else detail
        drawn = box(left, top, width, height, f"box {area.kind}", hint)
        if depth:
            drawn = element("g", drawn, opacity=0.82)
        parts.append(drawn)
        if height >= _HEAD and width >= 40:
            colour = "" if area.kind == "rest" else "on"
            parts.append(text(left + 5, top + 13, _fitting(label, detail, width - 10), kind=colour))
        if area.inner and height > 2.5 * _HEAD and width > 60:
            below = (left + 3, top + _HEAD, width - 6, height - _HEAD - 3)
            rest = area.weight - sum(inner.weight for inner in area.inner)
            parts += _draw(write, (*area.inner, *_rest(area, rest)), below, depth + 1)
    return parts


def _fitting(label: str, detail: str, width: float) -> str:
    """Name and size where both fit, else the end of the name, which distinguishes classes."""
    name = label.rpartition(".")[2]
    for words in (f"{label}  {detail}", f"{name}  {detail}", name):
        if cut(words, width) == words:
            return words
    return cut(name, width)


def _rest(area: Area, weight: float) -> tuple[Area, ...]:
    if weight <= 0:
        return ()
    return (Area(label="", detail=area.rest, weight=weight, kind=area.kind),)


def squarified(weights: Sequence[float], space: Rectangle) -> list[Rectangle]:
    """A rectangle (left, top, width, height) for each weight, largest first, that fill the space."""
    left, top, width, height = space
    total = sum(weights)
    if not weights or total <= 0 or width <= 0 or height <= 0:
        return [(left, top, 0.0, 0.0) for _ in weights]
    scale = width * height / total
    areas = [weight * scale for weight in weights]
    found: list[Rectangle] = []
    start = 0
    while start < len(areas):
        side = min(width, height)
        end = start + 1
        while end < len(areas) and _worst(areas[start : end + 1], side) <= _worst(areas[start:end], side):
            end += 1
        row = areas[start:end]
        depth = sum(row) / side if side > 0 else 0.0
        at = 0.0
        for area in row:
            length = area / depth if depth > 0 else 0.0
            if width >= height:
                found.append((left, top + at, depth, length))
            else:
                found.append((left + at, top, length, depth))
            at += length
        if width >= height:
            left, width = left + depth, max(width - depth, 0.0)
        else:
            top, height = top + depth, max(height - depth, 0.0)
        start = end
    return found


def _worst(row: Sequence[float], side: float) -> float:
    """The largest ratio of sides in a row along a side."""
    total = sum(row)
    if total <= 0 or side <= 0:
        return float("inf")
    return max(side * side * max(row) / (total * total), total * total / (side * side * min(row)))
