"""What the threads of each pool did over the series."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final, Literal

from mqdiag.facts.thread_pools import PutWaits, WorkerPool
from mqdiag.facts.vocabulary import Doing, StandstillCause
from mqdiag.threads import roles
from mqdiag.threads.cause_of_wait import BROKER_CAUSES, PAGE_CACHE, broker_remedy
from mqdiag.threads.judgement import Judgement
from mqdiag.threads.measured_limits import FLOOR_MS
from mqdiag.threads.stack_meaning import StackMeaning
from mqdiag.threads.tracks import Track

_NEW_FILE = "AllocateMappedFileService.putRequestAndReturnMappedFile"
_LOCK: Final = "lock"
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


def _pool(judgements: list[Judgement], samples: int) -> WorkerPool:
    first = judgements[0].track
    states = Counter(judgement.state for judgement in judgements)
    busy = [0] * samples
    frames: Counter[tuple[str, Doing]] = Counter()
    samples_at_work = 0
    pauses: dict[tuple[str, Doing], str] = {}
    container: str | None = None
    worker = first.role == roles.CONSUME_WORKER
    # threads with the same stacks share the tuple of what these mean
    for meanings, threads in Counter(judgement.track.meanings for judgement in judgements).items():
        for index, meaning in enumerate(meanings):
            if meaning is None or meaning.idle:
                continue
            if worker and not meaning.in_listener:
                continue
            busy[index] += threads
            samples_at_work += threads
            place = meaning.own_frame or meaning.top or "?", meaning.doing
            frames[place] += threads
            if meaning.library is not None and meaning.library.kind == "pause":
                pauses[place] = meaning.library.name
            if meaning.container is not None:
                container = meaning.container.name
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
        shared_doing=_doing(*shared[0][0], frames) if shared else None,
        shared_share=round(shared[0][1] / samples_at_work, 3) if samples_at_work else 0.0,
        shared_pause=pauses.get(shared[0][0]) if shared else None,
        container=container,
        put_waits=put_waits(judgements, samples) if first.role == roles.BROKER_SEND else (),
    )


def _doing(frame: str, doing: Doing, frames: Counter[tuple[str, Doing]]) -> Doing:
    """What the threads do at their frame: those that wait behind one that looks a name up do that too."""
    return "dns" if doing in ("monitor", "lock") and frames[frame, "dns"] else doing


def put_waits(judgements: Sequence[Judgement], samples: int) -> tuple[PutWaits, ...]:
    """Waits of broker send threads by cause and sample, the most frequent cause first; their sends may end in between.

    Threads that wait for the put lock count with the thread that holds it. By themselves they say nothing: under load,
    send threads meet at that lock all the time.
    """
    waits = _PutCauses()
    found: dict[StandstillCause, list[int]] = {}
    still: dict[StandstillCause, list[int]] = {}
    for index in range(samples):
        causes = [waits.of(judgement.track.meanings[index]) for judgement in judgements]
        holds = any(cause == PAGE_CACHE for cause in causes)
        for judgement, cause in zip(judgements, causes, strict=True):
            if cause == _LOCK and holds:
                cause = PAGE_CACHE
            if cause is None or cause == _LOCK:
                continue
            found.setdefault(cause, [0] * samples)[index] += 1
            if index and _did_nothing(judgement.track, index):
                still.setdefault(cause, [0] * samples)[index] += 1
    rows = [
        PutWaits(
            cause=cause,
            threads=tuple(counts),
            still=tuple(still.get(cause, [0] * samples)),
            remedy=broker_remedy(cause),
        )
        for cause, counts in found.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-sum(row.threads), row.cause)))


def _did_nothing(track: Track, index: int) -> bool:
    """Whether a thread used no CPU time since the sample before; the clock of the JVM itself moves by a little."""
    before, now = track.records[index - 1], track.records[index]
    if before is None or now is None or before.cpu_ms is None or now.cpu_ms is None:
        return False
    return now.cpu_ms - before.cpu_ms <= FLOOR_MS


class _PutCauses:
    """What a send thread waits for, found once for each stack."""

    def __init__(self) -> None:
        self._known: dict[StackMeaning, StandstillCause | Literal["lock"] | None] = {}

    def of(self, meaning: StackMeaning | None) -> StandstillCause | Literal["lock"] | None:
        """The cause; "lock" before the put lock; None where it waits for neither."""
        if meaning is None or meaning.idle:
            return None
        if meaning not in self._known:
            self._known[meaning] = _put_cause(meaning.methods)
        return self._known[meaning]


def _put_cause(methods: Sequence[str]) -> StandstillCause | Literal["lock"] | None:
    for marks, cause in BROKER_CAUSES:
        if any(mark in method for method in methods for mark in marks):
            return cause
    if any(_NEW_FILE in method for method in methods):
        return PAGE_CACHE
    return _LOCK if any(lock in method for method in methods for lock in _LOCKS) else None
