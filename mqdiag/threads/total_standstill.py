"""A process in which every thread waits without a limit, and no thread is left that could wake one.

One dump proves it: what a thread waits for comes from another thread of the process, or from outside by a thread that
listens, a timer or a pool that runs tasks. Where none of these is there, nothing ever comes. A pool that rests may get
tasks from code that no dump shows, so beside it only a `main` that waits for more than the end of others is told.
"""

from __future__ import annotations

import msgspec

from mqdiag.facts.vocabulary import Doing
from mqdiag.text import say
from mqdiag.threads import roles
from mqdiag.threads.judgement import Judgement, Revision, Run, World
from mqdiag.threads.known_rests import is_of_tools, shows_all_threads
from mqdiag.threads.tracks import Track

LEAST_THREADS = 2
"""threads without which nothing is said while main is there: one alone may just keep the JVM alive"""
_MAIN, _MAIN_HAS_ENDED = "main", "DestroyJavaVM"
_FOR_OTHERS: frozenset[Doing] = frozenset(
    {"monitor", "lock", "queue", "condition", "object-wait", "park", "latch", "join", "future", "semaphore"}
)
"""waits that another thread of the process ends; who takes from a queue of its own needs one that puts"""


def by_total_standstill(judgement: Judgement, world: World) -> Revision | None:
    """Decide for a thread that no thread is left to wake."""
    members, track = world.once(standing), judgement.track
    # whom locks stop is told with the locks
    is_fault_anyway = track.is_worker or any(one.last_meaning.doing in ("monitor", "lock") for one in members)
    if track not in members or (judgement.makes_no_progress and is_fault_anyway):
        return None
    return msgspec.structs.replace(
        judgement.now,
        state="blocked",
        confidence="low",
        reason=say(
            "all {threads:count} threads of the process wait without a limit, and none is left that could wake one",
            threads=len(members),
        )
        if len(members) > 1
        else say("no thread of the process is left that could wake it"),
        in_crowd=True,
        may_be_meant=False,
        run=Run(count=len(track.judged)),
    )


def standing(world: World) -> set[Track]:
    """Those that wait for each other; empty if a thread works, waits with a limit, or rests where work can come in.

    Who only waits for the end of others is a consequence, where others are there.
    """
    members, pools_at_rest = world.once(_members)
    told = {track for track in members if track.last_meaning.doing != "join"}
    if pools_at_rest:
        return told if any(track.name == _MAIN for track in told) else set()
    return told or members


def left_alone(world: World) -> set[Track]:
    """The same with those that wait for the end of others; empty where a pool rests, which may get a task."""
    members, pools_at_rest = world.once(_members)
    return set() if pools_at_rest else members


def _members(world: World) -> tuple[set[Track], int]:
    """(threads that wait without a limit, threads of pools that rest); none where another thread is left."""
    if not shows_all_threads(world):
        return set(), 0
    members = set()
    pools_at_rest = 0
    least = LEAST_THREADS
    for judgement in world.judgements:
        track = judgement.track
        if track.name == _MAIN_HAS_ENDED:
            least = 1
        if (
            track.ended
            or _is_of_jvm(judgement)
            or (judgement.state == "idle" and is_of_tools(track.last_meaning))
        ):
            continue
        if _rests_in_pool(track):
            pools_at_rest += 1
        elif not _waits_for_ever(track, world):
            return set(), 0
        else:
            members.add(track)
    return (set(), 0) if len(members) + pools_at_rest < least else (members, pools_at_rest)


def _rests_in_pool(track: Track) -> bool:
    """Whether it waits without a limit for a task of its pool, which another thread must bring."""
    meaning = track.last_meaning
    return track.role == roles.POOL and meaning.idle and meaning.stack.state == "WAITING"


def _is_of_jvm(judgement: Judgement) -> bool:
    return judgement.track.role == roles.JVM and judgement.track.last_meaning.own_index < 0


def _waits_for_ever(track: Track, world: World) -> bool:
    meaning = track.last_meaning
    if meaning.doing == "monitor":
        # a monitor always has an owner: one that the dump does not show may be giving it back
        wait = world.last_wait(track)
        if wait is None or wait.owner is None:
            return False
    untimed = meaning.stack.state in ("WAITING", "BLOCKED")
    return untimed and meaning.own_index >= 0 and not track.lacks_frames and meaning.doing in _FOR_OTHERS
