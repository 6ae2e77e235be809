"""What logs tell over time: one line of bars for each subject, on one time axis, each against its own largest step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

import msgspec
from markupsafe import Markup

from mqdiag.language import Writer
from mqdiag.render.figures.svg import WIDTH, box, cut, picture, text
from mqdiag.render.parts import Words
from mqdiag.text import quantity, say

_ROW, _NAME, _TEXT = 44, 240, 110
_NARROWEST = 2
"""a bar that is narrower is not seen"""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """An amount, and the time that it is of."""

    begin: datetime
    end: datetime
    amount: float
    at: str
    """the step's begin, as the report has it"""


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """One line of bars: a kind of event, or one log."""

    label: Words
    steps: Sequence[Step]
    total: Words
    unit: str = "count"
    """how the amounts are written (see `mqdiag.text`)"""
    kind: str = "bar"


def steps(
    amounts: Iterable[tuple[str, float]], seconds: float, first: str | None = None, last: str | None = None
) -> list[Step]:
    """The steps of a series; those whose time cannot be read are left out, as a saved report may hold anything.

    Args:
        amounts: RFC 3339 time and amount of each step.
        seconds: how long a step is.
        first: the first moment of the whole series, where it is known: no step begins before it.
        last: the last moment, likewise.
    """
    earliest, latest = moment(first), moment(last)
    made = []
    for at, amount in amounts:
        begin = moment(at)
        if begin is None:
            continue
        try:
            end = begin + timedelta(seconds=seconds)
            if earliest is not None:
                begin = min(max(begin, earliest), end)
            if latest is not None:
                end = max(min(end, latest), begin)
            datetime.timestamp(begin)
            datetime.timestamp(end)
        except (TypeError, ValueError, OverflowError):
            # Beside times of another kind, or outside of what a clock counts, it has no place on the axis.
            continue
        made.append(Step(begin=begin, end=end, amount=amount, at=at))
    return made


def moment(time: str | None) -> datetime | None:
    """None for no time, and for what is none."""
    try:
        return None if time is None else datetime.fromisoformat(time)
    except ValueError:
        return None


def time_range(series: Sequence[Series]) -> tuple[str, str]:
    """The first and the last moment, where the axis begins and ends."""
    begin = min((step.begin for one in series for step in one.steps), key=datetime.timestamp)
    end = max((step.end for one in series for step in one.steps), key=datetime.timestamp)
    return begin.isoformat(), end.isoformat()


def event_series(write: Writer, title: Words, series: Sequence[Series]) -> Markup:
    """The picture; the first and the last moment stand at the ends of the axis."""
    from_text, to_text = time_range(series)
    first, last = (datetime.fromisoformat(time).timestamp() for time in (from_text, to_text))
    length = WIDTH - _NAME - _TEXT
    scale = length / max(last - first, 1.0)
    parts: list[Markup] = []
    for line, one in enumerate(series):
        top = 8 + line * _ROW
        most = max(step.amount for step in one.steps) or 1
        parts.append(text(_NAME - 8, top + 24, cut(write(one.label), _NAME - 16), anchor="end"))
        parts.append(box(_NAME, top + _ROW - 9, length, 1, "rest"))
        for step in one.steps:
            if step.amount <= 0:
                continue
            height = max((_ROW - 12) * step.amount / most, 1.5)
            begin, end = step.begin.timestamp(), step.end.timestamp()
            width = max((end - begin) * scale - 1, _NARROWEST)
            left = min(_NAME + (begin - first) * scale, _NAME + length - width)
            hint = say(
                "{label}: {amount} at {when:time}",
                label=one.label,
                amount=quantity(step.amount, one.unit),
                when=step.at,
            )
            parts.append(box(left, top + _ROW - 9 - height, width, height, one.kind, write(hint)))
        parts.append(text(_NAME + length + 8, top + 24, write(one.total)))
    height = 8 + len(series) * _ROW
    ends = write(say("{first:time}", first=from_text)), write(say("{last:time}", last=to_text))
    parts.append(text(_NAME, height + 12, ends[0], kind="soft"))
    parts.append(text(_NAME + length, height + 12, ends[1], kind="soft", anchor="end"))
    return picture(write(title), height + 22, *parts)
