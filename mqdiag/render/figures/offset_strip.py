"""Queues as strips of offsets: what is held, where the gaps are, and the message at the head that blocks the rest."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from markupsafe import Markup

from mqdiag.language import Writer
from mqdiag.render.figures.svg import WIDTH, box, cut, element, picture, text
from mqdiag.render.parts import Words
from mqdiag.text import NOTHING, say

_ROW, _NAME, _RIGHT = 46, 260, 20


class Strip(msgspec.Struct, frozen=True, kw_only=True):
    """One queue."""

    label: Words
    runs: Sequence[tuple[int, int]]
    """offsets held, first and last of each run"""
    commit: int | None
    head: Words = NOTHING
    """what the message at the head is, when a listener has it in hand"""


def offset_strips(write: Writer, title: Words, strips: Sequence[Strip]) -> Markup:
    """The picture: each strip on its own scale, from its lowest offset to its highest."""
    parts: list[Markup] = []
    length = WIDTH - _NAME - _RIGHT
    for place, strip in enumerate(strips):
        top = 8 + place * _ROW
        first, last = strip.runs[0][0], strip.runs[-1][1]
        scale = length / max(last - first + 1, 1)
        parts.append(text(_NAME - 8, top + 14, cut(write(strip.label), _NAME - 16), anchor="end"))
        parts.append(
            box(
                _NAME,
                top,
                length,
                18,
                "card",
                write(say("offsets {first} to {last}; white is finished or not here", first=first, last=last)),
            )
        )
        for low, high in strip.runs:
            width = max((high - low + 1) * scale, 2.0)
            at = min(_NAME + (low - first) * scale, _NAME + length - width)
            parts.append(
                box(
                    at,
                    top,
                    width,
                    18,
                    "bar",
                    write(
                        say(
                            "offsets {low} to {high}, {messages:count} {messages:message|messages} held",
                            low=low,
                            high=high,
                            messages=high - low + 1,
                        )
                    ),
                )
            )
        parts.append(text(_NAME, top + 32, str(first), kind="soft"))
        parts.append(text(_NAME + length, top + 32, str(last), kind="soft", anchor="end"))
        if strip.head:
            head = write(strip.head)
            parts.append(box(_NAME, top - 2, max(scale, 4.0), 22, "stuck", head))
            words = cut(head, length - 220)
            parts.append(text(_NAME + length / 2, top + 32, words, anchor="middle"))
        if strip.commit is not None and first <= strip.commit <= last:
            at = _NAME + (strip.commit - first) * scale
            parts.append(element("path", d=f"M{at:.1f} {top - 4}v26", class_="flow", stroke_width=2))
    return picture(write(title), 12 + len(strips) * _ROW, *parts)
