"""Who waits for whom: a lock in the middle, its owner to the right, those who wait to the left."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from markupsafe import Markup

from mqdiag.language import Writer
from mqdiag.render.figures.svg import WIDTH, box, cut, element, picture, text
from mqdiag.render.parts import Words
from mqdiag.text import say

_ROW, _SIDE, _MOST_WAITERS = 30, 300, 6


class LockNode(msgspec.Struct, frozen=True, kw_only=True):
    """One lock."""

    lock: Words
    owner: Words
    owner_does: Words
    waiters: Sequence[Words]


def lock_graph(write: Writer, title: Words, locks: Sequence[LockNode]) -> Markup:
    """The picture, one lock below the other."""
    parts: list[Markup] = [
        element(
            "defs",
            element(
                "marker",
                element("path", d="M0 0L8 4L0 8z", class_="soft"),
                id="arrow",
                markerWidth=8,
                markerHeight=8,
                refX=8,
                refY=4,
                orient="auto",
            ),
        )
    ]
    top = 10.0
    for lock in locks:
        shown = [write(waiter) for waiter in lock.waiters[:_MOST_WAITERS]]
        hidden = len(lock.waiters) - len(shown)
        if hidden:
            shown.append(write(say("and {hidden:count} more", hidden=hidden)))
        height = max(len(shown), 1) * _ROW
        middle = top + height / 2
        for line, waiter in enumerate(shown):
            at = top + line * _ROW
            parts.append(_box(8, at + 2, _SIDE, _ROW - 6, waiter, waiter))
            parts.append(_arrow(8 + _SIDE, at + _ROW / 2 - 1, 350, middle))
        parts.append(
            _box(352, middle - 13, 250, 26, write(lock.lock), write(say("lock {lock}", lock=lock.lock)))
        )
        parts.append(_arrow(602, middle, 650, middle))
        holds = say("held by {owner}", owner=lock.owner)
        if lock.owner_does:
            holds = say("held by {owner} ({does})", owner=lock.owner, does=lock.owner_does)
        parts.append(
            _box(
                652,
                middle - 13,
                _SIDE,
                26,
                write(lock.owner),
                write(holds),
                "stuck",
            )
        )
        if lock.owner_does:
            parts.append(text(652, middle + 27, cut(write(lock.owner_does), _SIDE), kind="soft"))
        top += height + 28
    return picture(write(title), top, *parts, width=WIDTH)


def _box(
    left: float, top: float, width: float, height: float, words: str, hint: str, kind: str = "card"
) -> Markup:
    colour = "on" if kind != "card" else ""
    return element(
        "g",
        box(left, top, width, height, kind, hint, 4),
        text(left + 8, top + height / 2 + 4, cut(words, width - 16), kind=colour),
    )


def _arrow(from_x: float, from_y: float, to_x: float, to_y: float) -> Markup:
    bend = (from_x + to_x) / 2
    way = f"M{from_x:.1f} {from_y:.1f}C{bend:.1f} {from_y:.1f} {bend:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}"
    return element("path", d=way, class_="flow", marker_end="url(#arrow)")
