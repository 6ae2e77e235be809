"""Passes over the send threads of a broker: the put lock, and the next file of the commit log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import msgspec

from mqdiag.facts.vocabulary import Role
from mqdiag.text import say
from mqdiag.threads import roles
from mqdiag.threads.judgement import Judgement, Revision, Run, World
from mqdiag.threads.measured_limits import LONG_RUN_S, SEND_PATH_SAMPLES
from mqdiag.threads.series import Series
from mqdiag.threads.stack_meaning import StackMeaning

FILE_WAITS = (
    "AllocateMappedFileService.putRequestAndReturnMappedFile",
    "AllocateMapedFileService.putRequestAndReturnMapedFile",
)
"""the holder of the put lock waits for the next commit log file; brokers make it in advance, so nobody waits long"""


def waits_for_put_lock(role: Role, meaning: StackMeaning) -> bool:
    """Whether it is a broker's send thread before a lock."""
    return role == roles.BROKER_SEND and meaning.doing == "lock"


def by_put_lock_holder(judgement: Judgement, world: World) -> Revision | None:
    """Decide for a broker's send thread: the spin before the put lock costs CPU time, so its holder decides."""
    track = judgement.track
    if judgement.makes_no_progress:
        return None
    meanings = [track.meanings[index] for index in track.possible]
    if any(meaning is None or meaning.doing != "lock" for meaning in meanings):
        return None
    holder = next((one for one in world.once(_stuck_in_commit_log) if one.track.jvm == track.jvm), None)
    if holder is None:
        return None
    return msgspec.structs.replace(
        judgement.now,
        state="blocked",
        confidence="medium",
        reason=say("spins before the put lock in all samples, and the holder of the lock makes no progress"),
        waits_for=holder.track,
    )


def _stuck_in_commit_log(world: World) -> list[Judgement]:
    """Threads that write the commit log and make no progress."""
    return [
        judgement
        for judgement in world.judgements
        if judgement.makes_no_progress
        and judgement.track.last_meaning.doing not in ("lock", "monitor")
        and any("CommitLog." in method for method in judgement.track.last_meaning.methods)
    ]


def may_wait_for_next_file(role: Role, meaning: StackMeaning) -> bool:
    """Whether it is a broker's send thread, or makes a file."""
    return role == roles.BROKER_SEND or meaning.makes_store_file


def by_wait_for_next_file(judgement: Judgement, world: World) -> Revision | None:
    """Decide for a broker's send threads while the commit log gets no next file, and for the thread that makes it.

    The holder of the put lock gives up after five seconds with an error. Another thread takes the lock and waits for
    the same file. The threads before the lock may spin, so their CPU time grows: no single thread is stuck, yet nothing
    is stored.
    """
    waits = world.once(_waits_for_next_file)
    if judgement in waits.makers:
        return _maker_without_cpu_time(judgement)
    if judgement in waits.makers_ahead:
        return msgspec.structs.replace(
            judgement.now,
            state="unknown",
            confidence=None,
            reason=say(
                "makes a file of the commit log in advance, and no thread waits for that file in the last sample"
            ),
        )
    holder = waits.holders.get(judgement)
    if holder is None:
        return None
    track = judgement.track
    maker = waits.maker_of(holder)
    sure = maker is not None and maker.now.state == "stuck" and maker.now.confidence == "high"
    behind = maker if holder is judgement else holder
    if behind is None and judgement.now.state == "stuck":
        return None
    waits_for = judgement.now.waits_for or (behind.track if behind is not None else None)
    first, last = track.records[track.judged[0]], track.last
    growth_ms = None
    if first is not None and first.cpu_ms is not None and last.cpu_ms is not None:
        growth_ms = round(max(last.cpu_ms - first.cpu_ms, 0.0), 3)
    return msgspec.structs.replace(
        judgement.now,
        state="blocked",
        confidence="high" if sure else "medium",
        reason=say(
            "waits in all samples for the next file of the commit log, or for the lock that the waiting thread holds"
        ),
        computing=False,
        run=Run(
            first=track.judged[0],
            count=len(track.judged),
            seconds=_seconds_between(world.series, track.judged),
            cpu_growth_ms=growth_ms,
            allocated_growth_bytes=judgement.run.allocated_growth_bytes,
            same_addresses=judgement.run.same_addresses,
            same_frames=judgement.run.same_frames,
        ),
        waits_for=waits_for,
    )


