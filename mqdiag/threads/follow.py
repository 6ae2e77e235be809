"""From waiting threads to what they wait for: lock owners, pool users, business pools behind a future."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

from mqdiag.text import say
from mqdiag.threads import roles
from mqdiag.threads.align import Track
from mqdiag.threads.class_init import follow_class_init
from mqdiag.threads.decide import BLOCKED, LONG_RUN_S, PROGRESSING, STUCK, UNKNOWN, Judgement
from mqdiag.threads.futures import follow_futures
from mqdiag.threads.locks import LockGraph, cycle_of
from mqdiag.threads.same_call import same_call
from mqdiag.threads.send_path import follow_send_path
from mqdiag.threads.series import Series
from mqdiag.threads.siblings import doubt_by_siblings
from mqdiag.threads.starved_pools import mark_starved_pools

LOOKS_FOR_SILENCE = 60
"""looks (threads x samples) that must all show the same before a series without CPU time is called stuck: a
progressing thread shows the same frames twice with 96 %, so 60 looks do it by chance in 9 % of such pools"""


def follow(judgements: list[Judgement], graphs: list[LockGraph], series: Series) -> frozenset[Track]:
    """Complete the decisions that need other threads; gives the members of deadlocks."""
    by_track = {judgement.track: judgement for judgement in judgements}
    if series.not_judged is None:
        _decide_without_cpu(judgements)
    _follow_locks(judgements, by_track, graphs)
    if series.not_judged is None:
        _follow_locks_without_cpu(judgements, by_track, graphs)
        _follow_put_lock(judgements, by_track, graphs)
        follow_send_path(judgements, series)
        _follow_pools(judgements)
        follow_class_init(judgements)
        doubt_by_siblings(judgements, series)
        follow_futures(judgements)
        mark_starved_pools(judgements)
    return _deadlocked(graphs, by_track, series)


def _decide_without_cpu(judgements: list[Judgement]) -> None:
    """One more look at the threads whose CPU time is unknown."""
    sites: dict[tuple[object, ...], list[Judgement]] = defaultdict(list)
    for judgement in judgements:
        track = judgement.track
        view = track.last_view
        tasked = view.in_listener or view.in_pool_task or track.is_worker or track.role == roles.VIRTUAL
        if judgement.cpu_growth is None and tasked:
            sites[(track.jvm, track.pool, view.work)].append(judgement)
    for here in sites.values():
        candidates = [judgement for judgement in here if judgement.candidate]
        if not candidates:
            continue
        looks = sum(judgement.count for judgement in candidates)
        silent = len(candidates) == len(here) and all(judgement.same_addresses for judgement in here)
        for judgement in candidates:
            view = judgement.track.last_view
            if view.doing in ("monitor", "lock", "pool", "running", "sleep"):
                # these repeat the same frames and objects while they progress
                judgement.reason = say(
                    "the dumps hold no CPU time, and this wait looks the same while it progresses"
                )
                continue
            if judgement.track.role == roles.VIRTUAL and judgement.count >= 3:
                _stuck_without_cpu(judgement, say("in a virtual thread, which lives for one task"))
            elif same_call(judgement.track, judgement.first):
                _stuck_without_cpu(judgement, say("waits for the same object, made for one call"))
            elif silent and looks >= LOOKS_FOR_SILENCE:
                _stuck_without_cpu(judgement, say("nothing changed in {looks} looks at this pool", looks=looks))
            else:
                judgement.reason = say("the dumps hold no CPU time; the same frames alone prove nothing")


def _stuck_without_cpu(judgement: Judgement, why: str) -> None:
    judgement.state = STUCK
    judgement.confidence = "medium"
    judgement.reason = say(
        "the same frames in {count} samples, {why}; CPU time is not in these dumps",
        count=judgement.count,
        why=why,
    )


def _follow_locks(
    judgements: list[Judgement], by_track: dict[Track, Judgement], graphs: list[LockGraph]
) -> None:
    for judgement in judgements:
        track = judgement.track
        wait = graphs[track.present[-1]].waits.get(track)
        if wait is None:
            if judgement.state == STUCK and track.last_view.doing in ("monitor", "lock"):
                judgement.state = BLOCKED
            continue
        if wait.owner is not None:
            judgement.holder = wait.owner
        if judgement.state != STUCK:
            continue
        owners = _owners(judgement, graphs)
        if len(owners) > 1 and track.role == roles.BROKER_SEND and _rarely_changes(judgement, graphs):
            judgement.state, judgement.confidence = BLOCKED, "medium"
            judgement.reason += say("; each owner of the lock keeps it over samples, until its own time-out")
        elif len(owners) > 1:
            judgement.state = PROGRESSING
            judgement.confidence = "medium"
            judgement.reason = say(
                "waits for a lock whose owner changes ({owners} owners seen): it moves", owners=len(owners)
            )
        else:
            judgement.state = BLOCKED
            if wait.owner is not None and by_track[wait.owner].state == PROGRESSING:
                # the owner works: this is a queue, though a long one
                judgement.confidence = "low"


def _rarely_changes(judgement: Judgement, graphs: list[LockGraph]) -> bool:
    """Whether a lock has the same owner in most pairs of samples: a holder that gives up is no progress."""
    track = judgement.track
    seen = [
        wait.owner
        for index in track.present
        if index >= judgement.first and (wait := graphs[index].waits.get(track)) is not None
    ]
    changes = sum(1 for one, other in pairwise(seen) if one is not other)
    return judgement.count == len(track.present) and 2 * changes <= len(seen) - 1


def _owners(judgement: Judgement, graphs: list[LockGraph]) -> set[Track]:
    track = judgement.track
    owners = set()
    for index in track.present:
        if index < judgement.first:
            continue
        wait = graphs[index].waits.get(track)
        if wait is not None and wait.owner is not None:
            owners.add(wait.owner)
    return owners


def _follow_locks_without_cpu(
    judgements: list[Judgement], by_track: dict[Track, Judgement], graphs: list[LockGraph]
) -> None:
    """Waiters of one owner that stands still stand still too."""
    for judgement in judgements:
        if not judgement.candidate or judgement.state != UNKNOWN:
            continue
        owners = _owners(judgement, graphs)
        if len(owners) > 1:
            judgement.state, judgement.confidence = PROGRESSING, "medium"
            judgement.reason = say(
                "waits for a lock whose owner changes ({owners} owners seen): it moves", owners=len(owners)
            )
        elif owners and by_track[next(iter(owners))].still:
            judgement.state, judgement.confidence = BLOCKED, "medium"
            judgement.reason = say(
                "waits for the same lock, whose owner stands still; CPU time is not in these dumps"
            )


def _follow_put_lock(
    judgements: list[Judgement], by_track: dict[Track, Judgement], graphs: list[LockGraph]
) -> None:
    """A broker's send threads that spin before the put lock burn CPU time; their holder decides for them."""
    for judgement in judgements:
        track = judgement.track
        if track.role != roles.BROKER_SEND or judgement.still or track.last_view.doing != "lock":
            continue
        if any(view is None or view.doing != "lock" for view in track.views):
            continue
        holders = [
            other
            for other in judgements
            if other.still
            and other.track.jvm == track.jvm
            and other.track.last_view.doing not in ("lock", "monitor")
            and any("CommitLog." in method for method in other.track.last_view.methods)
        ]
        if holders:
            judgement.state, judgement.confidence = BLOCKED, "medium"
            judgement.holder = holders[0].track
            judgement.reason = say("spins before the put lock in all samples, and its holder stands still")


