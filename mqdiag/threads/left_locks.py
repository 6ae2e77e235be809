"""Locks that no thread of a dump can give back; one dump shows it.

Either the dump names an owner that has ended its task and waits for the next one: whatever would give the lock back has
returned. Or all threads rest but those that want locks, and nobody can have one of them: a thread ended without giving
it back, or one that has it for reading wants it for writing too.
"""

from __future__ import annotations

from collections import defaultdict

from mqdiag.facts.vocabulary import LockLeft
from mqdiag.knowledge.library import JDK
from mqdiag.threads import roles
from mqdiag.threads.judgement import World
from mqdiag.threads.known_rests import hides_virtual_threads, rests_for_sure, shows_all_threads
from mqdiag.threads.lock_passes import deadlocked
from mqdiag.threads.locks import Wait
from mqdiag.threads.one_dump_passes import LEAST_CROWD
from mqdiag.threads.stack_meaning import StackMeaning
from mqdiag.threads.tracks import Track

MOST_CPU = 0.02
"""share of its time in which a thread may have worked that hands no lock on thousands of times a second"""
_FAIR = "$FairSync"
_ROLES = frozenset({roles.POOL, roles.OTHER})
"""what RocketMQ's own threads wait for has rules of its own"""
_LOCK_WAITS = ("monitor", "lock")


def left_locks(world: World) -> dict[tuple[int, str], LockLeft]:
    """Locks of the last samples that nobody gives back, by JVM and object id."""
    waits = {
        track: wait
        for track in world.by_track
        if not track.ended and (wait := world.last_wait(track)) is not None and wait.object_id
    }
    found: dict[tuple[int, str], LockLeft] = {}
    for track, wait in waits.items():
        if wait.owner is not None and not wait.inferred and _has_left(wait.owner, wait):
            found[track.jvm, wait.object_id] = "owner-rests"
    owners = {wait.owner for wait in waits.values() if wait.owner is not None} - waits.keys()
    if waits and not owners and not world.once(deadlocked) and _all_others_rest(world, waits):
        waiters: dict[tuple[int, str], list[Track]] = defaultdict(list)
        for track, wait in waits.items():
            if wait.owner is None and wait.owner_name is None:
                waiters[track.jvm, wait.object_id].append(track)
        for lock, tracks in waiters.items():
            if not _may_change_hands(tracks, waits[tracks[0]], world):
                found[lock] = "nobody-works"
    return found


def _may_change_hands(tracks: list[Track], wait: Wait, world: World) -> bool:
    """Whether threads may wait for a lock that is free for the moment in which it wakes the next of them.

    That takes a lock which is wanted all the time: then many threads work hard, and few wait, or who gave a fair lock
    back wants it again.
    """
    if any(track.role not in _ROLES or not _waits_in_all_samples(track, world) for track in tracks):
        return True
    if wait.class_name.endswith(_FAIR):
        return len(tracks) > 1
    return len(tracks) < LEAST_CROWD and not all(map(_is_quiet, tracks))


def _waits_in_all_samples(track: Track, world: World) -> bool:
    return all(track in world.graphs[index].waits for index in track.judged)


def _is_quiet(track: Track) -> bool:
    """Whether a thread has worked little since it began; without CPU times, whether no pool gives it tasks."""
    cpu_ms, elapsed_s = track.last.cpu_ms, track.last.elapsed_s
    if cpu_ms is None or not elapsed_s:
        return not track.last_meaning.in_pool_task
    return cpu_ms <= MOST_CPU * elapsed_s * 1000


def _has_left(owner: Track, wait: Wait) -> bool:
    """Whether the owner of a lock waits in its pool for the next task; a monitor ends with its block."""
    meaning = owner.last_meaning
    return wait.kind == "synchronizer" and owner.role == roles.POOL and meaning.idle


def _all_others_rest(world: World, waits: dict[Track, Wait]) -> bool:
    """Whether each thread of a whole dump waits for a lock without a limit, or for work."""
    if not shows_all_threads(world) or hides_virtual_threads(world):
        return False
    for judgement in world.judgements:
        track = judgement.track
        if track.ended:
            continue
        wait, meaning = waits.get(track), track.last_meaning
        if wait is None:
            # code of an application may wait for work in turn, under a lock
            if meaning.own_index >= 0 or not rests_for_sure(track, meaning):
                return False
        elif not _wants_without_limit(meaning, wait):
            return False
    return True


def _wants_without_limit(meaning: StackMeaning, wait: Wait) -> bool:
    """Whether code outside the JDK waits for a lock for as long as it takes; somebody has each monitor."""
    if meaning.stack.state not in ("WAITING", "BLOCKED") or meaning.doing not in _LOCK_WAITS:
        return False
    if wait.owner is None and wait.kind != "synchronizer":
        return False
    # threads take turns to accept connections, and to take from a queue
    return meaning.locking is None or not meaning.locking.startswith(JDK)
