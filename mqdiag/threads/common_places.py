"""Pools and kinds of threads that are in one place together, where none of them rests.

No decision about a thread is needed: dumps without CPU times, and dumps of any JVM, show it as well.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Sequence

from mqdiag.facts.thread_pools import CommonPlace
from mqdiag.threads import roles
from mqdiag.threads.cause_of_wait import cause_of_wait
from mqdiag.threads.judgement import Judgement
from mqdiag.threads.stack_meaning import StackMeaning
from mqdiag.threads.tracks import Track

LEAST_THREADS = 2
LEAST_SHARE = 0.5
"""share of a pool that is in one place in its last sample"""
_Place = tuple[str, str, str | None]
"""the frame that says most, the kind of wait, the library"""


def common_places(judgements: Sequence[Judgement], wanted: Container[Track]) -> tuple[CommonPlace, ...]:
    """One entry for each pool, the largest first.

    Args:
        judgements: all threads.
        wanted: owners of locks that others wait for.
    """
    pools: dict[tuple[object, ...], list[Judgement]] = defaultdict(list)
    for judgement in judgements:
        track = judgement.track
        if track.role not in (roles.JVM, roles.CARRIER) and not track.ended:
            pools[track.jvm, track.role, track.pool or track.name].append(judgement)
    entries = [entry for own in pools.values() if len(own) > 1 and (entry := _entry(own, wanted)) is not None]
    return tuple(sorted(entries, key=lambda entry: (-len(entry.threads), entry.pool)))


def _entry(own: Sequence[Judgement], wanted: Container[Track]) -> CommonPlace | None:
    lasts = Counter(place for one in own if (place := _place(one, one.track.judged[-1], wanted)) is not None)
    if not lasts:
        return None
    place, count = lasts.most_common(1)[0]
    if count < LEAST_THREADS or count < LEAST_SHARE * len(own):
        return None
    stays = [one for one in own if all(_place(one, index, wanted) == place for index in one.track.possible)]
    first = next(one for one in own if _place(one, one.track.judged[-1], wanted) == place).track
    why = cause_of_wait(first.role, first.last_meaning, computing=False)
    samples = first.possible
    return CommonPlace(
        role=first.role,
        pool=first.pool or first.name,
        group=first.group,
        pool_size=len(own),
        threads=tuple(one.track.name for one in stays),
        at_place=tuple(sum(_place(one, index, wanted) == place for one in own) for index in samples),
        frame=place[0],
        top=first.last_meaning.top,
        doing=first.last_meaning.doing,
        library=place[2],
        kind=why.kind,
        cause=why.cause,
        remedy=why.remedy,
        in_tasks=all(one.track.last_meaning.in_pool_task for one in stays),
        held_up=sum(one.track in wanted for one in stays),
        standing=sum(one.makes_no_progress for one in stays),
        moving=sum(one.state == "progressing" for one in stays),
    )


def _place(judgement: Judgement, index: int, wanted: Container[Track]) -> _Place | None:
    """Where a thread is in a sample; None where it rests or is not there."""
    meaning = judgement.track.meanings[index] if index < len(judgement.track.meanings) else None
    if meaning is None or meaning.idle or (judgement.state == "idle" and judgement.track not in wanted):
        return None
    frame = meaning.telling_frame
    if frame is None or (_reads_its_connection(meaning) and judgement.track not in wanted):
        return None
    return frame, meaning.doing, meaning.library.name if meaning.library is not None else None


def _reads_its_connection(meaning: StackMeaning) -> bool:
    """Whether a library's own thread waits for what the other side sends next."""
    return meaning.own_index < 0 and meaning.doing == "socket-read" and not meaning.in_pool_task
