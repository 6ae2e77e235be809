"""Thread pools and log events of two sides."""

from __future__ import annotations

from mqdiag.diff.growth import growth
from mqdiag.facts import LogsFacts, StacksFacts
from mqdiag.facts.diff import EventGrowth, PoolGrowth
from mqdiag.facts.stacks import WorkerPool


def pool_growth(before: StacksFacts, after: StacksFacts) -> tuple[PoolGrowth, ...]:
    """Worker pools by name and group."""
    old = {(pool.pool, pool.group): pool for pool in before.pools}
    new = {(pool.pool, pool.group): pool for pool in after.pools}
    return tuple(
        PoolGrowth(
            pool=key[0],
            group=key[1],
            threads=growth(_threads(old.get(key)), _threads(new.get(key))),
            **{
                state: growth(
                    None if key not in old else getattr(old[key], state),
                    None if key not in new else getattr(new[key], state),
                )
                for state in ("stuck", "blocked", "progressing", "idle", "unknown")
            },
        )
        for key in dict.fromkeys((*old, *new))
    )


def _threads(pool: WorkerPool | None) -> int | None:
    return None if pool is None else len(pool.threads)


def event_growth(before: LogsFacts, after: LogsFacts) -> tuple[EventGrowth, ...]:
    """Lines by kind of event, the largest growth first; logs of different length are compared as they are."""
    kinds = dict.fromkeys((*(one.kind for one in before.events), *(one.kind for one in after.events)))
    rows = [EventGrowth(kind=kind, lines=growth(before.count(kind), after.count(kind))) for kind in kinds]
    return tuple(sorted(rows, key=lambda row: (-(row.lines.grown or 0), row.kind)))
