"""Rows of pauses: what collections and safepoints took."""

from __future__ import annotations

from mqdiag.facts.collector_logs import GcFacts, GcPause, GcRun, SafepointPauses
from mqdiag.facts.logs import MOST_POINTS
from mqdiag.logs.collection_rows import Run
from mqdiag.logs.collections import RUN_GAP_S, GcTally
from mqdiag.logs.reader import ReadLog
from mqdiag.logs.tally import MINUTE_MS
from mqdiag.logs.zones import Zone

FEWEST_RISES = 5


def gc_row(log: ReadLog, zone: Zone) -> GcFacts:
    """One log's collections."""
    gc = log.tally.gc
    step, points = _steps(gc)
    worst = max(gc.minutes.items(), key=lambda item: item[1], default=None)
    quiet_s = _quiet_seconds(log)
    open_run = gc.run if quiet_s <= RUN_GAP_S else None
    seconds = _seconds(log)
    return GcFacts(
        path=log.path,
        format=gc.form or "unified",
        collections=gc.collections,
        unread=gc.unread,
        full=gc.full,
        full_for_room=gc.full_for_room,
        pause_ms=round(gc.pause_ms, 3),
        longest_pause_ms=round(gc.longest_ms, 3),
        seconds=None if seconds is None else round(seconds, 3),
        worst_share=None if worst is None or gc.step > 1 else _worst_share(gc, worst[1], seconds),
        worst_at=None if worst is None else zone.shown(worst[0] * MINUTE_MS * gc.step),
        futile_run=None if gc.worst_run is None else _run_row(gc.worst_run, zone),
        open_run=None if open_run is None else _run_row(open_run, zone, quiet_s),
        heap_bytes=gc.heap,
        heap_after_bytes=gc.after_full if gc.after_full is not None else gc.after_any,
        used_share=None if gc.room.used_share is None else round(gc.room.used_share, 4),
        filled=gc.room.filled,
        old_filled=gc.room.old_filled,
        seconds_to_full=_seconds_to_full(gc),
        to_space_exhausted=gc.to_space_exhausted,
        allocation_stalls=gc.stalls,
        asked=gc.asked,
        asked_pause_ms=round(gc.asked_pause_ms, 3),
        jumped_s=None if gc.jumped is None else gc.jumped[0],
        jumped_at=None if gc.jumped is None else zone.shown(gc.jumped[1]),
        step_minutes=step,
        series=tuple(
            GcPause(
                at=zone.shown(at) or "",
                pause_ms=round(pause_ms, 3),
            )
            for at, pause_ms in points
        ),
    )


def _run_row(run: Run, zone: Zone, quiet_s: float = 0.0) -> GcRun:
    seconds = run.seconds + quiet_s
    return GcRun(
        at=zone.shown(run.at),
        seconds=round(seconds, 3),
        full=run.full,
        for_room=run.for_room,
        old_full=run.old_full,
        pause_share=round(min(run.pause_ms / 1000 / seconds, 1.0), 4) if seconds > 0 else 1.0,
        freed_share=round(run.freed / run.full, 4),
        asked=run.asked,
    )


def _seconds_to_full(gc: GcTally) -> float | None:
    """At the pace of the last collections, where enough of them each left more than the one before."""
    room = gc.room
    if room.rises < FEWEST_RISES or room.since_s is None or gc.last_s is None or room.used_share is None:
        return None
    return round((1.0 - room.used_share) / room.risen * (gc.last_s - room.since_s), 3)


def _quiet_seconds(log: ReadLog) -> float:
    """From the last pause to the last line of the log, 0 where the lines have no dates."""
    last, paused = log.tally.span.last, log.tally.gc.span.last
    return 0.0 if last is None or paused is None else max(last - paused, 0) / 1000


def _seconds(log: ReadLog) -> float | None:
    """What the log spans: its lines may have dates, seconds since the start of the JVM, or neither."""
    gc, span = log.tally.gc, log.tally.span
    collected = None if gc.first_s is None or gc.last_s is None else gc.last_s - gc.first_s
    dated = None if span.first is None or span.last is None else (span.last - span.first) / 1000
    return max((one for one in (collected, dated) if one is not None), default=None)


def _worst_share(gc: GcTally, worst_ms: float, seconds: float | None) -> float:
    """Share of pauses in the worst minute; a shorter log may lie in two minutes, and is taken as a whole."""
    if seconds is None or seconds * 1000 >= MINUTE_MS:
        return round(min(worst_ms / MINUTE_MS, 1.0), 4)
    return round(min(gc.pause_ms / 1000 / seconds, 1.0), 4) if seconds > 0 else 1.0


def safepoint_row(log: ReadLog, zone: Zone) -> SafepointPauses:
    """One log's pauses."""
    tally = log.tally.safepoints
    return SafepointPauses(
        path=log.path,
        pauses=tally.pauses,
        total_ms=round(tally.total_ms, 3),
        reaching_ms=None if tally.reaching_ms is None else round(tally.reaching_ms, 3),
        long=tally.long,
        longest_ms=round(tally.longest_ms, 3),
        longest_reaching_ms=None if tally.longest_reaching_ms is None else round(tally.longest_reaching_ms, 3),
        longest_operation=tally.longest_operation,
        longest_at=zone.shown(tally.longest_at),
        first=zone.shown(tally.span.first),
        last=zone.shown(tally.span.last),
        operations=dict(tally.operations.most_common()),
    )


def _steps(gc: GcTally) -> tuple[int, list[tuple[int, float]]]:
    """Minutes in a step, and the pauses of each step in ms."""
    step, minutes = gc.step, gc.minutes
    while len(minutes) > MOST_POINTS:
        step *= 2
        folded: dict[int, float] = {}
        for key in sorted(minutes):
            folded[key // 2] = folded.get(key // 2, 0.0) + minutes[key]
        minutes = folded
    return step, [(key * MINUTE_MS * step, minutes[key]) for key in sorted(minutes)]
