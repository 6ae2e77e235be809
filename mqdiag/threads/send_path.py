"""A broker's send threads before a put lock whose holder changes: it waits for the next commit log file, and gives up.

The holder gives up after five seconds with an error and another thread takes the lock, to wait for the same file;
those before the lock may spin, so their CPU time grows. No single thread stands still, yet nothing is stored.
"""

from __future__ import annotations

from collections import defaultdict

from mqdiag.text import say
from mqdiag.threads import roles
from mqdiag.threads.decide import BLOCKED, LONG_RUN_S, Judgement
from mqdiag.threads.series import Series
from mqdiag.threads.view import View

FILE_WAITS = (
    "AllocateMappedFileService.putRequestAndReturnMappedFile",
    "AllocateMapedFileService.putRequestAndReturnMapedFile",
)
"""with the put lock in hand: the next commit log file is not there yet; it is made in advance, so nobody waits here"""
LEAST_SAMPLES = 3


def follow_send_path(judgements: list[Judgement], series: Series) -> None:
    """Call blocked those that stand there in every sample of a series long enough to tell; a busy disk is quicker."""
    count = len(series.moments)
    if count < LEAST_SAMPLES or series.seconds is None or series.seconds < LONG_RUN_S:
        return
    by_broker: dict[int, list[Judgement]] = defaultdict(list)
    for judgement in judgements:
        track = judgement.track
        if track.role == roles.BROKER_SEND and len(track.present) == count and not judgement.still:
            by_broker[track.jvm].append(judgement)
    for here in by_broker.values():
        _before_the_lock(here, series)


def _before_the_lock(here: list[Judgement], series: Series) -> None:
    """In each sample somebody waits for the next file with the put lock in hand, the rest for the lock."""
    members = [
        judgement
        for judgement in here
        if all(_place(view) in ("file", "lock") for view in judgement.track.views)
    ]
    holders = [
        next((one for one in members if _place(one.track.views[index]) == "file"), None)
        for index in range(len(series.moments))
    ]
    if None in holders:
        return
    holder = holders[-1]
    for judgement in members:
        _blocked(
            judgement,
            series,
            say("stands before the put lock in all samples; its holder waits for the next file"),
        )
        judgement.holder = holder.track if holder is not None and holder is not judgement else None


def _place(view: View | None) -> str | None:
    """Where in the send path a thread stands; None at work, at rest, or not there."""
    if view is None or view.idle or view.doing == "running":
        return None
    if any(method.endswith(FILE_WAITS) for method in view.methods):
        return "file"
    return "lock" if view.doing == "lock" else None


def _growth(judgement: Judgement) -> float | None:
    first, last = judgement.track.records[0], judgement.track.last
    if first is None or first.cpu_ms is None or last.cpu_ms is None:
        return None
    return round(max(last.cpu_ms - first.cpu_ms, 0.0), 3)


def _blocked(judgement: Judgement, series: Series, reason: str) -> None:
    judgement.state, judgement.confidence, judgement.reason = BLOCKED, "medium", reason
    judgement.computing = False
    judgement.first, judgement.count, judgement.seconds = 0, len(series.moments), series.seconds
    judgement.cpu_growth = _growth(judgement)