def _maker_without_cpu_time(judgement: Judgement) -> Revision | None:
    """Without CPU times, the thread that makes the file is stuck: it is in one call while send threads wait for it."""
    if not judgement.now.unchanged:
        return None
    return msgspec.structs.replace(
        judgement.now,
        state="stuck",
        confidence="medium",
        reason=say(
            "all samples show it in the same call, and send threads wait for its file; the dumps hold no CPU time"
        ),
    )


class _WaitsForNextFile(msgspec.Struct):
    """Send threads of brokers that store nothing, and the threads that make the files of these brokers."""

    holders: dict[Judgement, Judgement] = msgspec.field(default_factory=dict)
    """by send thread, the holder of the put lock in the last sample"""
    makers: list[Judgement] = msgspec.field(default_factory=list)
    """threads that these holders wait for"""
    makers_ahead: list[Judgement] = msgspec.field(default_factory=list)
    """stuck threads that make a file for which no thread waits in the last sample"""

    def maker_of(self, holder: Judgement) -> Judgement | None:
        """The stuck thread that this holder waits for; each broker of a JVM has its own, so of several none is it."""
        makers = [one for one in self.makers if one.track.jvm == holder.track.jvm]
        return makers[0] if len(makers) == 1 else None


def _waits_for_next_file(world: World) -> _WaitsForNextFile:
    by_broker: dict[tuple[int, tuple[int, ...]], list[Judgement]] = defaultdict(list)
    for judgement in world.judgements:
        track = judgement.track
        if (
            track.role == roles.BROKER_SEND
            and len(track.possible) >= SEND_PATH_SAMPLES
            and (_seconds_between(world.series, track.possible) or 0.0) >= LONG_RUN_S
            and all(_place_in_send_path(track.meanings[index]) is not None for index in track.possible)
        ):
            by_broker[track.jvm, tuple(track.possible)].append(judgement)
    found = _WaitsForNextFile()
    for (_, samples), members in by_broker.items():
        holders = [
            next((one for one in members if _place_in_send_path(one.track.meanings[index]) == "file"), None)
            for index in samples
        ]
        last = holders[-1]
        if last is None or None in holders:
            continue
        # where a holder is stuck by its own samples, CPU time tells who moved; before a spin lock it does not
        told_apart = any(one.makes_no_progress for one in holders if one is not None)
        found.holders |= {one: last for one in members if one.makes_no_progress or not told_apart}
    jvms = {holder.track.jvm for holder in found.holders.values()}
    awaited = {
        one.track.jvm
        for (_, meaning), same in world.by_place.items()
        if _waits_for_file(meaning)
        for one in same
    }
    for judgement in world.judgements:
        if not judgement.track.last_meaning.makes_store_file:
            continue
        is_stuck = judgement.now.state == "stuck"
        if judgement.track.jvm in jvms and (is_stuck or judgement.now.unchanged):
            found.makers.append(judgement)
        elif is_stuck and judgement.track.jvm not in awaited:
            found.makers_ahead.append(judgement)
    return found


def _seconds_between(series: Series, samples: Sequence[int]) -> float | None:
    first, last = series.moments[samples[0]].seconds, series.moments[samples[-1]].seconds
    return None if first is None or last is None else round(last - first, 3)


def _place_in_send_path(meaning: StackMeaning | None) -> str | None:
    """What a send thread waits for, "file" or "lock"; None when it is at work, idle or not there."""
    if meaning is None or meaning.idle or meaning.doing == "running":
        return None
    if _waits_for_file(meaning):
        return "file"
    return "lock" if meaning.doing == "lock" else None


def _waits_for_file(meaning: StackMeaning) -> bool:
    return any(method.endswith(FILE_WAITS) for method in meaning.methods)
