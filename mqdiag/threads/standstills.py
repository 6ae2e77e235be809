"""Threads that stand still, put together by pool and cause: what a rule speaks about."""

from __future__ import annotations

from collections import Counter, defaultdict

from mqdiag.facts.stacks import Standstill
from mqdiag.language import say
from mqdiag.read.stacks.records import CLASS_INIT
from mqdiag.threads import roles
from mqdiag.threads.align import Track
from mqdiag.threads.decide import BLOCKED, STUCK, Judgement
from mqdiag.threads.explain import Explanation, explain
from mqdiag.threads.present import cut_frames


def standstills(judgements: list[Judgement], deadlocked: frozenset[Track]) -> tuple[Standstill, ...]:
    """One entry for each pool, kind and cause; what other pools do only where it means a fault.

    Args:
        judgements: all threads.
        deadlocked: members of cycles, which are told as such.
    """
    by_track = {judgement.track: judgement for judgement in judgements}
    sizes = Counter(
        (judgement.track.jvm, judgement.track.pool) for judgement in judgements if judgement.track.pool
    )
    serving = _serving(judgements, by_track)
    found: dict[tuple[object, ...], list[tuple[Judgement, Explanation]]] = defaultdict(list)
    for judgement in judgements:
        undecided = judgement.computing and judgement.state not in (STUCK, BLOCKED)
        if (not judgement.still and not undecided) or judgement.track in deadlocked:
            continue
        track = judgement.track
        why = explain(track, track.last_view, computing=judgement.computing, starved=judgement.starved)
        if not _speaks(judgement, why, serving):
            continue
        holder = _root(judgement, by_track) if why.kind == "lock" else None
        key = (track.jvm, track.role, track.pool or track.name, why.kind, why.cause, holder, undecided)
        found[key].append((judgement, why))
    entries = [
        _entry(members, sizes, by_track, serving)
        for key, members in found.items()
        if not _is_lonely_lock(members)
    ]
    entries.sort(key=lambda entry: (-len(entry.threads), entry.pool or "", entry.cause))
    return tuple(entries)


def _root(judgement: Judgement, by_track: dict[Track, Judgement]) -> Track | None:
    """The end of the chain of holders: who must move first; in a cycle, the first of it that is met."""
    seen = {judgement.track}
    here = judgement.holder
    while here is not None and here not in seen:
        seen.add(here)
        onward = by_track[here].holder if here in by_track and by_track[here].still else None
        if onward is None or onward in seen:
            return here
        here = onward
    return here


def _serving(
    judgements: list[Judgement], by_track: dict[Track, Judgement]
) -> dict[tuple[int, str | None], str]:
    """Pools and threads that consume workers wait for, with the group that waits."""
    serving: dict[tuple[int, str | None], str] = {}
    for judgement in judgements:
        track = judgement.track
        if not track.is_worker or judgement.holder is None:
            continue
        seen: set[Track] = set()
        holder = by_track.get(judgement.holder)
        while holder is not None and holder.track not in seen:
            seen.add(holder.track)
            if not holder.track.is_worker:
                serving.setdefault(
                    (holder.track.jvm, holder.track.pool or holder.track.name), track.group or ""
                )
            holder = by_track.get(holder.holder) if holder.holder else None
    return serving


def _speaks(judgement: Judgement, why: Explanation, serving: dict[tuple[int, str | None], str]) -> bool:
    """Whether a standstill of this thread is a fault: in a consumer always, elsewhere only when it is plain."""
    track = judgement.track
    if track.is_worker or track.role == roles.BROKER_SEND or judgement.starved:
        return True
    if (track.jvm, track.pool or track.name) in serving:
        return True
    if track.role in (roles.JVM, roles.CARRIER):
        return False
    if track.role == roles.CALLBACK:
        return track.last_view.own_index >= 0
    view = track.last_view
    if not (view.in_pool_task or track.role == roles.VIRTUAL):
        return why.kind == "lock"
    if why.kind in ("socket-read", "pool"):
        return view.cause is not None and view.own_index >= 0
    return why.kind == "lock"


def _is_lonely_lock(members: list[tuple[Judgement, Explanation]]) -> bool:
    """One thread of no consumer that waits for a lock is no convoy."""
    judgement, why = members[0]
    return why.kind == "lock" and len(members) < 2 and not judgement.track.is_worker


def _entry(
    members: list[tuple[Judgement, Explanation]],
    sizes: Counter[tuple[int, str]],
    by_track: dict[Track, Judgement],
    serving: dict[tuple[int, str | None], str],
) -> Standstill:
    judgements = [judgement for judgement, _ in members]
    # what most of them do speaks for all
    common = Counter(judgement.track.last_view for judgement in judgements).most_common(1)[0][0]
    typical = next(judgement for judgement in judgements if judgement.track.last_view is common)
    why = next(item for judgement, item in members if judgement is typical)
    track = typical.track
    # the confidence that most of them share; one thread with a little more CPU time does not weaken the rest
    usual = Counter(judgement.confidence for judgement in judgements).most_common(1)[0][0]
    speaker = next(judgement for judgement in judgements if judgement.confidence == usual)
    root = _root(typical, by_track)
    holder = by_track.get(root) if root else None
    group = track.group
    serves = serving.get((track.jvm, track.pool or track.name))
    wait = next(
        (
            lock.class_name
            for lock in track.last.stack.locks
            if lock.kind in ("waiting to lock", "waiting to re-lock", "parking", CLASS_INIT)
        ),
        None,
    )
    seconds = [judgement.seconds for judgement in judgements if judgement.seconds is not None]
    growth = [judgement.cpu_growth for judgement in judgements if judgement.cpu_growth is not None]
    remedy = why.remedy
    cause = why.cause
    if why.kind == "pool" and holder is not None:
        # those who have the connections are the cause; the pool is only where it shows
        theirs = explain(holder.track, holder.track.last_view, computing=holder.computing)
        cause = theirs.cause
        remedy = (*theirs.remedy, *remedy)
    frames, _ = cut_frames(common)
    return Standstill(
        kind=why.kind,
        cause=cause,
        library=why.library,
        threads=tuple(judgement.track.name for judgement in judgements),
        role=track.role,
        pool=track.pool,
        pool_size=sizes[(track.jvm, track.pool)] if track.pool is not None else 1,
        group=group,
        frame=_frame(track),
        listener=common.listener,
        wait=common.top,
        samples=min(judgement.count for judgement in judgements),
        seconds=min(seconds) if seconds else None,
        cpu_growth_ms=max(growth) if growth else None,
        confidence=usual or "low",
        reason=speaker.reason,
        remedy=tuple(map(say, remedy)),
        holder=holder.track.name if holder else None,
        holder_does=_does(holder) if holder else None,
        holder_pool=holder.track.pool if holder else None,
        lock_class=wait if why.kind == "lock" else None,
        frames=frames,
        decided=any(judgement.still for judgement in judgements),
        serves=serves,
    )


def _frame(track: Track) -> str | None:
    """The frame that tells most: the user's own, or a broker thread's place in the store."""
    view = track.last_view
    if track.role == roles.BROKER_SEND:
        for frame in view.stack.frames:
            if ".rocketmq.store." in frame:
                return frame
    return view.own_frame


def _does(holder: Judgement) -> str:
    view = holder.track.last_view
    where = _frame(holder.track) or view.top or "?"
    return f"{view.doing} at {where}"
