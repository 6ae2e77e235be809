"""What the workers of each pool were found doing over the series."""

from __future__ import annotations

from collections import Counter, defaultdict

from mqdiag.facts.stacks import WorkerPool
from mqdiag.threads import roles
from mqdiag.threads.decide import Judgement
from mqdiag.threads.put_waits import put_waits

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
    frames: Counter[tuple[str, str]] = Counter()
    kinds: Counter[str] = Counter()
    looks = sleeping = 0
    worker = first.role == roles.CONSUME_WORKER
    for judgement in judgements:
        for index in judgement.track.present:
            view = judgement.track.views[index]
            if view is None or view.idle:
                continue
            if worker and not view.in_listener:
                continue
            busy[index] += 1
            looks += 1
            frames[(view.own_frame or view.top or "?", view.doing)] += 1
            if view.doing == "sleep" and view.own_index >= 0:
                sleeping += 1
            if view.consume_kind:
                kinds[view.consume_kind] += 1
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
        shared_share=round(shared[0][1] / looks, 3) if looks else 0.0,
        sleeping_share=round(sleeping / looks, 3) if looks else 0.0,
        kind=kinds.most_common(1)[0][0] if kinds else None,
        put_waits=put_waits(judgements, samples) if first.role == roles.BROKER_SEND else (),
    )
