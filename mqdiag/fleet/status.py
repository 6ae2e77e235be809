"""What a person sees while a fleet run works: counts from Spark's own status, and the time left."""

from __future__ import annotations

import time

from pyspark import SparkContext

from mqdiag.progress import Progress
from mqdiag.text import Text, say

NOTE_S = 60.0


class Status:
    """Turns Spark's status into progress.

    Args:
        context: of the session.
        progress: who listens.
        incidents: how many are to be analysed in all.
        total_bytes: their size.
    """

    LOOK_S = 0.5

    def __init__(self, context: SparkContext, progress: Progress, incidents: int, total_bytes: int) -> None:
        self._tracker = context.statusTracker()
        self._progress = progress
        self._incidents = incidents
        self._bytes = total_bytes
        self._started = time.monotonic()
        self._noted = self._started
        self.done, self.done_bytes, self.failed = (context.accumulator(0) for _ in range(3))
        """incidents that tasks have done, their bytes, and those of them that failed"""
        self._lost_tasks: dict[int, int] = {}

    @property
    def tried_again(self) -> int:
        """Tasks of all stages that failed, as of an executor that was lost, and were tried again."""
        return sum(self._lost_tasks.values())

    def look(self) -> None:
        """Ask Spark and tell."""
        active = 0
        for job_id in self._tracker.getActiveJobsIds():
            job = self._tracker.getJobInfo(job_id)
            for stage_id in () if job is None else job.stageIds:
                stage = self._tracker.getStageInfo(stage_id)
                if stage is not None:
                    active = stage.numActiveTasks
                    self._lost_tasks[stage_id] = stage.numFailedTasks
        told = status_line(
            done=self.done.value,
            incidents=self._incidents,
            failed=self.failed.value,
            read_bytes=self.done_bytes.value,
            total_bytes=self._bytes,
            seconds=time.monotonic() - self._started,
            active=active,
            lost_tasks=self.tried_again,
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
        # Whole minutes are all that an estimate can tell.
        left = round(left) if left < 120 else 60 * round(left / 60)
        parts.append(say("{left:seconds} left", left=left))
    return say("{parts}", parts=tuple(parts))
