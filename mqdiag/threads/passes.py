"""The passes over all threads that follow the first decisions, in their order.

A pass takes a judgement and the world of all threads, and gives a revision of the judgement, or None. Revisions take
effect when the pass has seen all threads, so a pass does not depend on the order of the threads. `mqdiag stacks
--debug` writes the revisions of each thread to standard error.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import msgspec

from mqdiag.facts.vocabulary import Role
from mqdiag.threads.call_passes import by_call_object
from mqdiag.threads.future_pass import by_future, may_wait_for_future
from mqdiag.threads.judgement import Judgement, Revision, World
from mqdiag.threads.lock_passes import (
    by_class_initializer,
    by_deadlock,
    by_lock_owner,
    by_owner_without_progress,
    by_what_it_holds,
    may_wait_for_class,
)
from mqdiag.threads.one_dump_passes import by_crowd, by_full_log_queue, is_in_full_log_queue
from mqdiag.threads.pool_passes import (
    by_calls_of_others,
    by_connection_pool,
    by_starved_pool,
    by_users_and_waiters,
    gets_inside_a_task,
    is_in_listener,
    waits_for_connection,
)
from mqdiag.threads.second_connection import by_second_connection, waits_for_pool
from mqdiag.threads.send_path_passes import (
    by_put_lock_holder,
    by_wait_for_next_file,
    may_wait_for_next_file,
    waits_for_put_lock,
)
from mqdiag.threads.stack_meaning import StackMeaning
from mqdiag.threads.total_standstill import by_total_standstill


class Pass(msgspec.Struct, frozen=True, kw_only=True):
    """One step over all threads."""

    name: str
    """who made a revision: "stuck by own samples -> blocked by lock owner" """
    decides: str
    revise: Callable[[Judgement, World], Revision | None]
    concerns: Callable[[Role, StackMeaning], bool] | None = None
    """whether it may revise threads of a role with this last stack, asked once for all of them; None for any thread"""
    needs_series: bool = True
    """False for what one dump shows"""
    repeats: bool = False
    """runs again until nothing changes, for chains of threads; it revises each thread once"""


PASSES: tuple[Pass, ...] = (
    Pass(
        name="what it holds",
        decides="A thread that seems to wait for work is judged like a worker while others wait for a lock that it"
        " holds.",
        revise=by_what_it_holds,
        needs_series=False,
    ),
    Pass(
        name="objects of calls",
        decides="Without CPU times, a thread is stuck if the object of its call stays the same, and moves if the object"
        " is another one though no collection moved objects.",
        revise=by_call_object,
    ),
    Pass(
        name="users of connections",
        decides="Without CPU times, threads stand if all samples show the same users of a connection pool and the same"
        " threads before it; who waits for a pool moves if others get its connections.",
        revise=by_users_and_waiters,
    ),
    Pass(
        name="lock owner",
        decides="A thread that waits for a lock is blocked while one owner keeps it, and moves when the owner changes.",
        revise=by_lock_owner,
        needs_series=False,
    ),
    Pass(
        name="owner without progress",
        decides="Without CPU times, a thread that waits for a lock is blocked if the owner makes no progress.",
        revise=by_owner_without_progress,
        repeats=True,
    ),
    Pass(
        name="put lock",
        decides="A broker's send thread that spins before the put lock is blocked if its holder makes no progress.",
        revise=by_put_lock_holder,
        concerns=waits_for_put_lock,
    ),
    Pass(
        name="next commit log file",
        decides="A broker's send threads are blocked if in every sample one of them waits for the next commit log file"
        " and the others for the put lock, even though the holder of the lock changes. The thread that makes the file"
        " is stuck if all samples show it in one call, and unknown if no thread waits for that file.",
        revise=by_wait_for_next_file,
        concerns=may_wait_for_next_file,
    ),
    Pass(
        name="connection pool",
        decides="A thread that waits for a pooled connection is blocked by the threads that use the connections, unless"
        " other threads get one.",
        revise=by_connection_pool,
        concerns=waits_for_connection,
    ),
    Pass(
        name="class initializer",
        decides="A thread that waits for a class is blocked by the thread that runs its static initializer.",
        revise=by_class_initializer,
        concerns=may_wait_for_class,
    ),
    Pass(
        name="calls of others",
        decides="A thread is not yet stuck if other threads of its pool came back from calls that were nearly as long.",
        revise=by_calls_of_others,
        concerns=is_in_listener,
    ),
    Pass(
        name="future",
        decides="A thread that waits for a future is blocked by the pool that runs its tasks, if that pool makes no"
        " progress.",
        revise=by_future,
        concerns=may_wait_for_future,
        repeats=True,
    ),
    Pass(
        name="starved pool",
        decides="Threads of a pool are blocked if all of them wait for tasks that no thread runs.",
        revise=by_starved_pool,
        concerns=gets_inside_a_task,
        needs_series=False,
    ),
    Pass(
        name="total standstill",
        decides="Threads of a whole dump are blocked if all of the process wait without a limit, and none is left that"
        " could wake one.",
        revise=by_total_standstill,
        needs_series=False,
    ),
    Pass(
        name="second connection",
        decides="A thread is blocked if it waits for a pooled connection inside of a call that has one, and no thread"
        " is at work with another.",
        revise=by_second_connection,
        concerns=waits_for_pool,
        needs_series=False,
    ),
    Pass(
        name="crowd",
        decides="In a single dump, threads are blocked if more of them wait for one lock than do other work, or if"
        " twice as many wait for one pool of connections as do other work.",
        revise=by_crowd,
        needs_series=False,
    ),
    Pass(
        name="full log queue",
        decides="In a single dump, a thread is blocked if its frame says that the logger's queue is full.",
        revise=by_full_log_queue,
        concerns=is_in_full_log_queue,
        needs_series=False,
    ),
    Pass(
        name="deadlock",
        decides="Threads that wait for each other in a cycle stay blocked; one dump shows it.",
        revise=by_deadlock,
        needs_series=False,
    ),
)


_MOST_ROUNDS = 100
"""rounds of a pass that repeats: each goes one thread further up a chain of waits; hostile dumps chain thousands"""


def run_passes(world: World) -> None:
    """Revise all judgements, pass by pass."""
    for one in PASSES:
        if not one.needs_series or world.series.not_judged is None:
            _run(one, world)
    world.forget()
    logging = sys.modules.get("logging")  # whoever wants a log has imported it, which takes 2 ms
    if logging is not None and (log := logging.getLogger(__name__)).isEnabledFor(logging.DEBUG):
        for judgement in world.judgements:
            if judgement.earlier:
                log.debug("%s: %s", judgement.track.name, judgement.history())


def _run(one: Pass, world: World) -> None:
    left = [
        judgement
        for (role, meaning), same in world.by_place.items()
        if one.concerns is None or one.concerns(role, meaning)
        for judgement in same
    ]
    for _ in range(_MOST_ROUNDS if one.repeats else 1):
        world.forget()
        revised: dict[Judgement, Revision] = {}
        for judgement in left:
            revision = one.revise(judgement, world)
            if revision is not None:
                revised[judgement] = msgspec.structs.replace(revision, made_by=one.name)
        for judgement, revision in revised.items():
            judgement.revise(revision)
        if not revised:
            return
        left = [judgement for judgement in left if judgement not in revised]
