"""Time and memory against the number of objects, as one SVG with two panels; both axes are logarithmic."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol
from xml.sax.saxutils import escape

_WIDTH, _HEIGHT = 400, 300
_LEFT, _TOP, _BETWEEN, _BELOW = 60, 40, 90, 90
_COLOURS = ("#0b6e99", "#d9730d", "#0f7b6c", "#ad1a72", "#787774", "#64473a")


class Measured(Protocol):
    """What a point is drawn from."""

    @property
    def objects(self) -> int | None: ...
    @property
    def program(self) -> str: ...
    @property
    def wall_s(self) -> float: ...
    @property
    def anonymous_bytes(self) -> int: ...


def picture(figures: Iterable[Measured]) -> str:
    """The SVG; figures of dumps of an unknown number of objects are left out."""
    shown = [figure for figure in figures if figure.objects]
    programs = list(dict.fromkeys(figure.program for figure in shown))
    width = _LEFT + 2 * _WIDTH + _BETWEEN + 20
    height = _TOP + _HEIGHT + _BELOW
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif"'
        ' font-size="12">',
        "<title>Time and anonymous memory against the number of objects</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        *_panel(_LEFT, "seconds", shown, programs, lambda figure: figure.wall_s),
        *_panel(
            _LEFT + _WIDTH + _BETWEEN,
            "MB of anonymous memory",
            shown,
            programs,
            lambda figure: figure.anonymous_bytes / 1e6,
        ),
    ]
    for at, program in enumerate(programs):
        x, y = _LEFT + 220 * (at % 4), _TOP + _HEIGHT + 55 + 20 * (at // 4)
        colour = _COLOURS[at % len(_COLOURS)]
        parts.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{colour}"/>')
        parts.append(f'<text x="{x + 16}" y="{y}">{escape(program)}</text>')
    return "\n".join((*parts, "</svg>")) + "\n"


def _panel(
    left: int,
    title: str,
    figures: Sequence[Measured],
    programs: Sequence[str],
    value: Callable[[Measured], float],
) -> list[str]:
    parts = [
        f'<text x="{left}" y="{_TOP - 15}" font-weight="bold">{title}</text>',
        f'<rect x="{left}" y="{_TOP}" width="{_WIDTH}" height="{_HEIGHT}" fill="none" stroke="#bbb"/>',
    ]
    if not figures:
        return parts
    across = _Scale([float(figure.objects or 1) / 1e6 for figure in figures], left, left + _WIDTH)
    up = _Scale([value(figure) for figure in figures], _TOP + _HEIGHT, _TOP)
    for number in up.ticks():
        y = up.place(number)
        parts.append(f'<line x1="{left}" y1="{y:.1f}" x2="{left + _WIDTH}" y2="{y:.1f}" stroke="#eee"/>')
        parts.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{number:,g}</text>')
    for number in sorted({float(figure.objects or 1) / 1e6 for figure in figures}):
        x = across.place(number)
        parts.append(f'<text x="{x:.1f}" y="{_TOP + _HEIGHT + 16}" text-anchor="middle">{number:g}</text>')
    parts.append(f'<text x="{left}" y="{_TOP + _HEIGHT + 33}">million objects</text>')
    for at, program in enumerate(programs):
        points = sorted((float(f.objects or 1) / 1e6, value(f)) for f in figures if f.program == program)
        places = [(across.place(x), up.place(y)) for x, y in points]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        colour = _COLOURS[at % len(_COLOURS)]
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
    return parts


class _Scale:
    """A logarithmic axis over whole powers of ten."""

    def __init__(self, values: Sequence[float], begin: float, end: float) -> None:
        positive = [max(value, 0.01) for value in values]
        self._low = math.floor(math.log10(min(positive)))
        self._high = max(math.ceil(math.log10(max(positive))), self._low + 1)
        self._begin, self._end = begin, end

    def place(self, value: float) -> float:
        """Pixels."""
        share = (math.log10(max(value, 0.01)) - self._low) / (self._high - self._low)
        return self._begin + share * (self._end - self._begin)

    def ticks(self) -> list[float]:
        """Powers of ten."""
        return [10.0**power for power in range(self._low, self._high + 1)]
