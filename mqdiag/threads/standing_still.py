"""Whether CPU time says that a thread did nothing over a run of samples.

The thresholds come from series with known truth (1,016 stuck and 262 progressing consume threads): CPU time
of stuck threads grew by 0.00 ms in waits and by up to 0.9 ms under a trickling answer, little by little; the
slowest progressing ones grew by 0.8 ms (pool time-outs). One message that is done costs 0.3 to 1.6 ms over a
socket and 0.04 to 0.4 ms in a sleep or wait once the code is warm, all at once: of calls that take 5 s each, that is
all that a series of 10 s shows.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from mqdiag.threads import roles
from mqdiag.threads.align import Track
from mqdiag.threads.in_pieces import reads_body, waits_in_steps

if TYPE_CHECKING:
    from mqdiag.threads.decide import Judgement

STILL_MS = 0.5
"""growth of cpu= over the whole run, a little between all samples, up to which a wait is the same wait"""
STILL_MS_PER_S = 0.06
"""the same for short runs: a thread that finishes little in little time grows little too"""
BODY_MS = 1.2
"""the same for who reads on in one answer: 0.2 to 0.9 ms under one that trickles"""
BODY_MS_PER_S = 0.12
STEPS_MS_PER_S = 0.3
"""what a library costs that looks twice a second whether it still has to wait: 0.1 were measured"""
MONITOR_MS_PER_S = 0.03
"""what the JVM's own look at a monitor costs: 0.02 were measured"""
FLOOR_MS = 0.1
"""growth that two dumps alone can cost a thread that does nothing"""
CLOCK_MS = 0.02
"""growth below this is none: cpu= has two digits"""
WORK_MS = 0.03
"""growth between two samples, with none between two others, that only work done there can cost"""
BURST_MS = 0.08
BURST_OVER_REST = 4.0
"""what makes growth stand out: a trickling answer grew at most twice as much as usual between two samples"""
SHORT_RUN_S = 2.0
"""two samples nearer to each other than this say nothing about progress"""
ENOUGH_SLEEPS = 5
"""samples that tell one sleep after another for one message from one for each: by growth that is never none"""


def growth(track: Track, one: int, other: int) -> float:
    """Milliseconds of CPU time between two samples."""
    first, last = track.records[one], track.records[other]
    if first is None or last is None or first.cpu_ms is None or last.cpu_ms is None:
        return 0.0
    return last.cpu_ms - first.cpu_ms


def _still_limit(seconds: float | None) -> float:
    """Growth of cpu= up to which a run of this length stands still."""
    return max(FLOOR_MS, min(STILL_MS, STILL_MS_PER_S * (8.0 if seconds is None else seconds)))


def _moved_at_once(track: Track, run: list[int]) -> bool:
    """Whether the growth of a run came between two of its samples: one message was done, and the next begun."""
    if track.role == roles.BROKER_SEND or reads_body(track.last_view) or waits_in_steps(track.last_view):
        # the waits of a broker have time-outs of their own and are told apart by the lock's owners; the bytes of an
        # answer come as they come, and so do the steps of a wait
        return False
    growths = sorted(growth(track, one, other) for one, other in pairwise(run))
    if len(growths) < 2:
        # nothing to compare with
        return bool(growths) and growths[-1] > FLOOR_MS
    if growths[0] < CLOCK_MS and growths[-1] >= WORK_MS:
        return True
    usual = median(growths[:-1])
    return growths[-1] >= BURST_MS and growths[-1] > BURST_OVER_REST * (usual + CLOCK_MS)


def stands_still(run: Judgement, samples: list[int]) -> bool:
    """Whether a run of samples shows no work done."""
    assert run.cpu_growth is not None
    if run.seconds is not None and run.seconds < SHORT_RUN_S:
        return False
    if _moved_at_once(run.track, samples):
        return False
    limit = _still_limit(run.seconds)
    if run.same_frames and run.seconds is not None and reads_body(run.track.last_view):
        # a slow server makes its callers wait for the first line of an answer, not in the midst of it
        limit = max(limit, min(BODY_MS, BODY_MS_PER_S * run.seconds))
    if run.same_frames and run.seconds is not None and waits_in_steps(run.track.last_view):
        limit = max(limit, STEPS_MS_PER_S * run.seconds)
    if run.track.last_view.doing == "monitor" and run.seconds is not None:
        # one of those who wait looks after the monitor once a second for as long as it waits
        limit = max(limit, MONITOR_MS_PER_S * run.seconds)
    if run.count < ENOUGH_SLEEPS and run.track.last_view.doing == "sleep":
        # a sleep costs so little that it takes more samples to tell messages from one long back-off
        limit = FLOOR_MS
    return run.cpu_growth <= limit
