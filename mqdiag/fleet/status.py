"""What a person sees while a fleet run works: counts from Spark's own status, and the time left."""

from __future__ import annotations

import time
from collections.abc import Callable

from pyspark import StatusTracker

from mqdiag.progress import Progress
from mqdiag.text import Text, say

NOTE_S = 60.0


class Status:
    """Turns Spark's status into progress.

    Args:
        progress: who listens.
        incidents: how many are to be analysed in all.
        total_bytes: their size.
    """

    LOOK_S = 0.5

    def __init__(self, progress: Progress, incidents: int, total_bytes: int) -> None:
        self._progress = progress
        self._incidents = incidents
        self._bytes = total_bytes
        self._started = time.monotonic()
        self._noted = self._started
        self._before = (0, 0, 0)
        """incidents, bytes and failures of the waves that are done"""
        self._counted: Callable[[], tuple[int, int, int]] = lambda: (0, 0, 0)

    def wave(self, counted: Callable[[], tuple[int, int, int]]) -> None:
        """A wave begins.

        Args:
            counted: tells the incidents and bytes done and the incidents failed, from Spark's accumulators.
        """
        self._counted = counted

    def look(self, tracker: StatusTracker) -> None:
        """Ask Spark and tell."""
        lost = active = 0
        for job_id in tracker.getActiveJobsIds():
            job = tracker.getJobInfo(job_id)
            for stage_id in () if job is None else job.stageIds:
                stage = tracker.getStageInfo(stage_id)
                if stage is not None:
                    lost, active = stage.numFailedTasks, stage.numActiveTasks
        self._tell(lost, active)

    def wave_done(self) -> None:
        """A wave has ended."""
        self._before = self._sums()
        self._counted = lambda: (0, 0, 0)
        self._tell(0, 0)

    def _sums(self) -> tuple[int, int, int]:
        done, read, failed = map(sum, zip(self._before, self._counted(), strict=True))
        return done, read, failed

    def _tell(self, lost: int, active: int) -> None:
        done, read, failed = self._sums()
        told = status_line(
            done=done,
            incidents=self._incidents,
            failed=failed,
            read_bytes=read,
            total_bytes=self._bytes,
            seconds=time.monotonic() - self._started,
            active=active,
            lost_tasks=lost,
        )
        self._progress.phase(told)
        now = time.monotonic()
        if now - self._noted >= NOTE_S:
            self._noted = now
            self._progress.note(told)


def status_line(
    *,
    done: int,
    incidents: int,
    failed: int,
    read_bytes: int,
    total_bytes: int,
    seconds: float,
    active: int = 0,
    lost_tasks: int = 0,
) -> Text:
    """One line; the time left goes by bytes, as the largest come first."""
    parts = [
        say("{done:count} of {incidents:count} done", done=done, incidents=incidents),
        say(
            "{read_mb:count} of {total_mb:count} MB",
            read_mb=round(read_bytes / 1e6),
            total_mb=round(total_bytes / 1e6),
        ),
    ]
    if failed:
        parts.append(say("{failed:count} failed", failed=failed))
    if lost_tasks:
        parts.append(say("{tasks:count} tried again", tasks=lost_tasks))
    if active:
        parts.append(say("{active:count} at work", active=active))
    if read_bytes and read_bytes < total_bytes:
        left = seconds * (total_bytes - read_bytes) / read_bytes
        parts.append(_time_left(left))
    return say("{parts}", parts=tuple(parts))


def _time_left(seconds: float) -> Text:
    """Rounded to what an estimate can tell."""
    if seconds < 90:
        return say("{seconds} s left", seconds=round(seconds))
    if seconds < 5400:
        return say("{minutes} min left", minutes=round(seconds / 60))
    return say("{hours} h left", hours=f"{seconds / 3600:.1f}")
