"""What logs tell over time: one line of bars for each subject, on one time axis, each against its own largest step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec
from markupsafe import Markup

from mqdiag.language import Writer
from mqdiag.render.figures.svg import WIDTH, box, cut, picture, text
from mqdiag.render.parts import Words
from mqdiag.text import quantity, say

_ROW, _NAME, _TEXT = 44, 240, 110


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """One line of bars: a kind of event, or one log."""

    label: Words
    points: Sequence[tuple[float, float, str]]
    """(seconds, amount, time as text) of each step"""
    step_seconds: float
    total: Words
    unit: str = "count"
    """how the amounts are written (see `mqdiag.text`)"""
    kind: str = "bar"


def dated(amounts: Iterable[tuple[str, float]]) -> list[tuple[float, float, str]]:
    """The points of a series; those whose time cannot be read are left out, as a saved report may hold anything.

    Args:
        amounts: RFC 3339 time and amount of each step.
    """
    points = []
    for when, amount in amounts:
        try:
            points.append((datetime.fromisoformat(when).timestamp(), amount, when))
        except (ValueError, OverflowError):
            continue
    return points


def event_series(
    write: Writer, title: Words, series: Sequence[Series], from_text: Words, to_text: Words
) -> Markup:
    """The picture; the texts stand at the ends of the axis."""
    first = min(point[0] for one in series for point in one.points)
    last = max(point[0] + one.step_seconds for one in series for point in one.points)
    length = WIDTH - _NAME - _TEXT
    scale = length / max(last - first, 1.0)
    parts: list[Markup] = []
    for line, one in enumerate(series):
        top = 8 + line * _ROW
        most = max(point[1] for point in one.points) or 1
        parts.append(text(_NAME - 8, top + 24, cut(write(one.label), _NAME - 16), anchor="end"))
        parts.append(box(_NAME, top + _ROW - 9, length, 1, "rest"))
        for at, amount, when in one.points:
            if amount <= 0:
                continue
            height = max((_ROW - 12) * amount / most, 1.5)
            width = max(one.step_seconds * scale - 0.3, 1.2)
            hint = write(
                say(
                    "{label}: {amount} at {when:time}",
                    label=one.label,
                    amount=quantity(amount, one.unit),
                    when=when,
                )
            )
            parts.append(
                box(_NAME + (at - first) * scale, top + _ROW - 9 - height, width, height, one.kind, hint)
            )
        parts.append(text(_NAME + length + 8, top + 24, write(one.total)))
    height = 8 + len(series) * _ROW
    parts.append(text(_NAME, height + 12, write(from_text), kind="soft"))
    parts.append(text(_NAME + length, height + 12, write(to_text), kind="soft", anchor="end"))
    return picture(write(title), height + 22, *parts)
