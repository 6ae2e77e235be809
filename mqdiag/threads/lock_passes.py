"""Passes that follow locks: from a waiting thread to the owner of what it waits for."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise

import msgspec

from mqdiag.facts.vocabulary import Role
from mqdiag.read.stacks.records import CLASS_INIT
from mqdiag.text import say
from mqdiag.threads import roles
from mqdiag.threads.decide import decide_busy
from mqdiag.threads.judgement import Judgement, Revision, World
from mqdiag.threads.locks import Initializers, cycle_of
from mqdiag.threads.stack_meaning import StackMeaning
from mqdiag.threads.tracks import Track, is_same_call


def by_what_it_holds(judgement: Judgement, world: World) -> Revision | None:
    """Decide like for a worker about a thread that seems to wait for work: others wait for a lock that it holds."""
    track = judgement.track
    rests = judgement.state == "idle" or judgement.now.may_be_meant
    if not rests or track not in world.once(owners_of_locks):
        return None
    # who waits may have come a moment ago; the holder has been in one call all the time if its object says so
    stays = len(track.judged) > 1 and is_same_call(track, track.judged[0])
    if not stays and track not in world.once(_owners_of_awaited_locks):
        return None
    if track.last_meaning.top is None:
        return None  # without a frame there is no work to name
    if len(track.judged) == 1 or world.series.not_judged is not None:
        return msgspec.structs.replace(
            judgement.now,
            state="unknown",
            confidence=None,
            reason=say(
                "others wait for a lock that it holds: it does not rest, and one sample shows no progress"
            ),
        )
    return decide_busy(track, world.series)


def _owners_of_awaited_locks(world: World) -> set[Track]:
    """The owners of locks for which threads without progress wait.

    A thread that rests may have given a lock back in the same method, so its frames alone make it no owner.
    """
    waits = (
        world.last_wait(judgement.track)
        for judgement in world.judgements
        if judgement.state == "stuck" or judgement.now.unchanged or world.series.not_judged is not None
    )
    return {wait.owner for wait in waits if wait is not None and wait.owner is not None and not wait.inferred}


def owners_of_locks(world: World) -> set[Track]:
    """Threads that hold a lock for which others wait in their last sample, by lines of the dump."""
    waits = (world.last_wait(judgement.track) for judgement in world.judgements)
    return {wait.owner for wait in waits if wait is not None and wait.owner is not None and not wait.inferred}


def owners_of_late_waits(world: World) -> dict[Track, int]:
    """Owners of locks before which no thread is known to stand, with how many wait there in the last sample."""
    waiting: Counter[Track] = Counter()
    standing: set[Track] = set()
    for judgement in world.judgements:
        wait = world.last_wait(judgement.track)
        if wait is None or wait.owner is None or wait.inferred or wait.owner.role == roles.JVM:
            continue
        waiting[wait.owner] += 1
        if judgement.makes_no_progress:
            standing.add(wait.owner)
    return {owner: count for owner, count in waiting.items() if owner not in standing}


def inferred_waiters(world: World) -> set[Track]:
    """Threads that wait for a lock of which no line of the dump names the owner, but frames do."""
    tracks = (judgement.track for judgement in world.judgements)
    return {track for track in tracks if (wait := world.last_wait(track)) is not None and wait.inferred}


def by_lock_owner(judgement: Judgement, world: World) -> Revision | None:
    """Decide by the owner of the lock; without a series, name it only."""
    now, track = judgement.now, judgement.track
    wait = world.last_wait(track)
    if wait is None:
        if now.state == "stuck" and track.last_meaning.doing in ("monitor", "lock"):
            return msgspec.structs.replace(now, state="blocked")
        return None
    owner = wait.owner
    named = now if owner is None else msgspec.structs.replace(now, waits_for=owner)
    if now.state != "stuck":
        return None if owner is None else named
    owners = _owners(judgement, world)
    if len(owners) > 1 and track.role == roles.BROKER_SEND and _owner_rarely_changes(judgement, world):
        return msgspec.structs.replace(
            named,
            state="blocked",
            confidence="medium",
            reason=say(
                "the owner of its lock changes, but each owner keeps the lock over several samples and then gives up"
            ),
        )
    if len(owners) > 1:
        return _owner_changes(named, len(owners))
    if owner is not None and world.by_track[owner].state == "progressing":
        return msgspec.structs.replace(
            named,
            state="blocked",
            confidence="low",
            reason=say("waits for a lock whose owner is at work: the queue may only be long"),
        )
    return msgspec.structs.replace(named, state="blocked")


def _owner_changes(now: Revision, owners: int) -> Revision:
    return msgspec.structs.replace(
        now,
        state="progressing",
        confidence="medium",
        reason=say(
            "waits for a lock whose owner changes ({owners:count} owners seen): it moves", owners=owners
        ),
    )


def _owner_rarely_changes(judgement: Judgement, world: World) -> bool:
    """Whether a lock has the same owner in most pairs of samples: a holder that gives up is no progress."""
    track = judgement.track
    seen = [
        wait.owner
        for index in track.judged
        if index >= judgement.run.first and (wait := world.graphs[index].waits.get(track)) is not None
    ]
    changes = sum(1 for one, other in pairwise(seen) if one is not other)
    return judgement.run.count == len(track.judged) and 2 * changes <= len(seen) - 1


def _owners(judgement: Judgement, world: World) -> set[Track]:
    """The owners of what the thread waits for, over its run of samples."""
    track = judgement.track
    owners = set()
    for index in track.judged:
        if index < judgement.run.first:
            continue
        wait = world.graphs[index].waits.get(track)
        if wait is not None and wait.owner is not None:
            owners.add(wait.owner)
    return owners


def by_owner_without_progress(judgement: Judgement, world: World) -> Revision | None:
    """Decide for a thread without CPU time by the owner of its lock."""
    now = judgement.now
    if now.state != "unknown" or now.run.cpu_growth_ms is not None or not now.run.count:
        return None
    owners = _owners(judgement, world)
    if len(owners) > 1:
        return msgspec.structs.replace(_owner_changes(now, len(owners)), unchanged=False)
    owner = next(iter(owners), None)
    if not now.unchanged or owner is None:
        return None
    if owner not in world.once(deadlocked) and not world.by_track[owner].makes_no_progress:
        return None
    return msgspec.structs.replace(
        now,
        state="blocked",
        confidence="medium",
        unchanged=False,
        waits_for=owner,
        reason=say("waits for one lock, and its owner makes no progress; the dumps hold no CPU time"),
    )


def by_class_initializer(judgement: Judgement, world: World) -> Revision | None:
    """Decide for a thread that waits for a class; the JVM names no owner of a class."""
    now, meaning = judgement.now, judgement.track.last_meaning
    if now.state != "stuck" or now.computing:
        return None
    wanted = next((lock.class_name for lock in meaning.stack.locks if lock.kind == CLASS_INIT), None)
    owner = world.once(_running_initializers).only_other(judgement.track, wanted or "")
    return None if owner is None else msgspec.structs.replace(now, state="blocked", waits_for=owner)


def _running_initializers(world: World) -> Initializers:
    running = Initializers()
    for (_, meaning), same in world.by_place.items():
        if meaning.initializes:
            for judgement in same:
                running.add(judgement.track, meaning.initializes)
    return running


def may_wait_for_class(_role: Role, meaning: StackMeaning) -> bool:
    """Before JDK 17 such a wait looks like code that runs, and costs no CPU time."""
    return meaning.doing == "class-init" or (
        meaning.doing == "running"
        and bool(meaning.stack.frames)
        and "(Native Method)" not in meaning.stack.frames[0]
    )


def by_deadlock(judgement: Judgement, world: World) -> Revision | None:
    """Decide for a member of a cycle: it needs no series, as none of the threads can ever move."""
    found = world.once(deadlocked).get(judgement.track)
    if found is None:
        return None
    size, holder = found
    return msgspec.structs.replace(
        judgement.now,
        state="blocked",
        confidence="high",
        reason=say("waits in a cycle of {size:count} threads: a deadlock", size=size),
        waits_for=holder,
    )


def deadlocked(world: World) -> dict[Track, tuple[int, Track | None]]:
    """Members of cycles in the last samples, each with the size of its cycle and the thread that it waits for."""
    members: dict[Track, tuple[int, Track | None]] = {}
    for cycle in (cycle for index in world.last_samples for cycle in world.graphs[index].cycles()):
        for place, track in enumerate(cycle):
            members[track] = (len(cycle), cycle[(place + 1) % len(cycle)])
    told = [pairs for index in world.last_samples for pairs in world.series.samples[index].deadlocks]
    by_name: dict[str, list[Track]] = defaultdict(list)
    for track in world.by_track if told else ():
        by_name[track.name].append(track)
    for pairs in told:
        names = cycle_of(pairs)
        for place, waiter in enumerate(names):
            # a name that two threads have names neither
            if len(by_name[waiter]) == 1:
                holders = by_name[names[(place + 1) % len(names)]]
                members.setdefault(by_name[waiter][0], (len(names), holders[0] if len(holders) == 1 else None))
    return members