def _follow_pools(judgements: list[Judgement]) -> None:
    """Who waits for a connection waits for those who use the pool's connections."""
    users: dict[str, list[Judgement]] = defaultdict(list)
    moving: set[tuple[object, ...]] = set()
    for judgement in judgements:
        view = judgement.track.last_view
        if judgement.state == PROGRESSING:
            moving |= {
                (judgement.track.jvm, judgement.track.pool, seen.cause.library)
                for seen in judgement.track.views
                if seen is not None and seen.doing == "pool" and seen.cause is not None
            }
        if judgement.still and view.cause is not None and not view.cause.pool:
            users[view.cause.family].append(judgement)
    for judgement in judgements:
        view = judgement.track.last_view
        if judgement.state != STUCK or view.doing != "pool" or view.cause is None:
            continue
        if (judgement.track.jvm, judgement.track.pool, view.cause.library) in moving:
            judgement.state, judgement.confidence = PROGRESSING, "low"
            judgement.reason = say("waits for a connection of a pool that others get one from: it moves")
            continue
        judgement.state = BLOCKED
        holders = users.get(view.cause.family, [])
        if view.cause.family == "pooled":
            holders = users.get("redis", []) or users.get("jdbc", []) or users.get("rpc", [])
        if holders:
            judgement.holder = holders[0].track


def _deadlocked(graphs: list[LockGraph], by_track: dict[Track, Judgement], series: Series) -> frozenset[Track]:
    """A cycle needs no series: none of its threads can ever move."""
    if not graphs:
        return frozenset()
    members: dict[Track, tuple[int, Track | None]] = {}
    for cycle in graphs[-1].cycles():
        for place, track in enumerate(cycle):
            members[track] = (len(cycle), cycle[(place + 1) % len(cycle)])
    by_name: dict[str, list[Track]] = defaultdict(list)
    for track in by_track:
        by_name[track.name].append(track)
    for pairs in series.samples[-1].deadlocks:
        names = cycle_of(pairs)
        for place, waiter in enumerate(names):
            # a name that two threads have names neither
            if len(by_name[waiter]) == 1:
                holders = by_name[names[(place + 1) % len(names)]]
                members.setdefault(by_name[waiter][0], (len(names), holders[0] if len(holders) == 1 else None))
    for track, (size, holder) in members.items():
        judgement = by_track[track]
        judgement.state = BLOCKED
        judgement.confidence = "high"
        judgement.holder = holder
        judgement.reason = say("waits in a cycle of {size} threads: a deadlock", size=size)
    return frozenset(members)


def long_enough(judgement: Judgement) -> bool:
    """Whether the run is long enough for an error."""
    return judgement.count >= 3 and (judgement.seconds is None or judgement.seconds >= LONG_RUN_S)
