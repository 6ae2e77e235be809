"""What the threads of each pool did over the series, and how many threads there are of each kind."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from mqdiag.facts.stacks import PutWaits, ThreadKind, WorkerPool
from mqdiag.facts.vocabulary import Doing, StandstillCause
from mqdiag.threads import roles
from mqdiag.threads.cause_of_wait import BROKER_CAUSES, PAGE_CACHE, broker_remedy
from mqdiag.threads.judgement import Judgement
from mqdiag.threads.tracks import Track

_NUMBER = re.compile(r"\d+")
_NEW_FILE = "AllocateMappedFileService.putRequestAndReturnMappedFile"
_LOCKS = ("PutMessageSpinLock.lock", "PutMessageReentrantLock.lock", "TopicQueueLock.lock")
SHOWN_ROLES = frozenset({roles.CONSUME_WORKER, roles.CALLBACK, roles.BROKER_SEND})


def worker_pools(judgements: list[Judgement], samples: int) -> tuple[WorkerPool, ...]:
    """Consume pools, callback pools and broker send pools first, then every other pool of two or more."""
    members: dict[tuple[object, ...], list[Judgement]] = defaultdict(list)
    for judgement in judgements:
        track = judgement.track
        if track.pool is not None:
            members[(track.jvm, track.role, track.pool)].append(judgement)
    pools = [
        _pool(own, samples) for own in members.values() if len(own) > 1 or own[0].track.role in SHOWN_ROLES
    ]
    pools.sort(key=lambda pool: (pool.role not in SHOWN_ROLES, -len(pool.threads), pool.pool))
    return tuple(pools)


def thread_kinds(tracks: Sequence[Track], samples: int) -> tuple[ThreadKind, ...]:
    """How many threads there are of each kind; one sample is enough to count them."""
    counts: dict[str, list[int]] = {}
    for track in tracks:
        own = counts.setdefault(_NUMBER.sub("#", track.name), [0] * samples)
        for index in track.seen:
            own[index] += 1
    kinds = [ThreadKind(thread=name, threads=tuple(own)) for name, own in counts.items() if max(own) > 1]
    return tuple(sorted(kinds, key=lambda kind: (-max(kind.threads), kind.thread)))


def _pool(judgements: list[Judgement], samples: int) -> WorkerPool:
    first = judgements[0].track
    states = Counter(judgement.state for judgement in judgements)
    busy = [0] * samples
    frames: Counter[tuple[str, Doing]] = Counter()
    samples_at_work = 0
    worker = first.role == roles.CONSUME_WORKER
    for judgement in judgements:
        for index in judgement.track.seen:
            meaning = judgement.track.meanings[index]
            if meaning is None or meaning.idle:
                continue
            if worker and not meaning.in_listener:
                continue
            busy[index] += 1
            samples_at_work += 1
            frames[(meaning.own_frame or meaning.top or "?", meaning.doing)] += 1
    shared = frames.most_common(1)
    return WorkerPool(
        role=first.role,
        pool=first.pool or "",
        group=first.group,
        threads=tuple(judgement.track.name for judgement in judgements),
        stuck=states["stuck"],
        blocked=states["blocked"],
        progressing=states["progressing"],
        idle=states["idle"],
        unknown=states["unknown"],
        busy=tuple(busy),
        shared_frame=shared[0][0][0] if shared else None,
        shared_doing=shared[0][0][1] if shared else None,
        shared_share=round(shared[0][1] / samples_at_work, 3) if samples_at_work else 0.0,
        put_waits=put_waits(judgements, samples) if first.role == roles.BROKER_SEND else (),
    )


def put_waits(judgements: Sequence[Judgement], samples: int) -> tuple[PutWaits, ...]:
    """Waits of broker send threads by cause and sample, the most frequent cause first; their sends may end in between.

    Threads that wait for the put lock count with the thread that holds it. By themselves they say nothing: under load,
    send threads meet at that lock all the time.
    """
    found: dict[StandstillCause, list[int]] = {}
    locked = [0] * samples
    for index in range(samples):
        stacks = Counter(
            meaning
            for judgement in judgements
            if (meaning := judgement.track.meanings[index]) is not None and not meaning.idle
        )
        for meaning, threads in stacks.items():
            cause = _put_cause(meaning.methods)
            if cause is not None:
                found.setdefault(cause, [0] * samples)[index] += threads
            elif any(lock in method for method in meaning.methods for lock in _LOCKS):
                locked[index] += threads
    if PAGE_CACHE in found:
        found[PAGE_CACHE] = [
            held + waiting if held else 0 for held, waiting in zip(found[PAGE_CACHE], locked, strict=True)
        ]
    rows = [
        PutWaits(cause=cause, threads=tuple(counts), remedy=broker_remedy(cause))
        for cause, counts in found.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-sum(row.threads), row.cause)))


def _put_cause(methods: Sequence[str]) -> StandstillCause | None:
    for marks, cause, _ in BROKER_CAUSES:
        if any(mark in method for method in methods for mark in marks):
            return cause
    if any(_NEW_FILE in method for method in methods):
        return PAGE_CACHE
    return None
