"""Consume threads that wait for a pooled connection in almost every sample, give up at a timeout, and wait again.

Each of them moves, as it fails one message after the other, so none is stuck; yet the group does no work.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise

import msgspec

from mqdiag.facts.thread_pools import ConnectionWaits, PoolQueue
from mqdiag.knowledge.library import Library
from mqdiag.threads.cause_of_wait import cause_of_wait
from mqdiag.threads.judgement import Judgement
from mqdiag.threads.pool_users import PoolUser, PoolUsers, may_have_connection
from mqdiag.threads.series import Series
from mqdiag.threads.stack_meaning import StackMeaning

LEAST_SAMPLES = 3
WAITING_SHARE = 0.75
"""share of a thread's samples that must show the wait; the others find it between two messages"""


class _Waiting(msgspec.Struct, frozen=True, eq=False):
    """A thread that waits for connections of one pool only."""

    judgement: Judgement
    pool: Library


def connection_waits(judgements: list[Judgement], series: Series) -> tuple[ConnectionWaits, ...]:
    """One entry for each consume pool and connection pool."""
    if series.not_judged is not None or len(series.moments) < LEAST_SAMPLES:
        return ()
    waiting = [one for judgement in judgements if (one := _waiting(judgement)) is not None]
    if not waiting:
        return ()
    members: dict[tuple[int, str | None], list[Judgement]] = defaultdict(list)
    for judgement in judgements:
        if judgement.track.is_worker:
            members[judgement.track.jvm, judgement.track.pool].append(judgement)
    by_pools: dict[tuple[int, str | None, str], list[_Waiting]] = defaultdict(list)
    for member in waiting:
        track = member.judgement.track
        by_pools[track.jvm, track.pool, member.pool.name].append(member)
    cycling = {member.judgement for member in waiting}
    others = {
        judgement: None
        for judgement in judgements
        if judgement.state in ("progressing", "unknown")
        and not judgement.now.may_be_meant
        and judgement not in cycling
    }
    giving = {
        pool.name
        for pool in {one.pool.name: one.pool for one in waiting}.values()
        if _gets_connections(pool, others)
    }
    others_may_have_one = any(_may_have_connection(other) for other in others)
    users = PoolUsers(judgements)
    entries = []
    for (jvm, pool, name), ours in by_pools.items():
        own = members[jvm, pool]
        if name in giving or any(one in others for one in own):
            continue
        user = users.of(ours[0].judgement)
        if user is None and others_may_have_one:
            continue
        entries.append(_entry(ours, own, user, len(series.moments)))
    return tuple(entries)


def _waiting(judgement: Judgement) -> _Waiting | None:
    """A consume thread whose samples in the listener all show a wait for one pool; its messages come and go."""
    track = judgement.track
    if not track.is_worker or judgement.state not in ("progressing", "unknown"):
        return None
    meanings = [meaning for index in track.judged if (meaning := track.meanings[index]) is not None]
    pools = [meaning.library for meaning in meanings if meaning.doing == "pool"]
    if len(meanings) < LEAST_SAMPLES or len(pools) < WAITING_SHARE * len(meanings):
        return None
    if any(meaning.in_listener and meaning.doing != "pool" for meaning in meanings):
        return None
    pool = pools[0]
    return _Waiting(judgement, pool) if pool is not None and all(other is pool for other in pools) else None


def _gets_connections(pool: Library, others: Iterable[Judgement]) -> bool:
    """Whether some thread that moves was seen to use a connection as the pool has them."""
    return any(may_have_connection(pool, meaning) for meaning in _meanings(others))


def _may_have_connection(judgement: Judgement) -> bool:
    """Whether a thread runs the application's code, which may have a connection at that moment."""
    return any(meaning.own_index >= 0 and not meaning.idle for meaning in _meanings([judgement]))


def _meanings(judgements: Iterable[Judgement]) -> list[StackMeaning]:
    return [
        meaning
        for judgement in judgements
        for index in judgement.track.judged
        if (meaning := judgement.track.meanings[index]) is not None
    ]


def _entry(
    waiting: list[_Waiting], own: list[Judgement], user: PoolUser | None, samples: int
) -> ConnectionWaits:
    track = waiting[0].judgement.track
    pool = waiting[0].pool
    by_sample = [0] * samples
    frames: Counter[str] = Counter()
    for one in waiting:
        for index in one.judgement.track.judged:
            meaning = one.judgement.track.meanings[index]
            if meaning is not None and meaning.doing == "pool":
                by_sample[index] += 1
                frames[meaning.own_frame or meaning.top or "?"] += 1
    cause = pool.cause
    remedy = pool.remedy
    if user is not None and user.gives_cause:
        theirs = cause_of_wait(
            user.judgement.track.role, user.judgement.track.last_meaning, computing=user.judgement.now.computing
        )
        cause = theirs.cause
        remedy = (*theirs.remedy, *remedy)
    return ConnectionWaits(
        library=pool.name,
        cause=cause,
        pool=track.pool or track.name,
        group=track.group,
        threads=tuple(one.judgement.track.name for one in waiting),
        pool_size=len(own),
        waiting=tuple(by_sample),
        frame=frames.most_common(1)[0][0],
        user=user.judgement.track.name if user is not None else None,
        user_frame=user.judgement.track.last_meaning.own_frame if user is not None else None,
        user_sure=user.sure if user is not None else None,
        remedy=remedy,
    )


def pool_queues(judgements: list[Judgement], series: Series) -> tuple[PoolQueue, ...]:
    """One entry for each connection pool for which threads wait in every sample, the longest queue first.

    Without those whose queue is the same threads in all samples, and those of consumers, which other rules tell of.
    """
    samples = len(series.moments)
    if samples < 2 or series.jvms > 1:
        return ()
    waiting: dict[str, list[set[Judgement]]] = defaultdict(lambda: [set() for _ in range(samples)])
    for judgement in judgements:
        for index, meaning in enumerate(judgement.track.meanings):
            if meaning is not None and meaning.doing == "pool" and meaning.library is not None:
                waiting[meaning.library.name][index].add(judgement)
    found = [
        _queue(name, by_sample)
        for name, by_sample in waiting.items()
        if all(by_sample)
        and any(one - other for one, other in pairwise(by_sample))
        and not any(one.track.is_worker for one in by_sample[-1])
    ]
    return tuple(sorted(found, key=lambda one: (-min(one.waiting), one.library)))


def _queue(library: str, by_sample: list[set[Judgement]]) -> PoolQueue:
    lasts = sorted(by_sample[-1], key=lambda one: one.track.name)
    frames = Counter(one.track.last_meaning.telling_frame or "" for one in lasts)
    return PoolQueue(
        library=library,
        waiting=tuple(map(len, by_sample)),
        threads=tuple(one.track.name for one in lasts),
        frame=frames.most_common(1)[0][0],
    )
