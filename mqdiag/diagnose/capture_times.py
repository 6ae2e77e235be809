"""The times of evidence that `mqdiag capture` took: its manifest has an instant, where the evidence has none.

A thread dump prints the local time of its host, and an answer of mqadmin no time at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import msgspec

from mqdiag.diagnose.sort.kind import Captured, OfProcess
from mqdiag.facts import Input, ResourcesFacts, StacksFacts

LONGEST = timedelta(hours=1)
"""between captures whose answers of mqadmin have one time"""
ZONE_STEP = timedelta(minutes=15)
NEAR = timedelta(minutes=5)
"""between the begin of a capture and the local time of its first thread dump, apart from their zone"""


def with_zone(one: OfProcess, captures: Sequence[Captured]) -> OfProcess:
    """The thread dumps of a process with instants, where the capture that took them tells the zone."""
    own = capture_of([given.path for given in one.inputs], captures)
    if one.stacks is None or own is None or own.at is None:
        return one
    return msgspec.structs.replace(one, stacks=_with_instants(one.stacks, datetime.fromisoformat(own.at)))


def _with_instants(stacks: StacksFacts, began: datetime) -> StacksFacts:
    local = [sample.captured_local for sample in stacks.series]
    if any(sample.captured_at is not None for sample in stacks.series) or not all(local):
        return stacks
    try:
        times = [datetime.fromisoformat(text) for text in local if text is not None]
    except ValueError:
        return stacks
    # the first dump comes some seconds after the capture's begin
    ahead = times[0] - began.astimezone(UTC).replace(tzinfo=None)
    steps = round(ahead / ZONE_STEP)
    if abs(ahead - steps * ZONE_STEP) > NEAR:
        return stacks
    zone = f"{'-' if steps < 0 else '+'}{abs(steps) // 4:02}:{abs(steps) % 4 * 15:02}"
    return msgspec.structs.replace(
        stacks,
        series=tuple(
            msgspec.structs.replace(sample, captured_at=f"{time.isoformat()}{zone}")
            for sample, time in zip(stacks.series, times, strict=True)
        ),
    )


def dated(resources: ResourcesFacts, captures: Sequence[Captured]) -> ResourcesFacts:
    """The readings of control groups with the times of the captures that took them."""
    owners = [capture_of([one.first.path], captures) for one in resources.processes]
    return ResourcesFacts(
        processes=tuple(
            one if own is None else msgspec.structs.replace(one, at=own.at)
            for one, own in zip(resources.processes, owners, strict=True)
        )
    )


def asked_at(inputs: Sequence[Input], captures: Sequence[Captured]) -> str | None:
    """When mqadmin was asked, by the captures whose folders its answers lie in or beside; None where they differ."""
    answers = [given.path for given in inputs if given.kind == "admin" and given.was_read]
    theirs = [
        own for path in answers if (own := capture_of([path], captures) or _beside(path, captures)) is not None
    ]
    times = sorted(one.at for one in theirs if one.at is not None)
    if not times or len(theirs) < len(answers):
        return None
    first, last = datetime.fromisoformat(times[0]), datetime.fromisoformat(times[-1])
    return times[-1] if abs(last - first) <= LONGEST else None


def _beside(path: str, captures: Sequence[Captured]) -> Captured | None:
    """The capture whose folder lies in the folder of a file."""
    folder = path[: path.rfind("/") + 1]
    found = [one for one in captures if one.folder[: one.folder.rstrip("/").rfind("/") + 1] == folder]
    return max(found, key=lambda one: one.at or "", default=None)


def capture_of(paths: Sequence[str], captures: Sequence[Captured]) -> Captured | None:
    """The capture that all files are of."""
    fitting = [one for one in captures if all(path.startswith(one.folder) for path in paths)]
    return max(fitting, key=lambda one: len(one.folder), default=None)
