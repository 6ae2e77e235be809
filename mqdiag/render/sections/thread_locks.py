"""Locks that threads wait for, with their owners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from mqdiag.facts import StacksFacts
from mqdiag.facts.thread_locks import LockFacts
from mqdiag.render.parts import (
    AnyPart,
    Branch,
    Figure,
    Several,
    Tree,
)
from mqdiag.render.wording.words import word
from mqdiag.text import Text, say
from mqdiag.thread_names import grouped_names

if TYPE_CHECKING:
    from markupsafe import Markup

    from mqdiag.language import Writer

_LOCKS = (4, 40)
_MANY_WAITERS = 3
_MOST_LOCKS_PICTURED = 8


def lock_parts(stacks: StacksFacts) -> list[AnyPart]:
    """Chains of locks: as a picture, and as a tree from the owner at the root of each."""
    chains = _chains([one for one in stacks.locks if one.owner is not None or len(one.waiters) > 1])
    if not chains:
        return []
    locks = sorted((one for one in stacks.locks if one.waiters), key=lambda one: -len(one.waiters))
    by_owner = {one.owner: (place, one) for place, one in enumerate(stacks.locks) if one.owner is not None}
    trees = [Tree((_owner_branch(lock, by_owner),)) for lock in chains]
    words: tuple[AnyPart, ...] = (
        Several(
            parts=trees,
            shown=_LOCKS,
            rest=lambda hidden: say("and {hidden:count} more {hidden:lock|locks}", hidden=hidden),
        ),
    )
    if not locks:
        return list(words)
    return [
        Figure(
            draw=lambda write: _drawn_locks(write, locks),
            caption=say("Waiting threads, the lock, and the thread that holds it with what it does."),
            words=words,
        )
    ]


def _lock_title(lock: LockFacts) -> Text:
    if lock.owner is None:
        return say(
            "{waiters:count} {waiters:thread waits|threads wait} for a lock of an unknown thread",
            waiters=len(lock.waiters),
        )
    return say(
        "{waiters:count} {waiters:thread waits|threads wait} for a lock of {owner}",
        waiters=len(lock.waiters),
        owner=lock.owner,
    )


def _drawn_locks(write: Writer, locks: Sequence[LockFacts]) -> Markup:
    from mqdiag.render.figures.lock_graph import LockNode, lock_graph  # a page alone has pictures

    nodes = [
        LockNode(
            lock=say(
                "{class_name} {object_id}", class_name=lock.class_name or lock.kind, object_id=lock.object_id
            ),
            owner=lock.owner or say("not named by the dump"),
            owner_does=_does(lock),
            waiters=lock.waiters,
        )
        for lock in locks[:_MOST_LOCKS_PICTURED]
    ]
    return lock_graph(write, _lock_title(locks[0]), nodes)


def _does(lock: LockFacts) -> Text:
    doing = word(lock.owner_doing) if lock.owner_doing else ""
    if not lock.owner_frame:
        return say("{doing}", doing=doing)
    if not doing:
        return say("{frame}", frame=lock.owner_frame)
    return say("{doing} at {frame}", doing=doing, frame=lock.owner_frame)


def _chains(locks: list[LockFacts]) -> list[LockFacts]:
    """The locks whose owners wait for nothing; of a circle, one of its locks."""
    roots = [lock for lock in locks if lock.owner is None or lock.owner_waits_for is None]
    circle = _first_on_a_circle(locks)
    return roots if circle is None else [circle, *roots]


def _first_on_a_circle(locks: list[LockFacts]) -> LockFacts | None:
    """The first lock to which the waits of the owners lead back; each lock is visited once."""
    by_id = {lock.object_id: lock for lock in locks}
    on_circles: set[str] = set()
    done: set[str] = set()
    for lock in locks:
        path: dict[str, None] = {}
        here: LockFacts | None = lock
        while here is not None and here.object_id not in done and here.object_id not in path:
            path[here.object_id] = None
            here = by_id.get(here.owner_waits_for or "")
        if here is not None and here.object_id in path:
            way = list(path)
            on_circles.update(way[way.index(here.object_id) :])
        done.update(path)
    return next((lock for lock in locks if lock.object_id in on_circles), None)


_ByOwner = Mapping[str, tuple[int, LockFacts]]
"""by the name of an owner, its lock and the place of that among all"""


def _owner_branch(lock: LockFacts, by_owner: _ByOwner) -> Branch:
    """The chains of locks behind an owner, at most _DEEPEST long: a hostile dump chains thousands."""
    text = say("a thread that the dump does not name")
    if lock.owner is not None:
        text = say("{owner}: {does}", owner=lock.owner, does=_does(lock))
        if lock.inferred:
            text = say("{text} (found by its frames)", text=text)
    return Branch(text=text, below=(_lock_branch(lock, by_owner, {lock.object_id}),))


def _lock_branch(lock: LockFacts, by_owner: _ByOwner, seen: set[str], depth: int = 0) -> Branch:
    text = say(
        "holds {class_name} <{object_id}>", class_name=lock.class_name or lock.kind, object_id=lock.object_id
    )
    if lock.moving:
        text = say("{text}, its owner changes", text=text)
    found = sorted((by_owner[waiter][0], waiter) for waiter in lock.waiters if waiter in by_owner)
    onward = {waiter: by_owner[waiter][1] for _, waiter in found}
    below = []
    for owner, other in onward.items():
        if other.object_id in seen or depth >= _DEEPEST:
            closing = say("the chain closes here: a deadlock") if other.object_id in seen else say("and so on")
            end = (Branch(text=closing, state="stuck"),)
        else:
            seen.add(other.object_id)
            end = (_lock_branch(other, by_owner, seen, depth + 1),)
        below.append(
            Branch(text=say("{owner} waits, and blocks others", owner=owner), state="blocked", below=end)
        )
    plain = [waiter for waiter in lock.waiters if waiter not in onward]
    if plain:
        names = grouped_names(plain) if len(plain) >= _MANY_WAITERS else say("{names}", names=tuple(plain))
        below.append(
            Branch(
                text=say("{waiters:count} waiting: {names}", waiters=len(plain), names=names), state="blocked"
            )
        )
    return Branch(text=text, below=below)


_DEEPEST = 20
"""locks of a chain that are shown one below the other"""
