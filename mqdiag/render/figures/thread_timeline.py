"""Threads down, samples across: where each stood, with a letter in each cell so that no colour is needed."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from markupsafe import Markup

from mqdiag.language import Writer
from mqdiag.render.figures.svg import WIDTH, box, cut, picture, text
from mqdiag.render.parts import Words
from mqdiag.render.wording.words import word
from mqdiag.text import say

_ROW, _NAME, _STATE = 22, 300, 110
LETTERS = {"stuck": "S", "blocked": "B", "progressing": "P", "idle": "i", "unknown": "?"}


class TimelineRow(msgspec.Struct, frozen=True, kw_only=True):
    """One thread."""

    name: str
    state: str
    """stuck, blocked, progressing, idle or unknown"""
    tops: Sequence[str | None]
    """the top frame of each sample; None where the thread is not there"""
    states: Sequence[str]
    """Thread.State of each sample"""
    same: Sequence[bool]
    """whether the top frame is that of the sample before"""


def thread_timeline(write: Writer, title: Words, heads: Sequence[Words], rows: Sequence[TimelineRow]) -> Markup:
    """The picture; `heads` name the samples."""
    width = (WIDTH - _NAME - _STATE) / max(len(heads), 1)
    parts: list[Markup] = []
    step = max(1, round(60 / width)) if width < 60 else 1
    for place, head in enumerate(heads):
        if place % step == 0:
            parts.append(text(_NAME + place * width + 4, 16, cut(write(head), width * step - 6), kind="soft"))
    for line, row in enumerate(rows):
        top = 24 + line * _ROW
        parts.append(text(_NAME - 8, top + 14, cut(row.name, _NAME - 16), anchor="end"))
        for place, (frame, state, same) in enumerate(zip(row.tops, row.states, row.same, strict=True)):
            if frame is None and state == "ABSENT":
                continue
            at = _NAME + place * width
            where = say("{name}, {sample}: {state}", name=row.name, sample=heads[place], state=word(state))
            hint = where if frame is None else say("{where} at {frame}", where=where, frame=frame)
            joined = 0 if same else 1.5
            parts.append(box(at + joined, top + 2, width - joined, _ROW - 4, row.state, write(hint)))
            if width >= 12 and not same:
                parts.append(text(at + 5, top + 15, LETTERS.get(row.state, "?"), kind="on"))
        parts.append(text(WIDTH - _STATE + 8, top + 14, write(word(row.state))))
    return picture(write(title), 32 + len(rows) * _ROW, *parts)
