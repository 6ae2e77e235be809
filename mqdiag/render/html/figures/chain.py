"""Boxes one below the other, each following from the one above."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from mqdiag.render.html.figures.svg import CHARACTER, WIDTH, begin, box, element, picture, text
from mqdiag.render.wording.safe import safe
from mqdiag.text import say

_GAP, _LINE, _LEFT = 44, 18, 120
_MOST_LINES = 4


@dataclass(frozen=True, kw_only=True)
class ChainLink:
    """One box."""

    says: str
    word: str
    """how it follows from the box above"""
    tied_by: str
    seen_in: str


def chain(title: str, links: Sequence[ChainLink]) -> Markup:
    """The picture."""
    width = WIDTH - 2 * _LEFT
    parts: list[Markup] = []
    top = 8.0
    for place, link in enumerate(links):
        if place:
            way = f"M{WIDTH / 2} {top}v{_GAP - 8}m-5 -7l5 7l5 -7"
            parts.append(element("path", d=way, class_="flow", stroke_width=1.5))
            told = link.word + (say(" (the same {tied_by})", tied_by=link.tied_by) if link.tied_by else "")
            parts.append(
                text(WIDTH / 2 + 14, top + _GAP / 2 + 2, begin(told, _LEFT + width / 2 - 24), kind="soft")
            )
            top += _GAP
        lines = textwrap.wrap(safe(link.says, limit=400), int((width - 24) / CHARACTER))[:_MOST_LINES]
        height = (len(lines) + bool(link.seen_in)) * _LINE + 14
        parts.append(box(_LEFT, top, width, height, "card", link.says, 6))
        for line, words in enumerate(lines):
            parts.append(text(_LEFT + 12, top + 20 + line * _LINE, words))
        if link.seen_in:
            parts.append(
                text(
                    _LEFT + 12,
                    top + 20 + len(lines) * _LINE,
                    say("seen in {seen_in}", seen_in=link.seen_in),
                    kind="soft",
                )
            )
        top += height
    return picture(title, top + 10, *parts)
