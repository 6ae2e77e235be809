"""All evidence of an incident on one time axis: heap dump, thread dumps, events of logs, pauses of collections."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from mqdiag.facts import LogsFacts
from mqdiag.facts.recordings import Recording
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.figures.event_series import Series, Step, event_series, steps, time_range
from mqdiag.render.parts import AnyPart, Figure, Section, Words
from mqdiag.render.tables import Tables
from mqdiag.text import Text, say

TABLES = Tables("evidence_times")

_MOMENT = 0
"""seconds: a dump is of one moment"""
_YEAR_S = 366 * 86_400
"""longer than anything that is cut to its end"""
_MOST_KINDS = 12
"""kinds of log events, the most frequent first"""


class _Line(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of evidence and when it is of."""

    label: Words
    steps: list[Step]
    """in order of time"""
    first: str
    last: str
    total: Text
    kind: str = "bar"

    @property
    def zoned(self) -> bool:
        """Whether its times say which instants they are."""
        return self.steps[0].begin.tzinfo is not None


def evidence_times_section(report: Report, view: View) -> Iterator[Section]:
    """The picture where two lines or more share a clock, and the table of all lines."""
    lines = [line for line in _lines(report) if line.steps]
    if len(lines) < 2:
        return
    parts: list[AnyPart] = [*_picture(lines), TABLES.table("times", lines)]
    yield Section(name="times", title=say("When the evidence is of"), short_title=say("Times"), parts=parts)


def _lines(report: Report) -> Iterator[_Line]:
    if report.heap is not None and report.heap.captured_at:
        yield _Line(
            label=say("heap dump"),
            steps=steps([(report.heap.captured_at, 1)], _MOMENT),
            first=report.heap.captured_at,
            last=report.heap.captured_at,
            total=say("1"),
            kind="bar-2",
        )
    samples = () if report.stacks is None else report.stacks.series
    zoned = [one.captured_at for one in samples if one.captured_at]
    taken = zoned or [one.captured_local for one in samples if one.captured_local]
    if taken:
        yield _Line(
            label=say("thread dumps"),
            steps=steps(((when, 1) for when in taken), _MOMENT),
            first=taken[0],
            last=taken[-1],
            total=say("{samples:count}", samples=len(taken)),
            kind="bar-2",
        )
    for recording in () if report.recordings is None else report.recordings.recordings:
        yield from _recording_lines(recording)
    if report.logs is not None:
        yield from _log_lines(report.logs)


def _recording_lines(recording: Recording) -> Iterator[_Line]:
    yield _Line(
        label=say("flight recording"),
        steps=steps([(recording.began_at, 1)], recording.seconds),
        first=recording.began_at,
        last=recording.ended_at,
        total=say("{seconds:seconds}", seconds=recording.seconds),
        kind="bar-2",
    )
    hangs = sorted(one.began_before for one in recording.standstills if one.began_before)
    if hangs:
        yield _Line(
            label=say("calls that do not end"),
            # each reaches to the recording's end
            steps=steps([(hangs[0], 1)], _YEAR_S, hangs[0], recording.ended_at),
            first=hangs[0],
            last=recording.ended_at,
            total=say("{calls:count}", calls=sum(len(one.threads) for one in recording.standstills)),
            kind="stuck",
        )
    pauses = sorted((one.at, one.ms) for one in recording.pauses)
    if pauses:
        yield _Line(
            label=say("longest pauses of all threads"),
            steps=steps(pauses, _MOMENT),
            first=pauses[0][0],
            last=pauses[-1][0],
            total=say("{pauses:count}", pauses=len(pauses)),
            kind="stuck",
        )


def _log_lines(logs: LogsFacts) -> Iterator[_Line]:
    for event in [event for event in logs.events if event.series][:_MOST_KINDS]:
        yield _Line(
            label=event.kind,
            steps=steps(
                ((point.at, point.count) for point in event.series),
                60 * event.step_minutes,
                event.first,
                event.last,
            ),
            first=event.first or event.series[0].at,
            last=event.last or event.series[-1].at,
            total=say("{lines:count} {lines:line|lines}", lines=event.count),
        )
    for log in logs.gc:
        if log.series:
            yield _Line(
                label=say("pauses of collections"),
                steps=steps(((point.at, point.pause_ms) for point in log.series), 60 * log.step_minutes),
                first=log.series[0].at,
                last=log.series[-1].at,
                total=say("{pause_ms:ms}", pause_ms=log.pause_ms),
                kind="stuck",
            )


_NOT_LOCAL = say(
    "The picture lacks {lines:and}: their times are told with a time zone, and those of the rows without one,"
    " so it is unknown what came first. The table has both."
)
_NOT_ZONED = say(
    "The picture lacks {lines:and}: their times are told without a time zone, and those of the rows with one,"
    " so it is unknown what came first. The table has both."
)


def _picture(lines: list[_Line]) -> Iterator[Figure]:
    """The lines of the clock that most of them have: a time without a zone cannot be set beside one with a zone."""
    zoned = [line for line in lines if line.zoned]
    local = [line for line in lines if not line.zoned]
    drawn, left_out = (zoned, local) if len(zoned) > len(local) else (local, zoned)
    if len(drawn) < 2:
        return
    series = [
        Series(
            label=line.label,
            steps=line.steps,
            total=line.total,
            kind=line.kind,
        )
        for line in drawn
    ]
    caption = say(
        "What happened when. The highest bar of a row is as high as that of any other row: compare times between rows,"
        " and heights within a row."
    )
    if left_out:
        missing = _NOT_LOCAL if drawn is local else _NOT_ZONED
        caption = say(
            "{caption} {missing}",
            caption=caption,
            missing=missing.filled({"lines": tuple(line.label for line in left_out)}),
        )
    begin, end = time_range(series)
    first, last = say("{begin:time}", begin=begin), say("{end:time}", end=end)
    title = say("Evidence from {first} to {last}", first=first, last=last)
    yield Figure(draw=lambda write: event_series(write, title, series), caption=caption)
