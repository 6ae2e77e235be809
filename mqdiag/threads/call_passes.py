"""Passes for dumps without CPU times: objects that are made for one call tell that call from the next one.

Equal stacks prove nothing: of 20 busy pools on JDK 8, 14 showed every thread with the same frames in all samples. An
object of a call is the same for as long as the call lasts. A collection moves objects, so other addresses are other
objects only where nothing else moved: what idle threads wait on, and the workers of pools, are the witnesses.
"""

from __future__ import annotations

from itertools import pairwise

import msgspec

from mqdiag.read.stacks.records import PARKING, SYNCHRONIZER, WAITING_ON
from mqdiag.text import Text, say
from mqdiag.threads import roles
from mqdiag.threads.judgement import Judgement, Revision, World
from mqdiag.threads.measured_limits import LONG_RUN_S, MOVED_SHARE, SURE_RUN_S
from mqdiag.threads.tracks import Track, call_objects

_WORKER = "ThreadPoolExecutor$Worker"
_NODE = "Node"
"""some queues park on an object that each wait makes anew"""
SAMPLES_OF_ONE_TASK = 3
"""that must all show a virtual thread in the same frames"""
ALIKE = frozenset({"monitor", "lock", "pool"})
"""waits that other threads decide: who has what they wait for"""


def lacks_cpu_time(judgement: Judgement) -> bool:
    """Whether nothing but other evidence than CPU time can decide about a thread that seems to stand."""
    return judgement.state == "unknown" and judgement.now.unchanged and judgement.run.cpu_growth_ms is None


def by_call_object(judgement: Judgement, world: World) -> Revision | None:
    """Decide for a thread without CPU time by the objects of its call."""
    now, track = judgement.now, judgement.track
    if not lacks_cpu_time(judgement):
        return None
    if track.role == roles.VIRTUAL and now.run.count >= SAMPLES_OF_ONE_TASK:
        # here the thread itself is what is made for one task, and dumps of virtual threads name no objects before 25
        return msgspec.structs.replace(
            now,
            state="stuck",
            confidence="low" if now.run.seconds is None else "medium",
            unchanged=False,
            reason=say(
                "{count:count} samples show the same frames in a virtual thread, which lives for one task; the dumps"
                " hold no CPU time",
                count=now.run.count,
            ),
        )
    samples = [index for index in track.judged if index >= now.run.first]
    objects = [call_objects(track, index) for index in samples]
    if not objects[-1]:
        return _undecided(now, track)
    still = world.once(_nothing_moved)
    pairs = [
        _Pair(
            same=bool(one & other),
            other=bool(one and other) and not one & other and second == first + 1 and second in still,
            seconds=_seconds(world, first, second),
        )
        for (first, one), (second, other) in pairwise(zip(samples, objects, strict=True))
    ]
    since = max((place + 1 for place, pair in enumerate(pairs) if pair.other), default=0)
    stood = _one_call(now, samples[since:], pairs[since:], len(track.judged))
    if stood is not None:
        return stood
    if since == 0:
        return _undecided(now, track)
    return msgspec.structs.replace(
        now,
        state="progressing",
        confidence="medium" if all(pair.other for pair in pairs) else "low",
        unchanged=False,
        reason=say("samples show the objects of other calls, and no collection moved objects between them"),
    )


class _Pair(msgspec.Struct, frozen=True):
    """Two samples of a thread, one after the other."""

    same: bool
    """an object of a call is in both"""
    other: bool
    """the objects are others, and nothing moved: the call is another one"""
    seconds: float | None


def _one_call(now: Revision, samples: list[int], pairs: list[_Pair], judged: int) -> Revision | None:
    """A standstill, where objects of a call stay the same for long; a collection in between may have moved them."""
    count = 1 + sum(pair.same for pair in pairs)
    if count < 2 or (count < 3 and judged > 2) or not pairs[-1].same:
        return None
    in_a_row = next((place for place, pair in enumerate(reversed(pairs)) if not pair.same), len(pairs))
    known = [pair.seconds for pair in pairs if pair.same]
    seconds = None if None in known else round(sum(one or 0.0 for one in known), 3)
    last_s = sum(pair.seconds or 0.0 for pair in pairs[len(pairs) - in_a_row :])
    if seconds is not None and last_s < LONG_RUN_S and seconds < SURE_RUN_S:
        return None
    first = samples[len(samples) - 1 - in_a_row] if last_s >= LONG_RUN_S else samples[0]
    return msgspec.structs.replace(
        now,
        state="stuck",
        # dumps without any time may have been taken at one moment
        confidence="low" if seconds is None else "medium",
        unchanged=False,
        run=msgspec.structs.replace(now.run, first=first, count=count, seconds=seconds),
        reason=say(
            "{count:count} samples show the same frames and the same object of a call; the dumps hold no CPU time",
            count=count,
        ),
    )


def _undecided(now: Revision, track: Track) -> Revision:
    return msgspec.structs.replace(now, reason=_nothing_tells(track))


def _nothing_tells(track: Track) -> Text:
    if track.last_meaning.doing in ALIKE:
        return say("the dumps hold no CPU time, and this wait looks the same while it progresses")
    return say("the dumps hold no CPU time; the same frames alone prove nothing")


def _seconds(world: World, first: int, last: int) -> float | None:
    begin, end = world.series.moments[first].seconds, world.series.moments[last].seconds
    return None if begin is None or end is None else round(end - begin, 3)


def _nothing_moved(world: World) -> set[int]:
    """Samples between which and the sample before no collection moved the objects that stay.

    A worker of a pool is one object for as long as its thread lives, and idle threads wait on objects of their pools.
    """
    found: set[int] = set()
    for index in range(1, len(world.series.moments)):
        stayed = moved = 0
        for judgement in world.judgements:
            before, after = (_witnesses(judgement.track, place) for place in (index - 1, index))
            if [kind for kind, _ in before] != [kind for kind, _ in after]:
                continue
            for (kind, one), (_, other) in zip(before, after, strict=True):
                stayed += one == other
                # one worker that moved says enough
                moved += (one != other) * (len(world.judgements) if kind == SYNCHRONIZER else 1)
        if stayed and moved <= MOVED_SHARE * (stayed + moved):
            found.add(index)
    return found


def _witnesses(track: Track, index: int) -> list[tuple[str, str]]:
    """(kind, address) of the objects of a thread that stay the same while it lives."""
    record, meaning = track.records[index], track.meanings[index]
    if record is None or meaning is None:
        return []
    found = []
    for lock in record.stack.locks:
        if not 0 <= lock.slot < len(record.addresses):
            continue
        is_worker = lock.kind == SYNCHRONIZER and lock.class_name.endswith(_WORKER)
        rests = meaning.idle and lock.kind in (WAITING_ON, PARKING) and _NODE not in lock.class_name
        if is_worker or rests:
            found.append((lock.kind, record.addresses[lock.slot]))
    return found
