"""GC logs: collections, and the pauses of the JVM's safepoints."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.collector_logs import GcFacts, SafepointPauses
from mqdiag.facts.logs import LogsFacts
from mqdiag.facts.ratios import ratio
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.figures.event_series import Series, event_series, steps, time_range
from mqdiag.render.parts import AnyPart, Bullets, Figure, Section
from mqdiag.render.tables import Tables
from mqdiag.render.wording.short_paths import shared_folder
from mqdiag.text import Text, quantity, say

TABLES = Tables("gc_logs")

_OPERATIONS = 5


def gc_logs_section(report: Report, view: View) -> Iterator[Section]:
    """One section for collections, one for safepoints."""
    logs = report.logs
    if logs is None:
        return
    if logs.gc:
        yield Section(name="gc", title=say("Garbage collections"), parts=[*_collections(logs)])
    if logs.safepoints:
        yield Section(name="safepoints", title=say("Safepoints"), parts=[*_safepoints(logs)])


def _collections(logs: LogsFacts) -> Iterator[AnyPart]:
    cut = _folder_length(logs)
    yield TABLES.table("gc", logs.gc, log=lambda one: one.path[cut:], of_the_time=_of_the_time)
    series = [*_series(logs.gc, cut)]
    if series:
        yield _figure(series)
    runs = [_futile(gc, gc.path[cut:]) for gc in logs.gc if gc.futile_run is not None]
    if runs:
        yield Bullets(runs)


def _of_the_time(gc: GcFacts) -> float | None:
    """Lines of several JVMs in one log may tell of more pauses than the time that they span."""
    share = None if gc.seconds is None else ratio(gc.pause_ms / 1000, gc.seconds)
    return None if share is None else min(share, 1.0)


def _series(gc_logs: tuple[GcFacts, ...], cut: int) -> Iterator[Series]:
    for gc in gc_logs:
        made = steps(((pause.at, pause.pause_ms) for pause in gc.series), 60.0 * gc.step_minutes)
        if made:
            yield Series(
                label=gc.path[cut:],
                steps=made,
                total=quantity(gc.pause_ms, "ms"),
                unit="ms",
            )


def _figure(series: list[Series]) -> Figure:
    first, last = time_range(series)
    title = say("Pauses of the collector from {first:time} to {last:time}", first=first, last=last)
    return Figure(
        draw=lambda write: event_series(write, title, series),
        caption=say("Pauses over time, each log against its own longest step; the table has the sums."),
    )


def _futile(gc: GcFacts, name: str) -> Text:
    run = gc.futile_run
    assert run is not None
    text = say(
        "{name}: {full:count} full {full:collection|collections} in {seconds:seconds} freed"
        " {freed_share:percent} of the heap each, on average; pauses took {pause_share:percent} of that time",
        run,
        name=name,
    )
    return text if run.at is None else say("{text}, from {at:time}", text=text, at=run.at)


def _safepoints(logs: LogsFacts) -> Iterator[AnyPart]:
    cut = _folder_length(logs)
    yield TABLES.table("safepoints", logs.safepoints, log=lambda one: one.path[cut:])
    lines = [_operations(pauses, pauses.path[cut:]) for pauses in logs.safepoints if pauses.operations]
    if lines:
        yield Bullets(lines)


def _operations(pauses: SafepointPauses, name: str) -> Text:
    """What the pauses were for."""
    most = tuple(
        say("{operation} {took_ms:ms}", operation=operation, took_ms=took)
        for operation, took in list(pauses.operations.items())[:_OPERATIONS]
    )
    told = say("{name}: {most}", name=name, most=most)
    hidden = len(pauses.operations) - len(most)
    return say("{told} and {hidden:count} more", told=told, hidden=hidden) if hidden else told


def _folder_length(logs: LogsFacts) -> int:
    """Characters that the paths of all logs begin with."""
    return len(shared_folder([file.path for file in logs.files]))
