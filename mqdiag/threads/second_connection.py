"""A thread that has a connection of a pool waits for another one of the same: the pool may never give it.

It happens where a call is made inside of another call of the same client, such as for a token in an authenticator, or
in a transaction of its own inside of a transaction. Whoever waits keeps what it has, and so do the others.
"""

from __future__ import annotations

import msgspec

from mqdiag.knowledge.lookup import library_of_frame, pool_of_frame
from mqdiag.knowledge.own_code import is_own
from mqdiag.text import say
from mqdiag.threads import roles
from mqdiag.threads.doing import REMOTE_WAITS
from mqdiag.threads.judgement import Judgement, Revision, World
from mqdiag.threads.pool_users import families_of
from mqdiag.threads.stack_meaning import StackMeaning

_NEW_TRANSACTION = "AbstractPlatformTransactionManager.handleExistingTransaction"
"""Spring begins a transaction although there is one, which keeps its connection: REQUIRES_NEW"""
_IN_TRANSACTION = ("TransactionAspectSupport.invokeWithinTransaction", "TransactionTemplate.execute")
"""what is called below them has the connection of a transaction of Spring until it returns"""


def by_second_connection(judgement: Judgement, world: World) -> Revision | None:
    """Decide for a thread that waits inside of a call that has a connection, while no thread works with one."""
    if judgement.state == "blocked" or not _waits_inside_a_call(judgement.track.last_meaning):
        return None
    if any(
        _works_with_one(other, judgement.track.last_meaning)
        for other in world.judgements
        if other.track.jvm == judgement.track.jvm
    ):
        return None
    return msgspec.structs.replace(
        judgement.now,
        state="blocked",
        confidence="medium",
        reason=say(
            "waits for a connection inside of a call that has one, and no thread is at work with another"
        ),
        in_crowd=True,
        second_connection=True,
        run=msgspec.structs.replace(judgement.run, count=max(judgement.run.count, 1)),
    )


def waits_for_pool(_role: object, meaning: StackMeaning) -> bool:
    """Whether it waits for a connection, in code of the application."""
    return meaning.doing == "pool" and meaning.own_index >= 0


def _waits_inside_a_call(meaning: StackMeaning) -> bool:
    """Whether the same call of the pool's client is on the stack twice, with code of the application between."""
    pool = meaning.library
    if pool is None or not waits_for_pool(None, meaning):
        return False
    if pool.family == "jdbc" and any(method.endswith(_NEW_TRANSACTION) for method in meaning.methods):
        return True
    inner = {method for method in meaning.methods[: meaning.own_index] if _is_of_client(method, meaning)}
    return any(method in inner for method in meaning.methods[meaning.own_index :] if not is_own(method))


def _is_of_client(method: str, meaning: StackMeaning) -> bool:
    """Whether a method belongs to the client whose connections the pool has."""
    assert meaning.library is not None
    found = library_of_frame(method)
    if found is None or found.kind == "framework" or pool_of_frame(method) is not None:
        return False
    return found.family in families_of(meaning.library)


def _works_with_one(other: Judgement, waiting: StackMeaning) -> bool:
    """Whether a thread is at work in a client of the kind that uses the pool.

    In a transaction with a database it may wait for anything but the pool: its connection comes back after that.
    """
    meaning = other.track.last_meaning
    if other.track.role == roles.JVM or meaning.doing == "pool":
        return False
    of_database = waiting.library is not None and waiting.library.family == "jdbc"
    if of_database and any(method.endswith(_IN_TRANSACTION) for method in meaning.methods):
        return True
    at_work = meaning.doing in REMOTE_WAITS | {"running"}
    return at_work and any(_is_of_client(method, waiting) for method in meaning.methods)
