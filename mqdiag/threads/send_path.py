"""A broker's send threads that stand before the commit log in all samples, though none of them is stuck.

What they wait for ends each time, by a time-out of some seconds or at last by the disk, and the next message waits
again: the holder of the put lock gives up after five seconds and another thread takes it, a flush of 400 ms lets
two messages a second through. Those before the lock may spin, so their CPU time grows. The place tells, not the thread.
"""

from __future__ import annotations

from collections import defaultdict

from mqdiag.threads import roles
from mqdiag.threads.decide import BLOCKED, LONG_RUN_S, Judgement
from mqdiag.threads.series import Series
from mqdiag.threads.view import View

FILE_WAITS = (
    "AllocateMappedFileService.putRequestAndReturnMappedFile",
    "AllocateMapedFileService.putRequestAndReturnMapedFile",
)
"""with the put lock in hand: the next commit log file is not there yet; it is made in advance, so nobody waits here"""
PLACES = {
    **dict.fromkeys(FILE_WAITS, "file"),
    # after the append; 5.x waits there in no thread
    "CommitLog.handleHA": "slave",
    "CommitLog.handleDiskFlush": "flush",
}
CPU_MS_PER_S = 2.0
"""growth up to which a thread in these waits gets little done; one message costs some tenths of a millisecond"""
LEAST_SAMPLES = 3


def follow_send_path(judgements: list[Judgement], series: Series) -> None:
    """Call blocked those that stand there in every sample of a series long enough to tell."""
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
        _after_the_append(here, series)


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
            judgement, series, "stands before the put lock in all samples; its holder waits for the next file"
        )
        judgement.holder = holder.track if holder is not None and holder is not judgement else None


def _after_the_append(here: list[Judgement], series: Series) -> None:
    """In each sample the same wait for the flush or the slave, with little CPU time between."""
    for judgement in here:
        places = {_place(view) for view in judgement.track.views}
        growth = _growth(judgement)
        if places not in ({"flush"}, {"slave"}) or growth is None or series.seconds is None:
            continue
        if growth <= CPU_MS_PER_S * series.seconds:
            what = places.pop()
            _blocked(
                judgement, series, f"waits for the {what} in all samples, and gets little done between them"
            )


def _place(view: View | None) -> str | None:
    """Where in the send path a thread stands; None at work, at rest, or not there."""
    if view is None or view.idle or view.doing == "running":
        return None
    for method in view.stack.methods:
        for name, place in PLACES.items():
            if method.endswith(name):
                return place
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
