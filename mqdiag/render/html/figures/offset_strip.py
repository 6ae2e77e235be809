"""Queues as strips of offsets: what is held, where the gaps are, and the message at the head that holds all up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from mqdiag.render.html.figures.svg import WIDTH, box, cut, element, picture, text
from mqdiag.text import say

_ROW, _NAME, _RIGHT = 46, 260, 20


@dataclass(frozen=True, kw_only=True)
class Strip:
    """One queue."""

    label: str
    runs: Sequence[tuple[int, int]]
    """offsets held, first and last of each run"""
    commit: int | None
    head_text: str = ""
    """what the message at the head is, when it stands still"""


def offset_strips(title: str, strips: Sequence[Strip]) -> Markup:
    """The picture: each strip on its own scale, from its lowest offset to its highest."""
    parts: list[Markup] = []
    room = WIDTH - _NAME - _RIGHT
    for place, strip in enumerate(strips):
        top = 8 + place * _ROW
        first, last = strip.runs[0][0], strip.runs[-1][1]
        scale = room / max(last - first + 1, 1)
        parts.append(text(_NAME - 8, top + 14, cut(strip.label, _NAME - 16), anchor="end"))
        parts.append(
            box(
                _NAME,
                top,
                room,
                18,
                "card",
                say("offsets {first} to {last}; white is finished or not here", first=first, last=last),
            )
        )
        for low, high in strip.runs:
            width = max((high - low + 1) * scale, 2.0)
            at = min(_NAME + (low - first) * scale, _NAME + room - width)
            parts.append(
                box(
                    at,
                    top,
                    width,
                    18,
                    "bar",
                    say(
                        "offsets {low} to {high}, {high_2} messages held",
                        low=low,
                        high=high,
                        high_2=high - low + 1,
                    ),
                )
            )
        parts.append(text(_NAME, top + 32, str(first), kind="soft"))
        parts.append(text(_NAME + room, top + 32, str(last), kind="soft", anchor="end"))
        if strip.head_text:
            parts.append(box(_NAME, top - 2, max(scale, 4.0), 22, "stuck", strip.head_text))
            words = cut(strip.head_text, room - 220)
            parts.append(text(_NAME + room / 2, top + 32, words, anchor="middle"))
        if strip.commit is not None and first <= strip.commit <= last:
            at = _NAME + (strip.commit - first) * scale
            parts.append(element("path", d=f"M{at:.1f} {top - 4}v26", class_="flow", stroke_width=2))
    return picture(title, 12 + len(strips) * _ROW, *parts)
