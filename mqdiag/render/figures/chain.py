"""Boxes one below the other, each following from the one above."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import msgspec
from markupsafe import Markup

from mqdiag.language import Writer
from mqdiag.render.figures.svg import CHARACTER, WIDTH, begin, box, element, picture, text
from mqdiag.render.parts import Words
from mqdiag.render.wording.safe import safe
from mqdiag.text import say

_GAP, _LINE, _LEFT = 44, 18, 120
_MOST_LINES = 4


class ChainLink(msgspec.Struct, frozen=True, kw_only=True):
    """One box."""

    says: Words
    word: Words
    """how it follows from the box above"""
    tied_by: Sequence[Words]
    """what it has in common with the box above"""
    seen_in: Sequence[Words]


def chain(write: Writer, title: Words, links: Sequence[ChainLink]) -> Markup:
    """The picture."""
    width = WIDTH - 2 * _LEFT
    parts: list[Markup] = []
    top = 8.0
    for place, link in enumerate(links):
        if place:
            way = f"M{WIDTH / 2} {top}v{_GAP - 8}m-5 -7l5 7l5 -7"
            parts.append(element("path", d=way, class_="flow", stroke_width=1.5))
            how = link.word
            if link.tied_by:
                how = say("{word} (the same {tied_by})", word=link.word, tied_by=tuple(link.tied_by))
            parts.append(
                text(WIDTH / 2 + 14, top + _GAP / 2 + 2, begin(write(how), _LEFT + width / 2 - 24), kind="soft")
            )
            top += _GAP
        says = write(link.says)
        lines = textwrap.wrap(safe(says, limit=400), int((width - 24) / CHARACTER))[:_MOST_LINES]
        height = (len(lines) + bool(link.seen_in)) * _LINE + 14
        parts.append(box(_LEFT, top, width, height, "card", says, 6))
        for line, words in enumerate(lines):
            parts.append(text(_LEFT + 12, top + 20 + line * _LINE, words))
        if link.seen_in:
            parts.append(
                text(
                    _LEFT + 12,
                    top + 20 + len(lines) * _LINE,
                    write(say("seen in {seen_in:and}", seen_in=tuple(link.seen_in))),
                    kind="soft",
                )
            )
        top += height
    return picture(write(title), top + 10, *parts)
