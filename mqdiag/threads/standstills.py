"""Threads without progress, grouped by pool and cause: what a rule reports."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Mapping
from types import MappingProxyType

import msgspec

from mqdiag.facts.stacks import Standstill
from mqdiag.facts.vocabulary import Doing, Role, StandstillCause
from mqdiag.knowledge.remedies import remedy as remedy_of
from mqdiag.read.stacks.records import CLASS_INIT
from mqdiag.text import Text, say
from mqdiag.threads import roles
from mqdiag.threads.cause_of_wait import CauseOfWait, cause_of_wait
from mqdiag.threads.judgement import Judgement, Revision
from mqdiag.threads.resting import in_request
from mqdiag.threads.stack_meaning import StackMeaning
from mqdiag.threads.tracks import Track

_PART_OF_SERVER: dict[Role, str] = {
    roles.BROKER_SEND: ".rocketmq.store.",
    roles.POP: ".rocketmq.",
    roles.PROXY: ".rocketmq.",
    roles.CONTROLLER: ".rocketmq.",
    roles.NAME_SERVER: ".rocketmq.",
}
"""the packages that have the frame that says most of a server's threads"""
_FOREIGN = frozenset({roles.POOL, roles.OTHER, roles.VIRTUAL})
"""roles of threads whose whole work may be a library's"""
_NO_LONG_WAITS: frozenset[Doing] = frozenset(
    {"file-read", "file-write", "file-sync", "file-lock", "pipe-read", "pipe-write", "dns"}
)
"""waits that a task in turn should not have for long; others may be for the end of its own parts"""
_LEAST_OF_POOL = 3
_MOST_OF_POOL = 0.5
"""threads and share of a pool whose stuck reads are a fault, though no frame shows a task"""
_LEAST_STRANGERS = 3
"""threads of as many pools that wait for one lock"""
_MOST_WAITS = 100
"""threads of a chain, each of which waits for the next"""


def standstills(
    judgements: list[Judgement],
    deadlocked: Container[Track],
    inferred: Container[Track] = (),
    owners: Mapping[Track, int] = MappingProxyType({}),
) -> tuple[Standstill, ...]:
    """One entry for each pool, kind and cause. Threads of other pools count only if theirs means a fault.

    Args:
        judgements: all threads.
        deadlocked: members of cycles, which are reported as deadlocks.
        inferred: threads that wait for a lock of which frames alone name the owner.
        owners: threads that have a lock for which others wait, though no such thread is known to stand, with how
            many wait.
    """
    found = _Found(judgements, inferred, owners)
    for judgement in judgements:
        undecided = (judgement.now.computing or judgement.now.spinning) and not judgement.makes_no_progress
        if (not judgement.makes_no_progress and not undecided) or judgement.track in deadlocked:
            continue
        why = found.why(judgement)
        if _is_fault(judgement, why, found.serving, owners) or found.is_in_crowd(judgement, why):
            found.add(judgement, undecided)
    return found.entries()


def same_calls(
    judgements: list[Judgement],
    deadlocked: Container[Track],
    inferred: Container[Track] = (),
    owners: Mapping[Track, int] = MappingProxyType({}),
) -> tuple[Standstill, ...]:
    """One entry for each pool, kind and cause of threads that hang or are slow, and nothing tells which.

    Every sample shows them in the same call, and there are no CPU times or objects that tell the call from the next.
    Arguments as for `standstills`.
    """
    found = _Found(judgements, inferred, owners)
    for judgement in judgements:
        if not judgement.is_in_same_call or judgement.track in deadlocked:
            continue
        if _is_fault(judgement, found.why(judgement), found.serving, owners):
            found.add(judgement, undecided=True)
    return found.entries()


class _Found:
    """Threads by what keeps them, and all that their entries need of other threads."""

    def __init__(
        self, judgements: list[Judgement], inferred: Container[Track], owners: Mapping[Track, int]
    ) -> None:
        self._by_track = {judgement.track: judgement for judgement in judgements}
        self._sizes = Counter(
            (judgement.track.jvm, judgement.track.pool) for judgement in judgements if judgement.track.pool
        )
        self.serving = _serving(judgements, self._by_track)
        """pools and threads that consume threads wait for, with the group that waits"""
        self._standing = Counter(
            (judgement.track.jvm, judgement.track.pool)
            for judgement in judgements
            if judgement.state == "stuck" and judgement.track.pool and _reads_in_client(judgement)
        )
        self._inferred = inferred
        self._causes = _Causes()
        self._held_up: Counter[Track] = Counter(owners)
        self._members: dict[tuple[object, ...], list[tuple[Judgement, CauseOfWait]]] = defaultdict(list)

    def why(self, judgement: Judgement) -> CauseOfWait:
        """Why a thread makes no progress."""
        track = judgement.track
        return self._causes.of(track.role, track.last_meaning, judgement.now)

    def is_in_crowd(self, judgement: Judgement, why: CauseOfWait) -> bool:
        """Whether most threads of its pool are stuck in reads of a client: one alone may be meant to read for long."""
        track = judgement.track
        if why.kind != "socket-read" or track.pool is None or not _reads_in_client(judgement):
            return False
        pool = track.jvm, track.pool
        return self._standing[pool] >= max(_LEAST_OF_POOL, _MOST_OF_POOL * self._sizes[pool])

    def add(self, judgement: Judgement, undecided: bool) -> None:
        """Take a thread."""
        track, why = judgement.track, self.why(judgement)
        holder = _root(judgement, self._by_track) if why.kind == "lock" else None
        if holder is not None and judgement.now.waits_for is holder:
            self._held_up[holder] += 1
        # names may hold what their threads are at: what they wait for tells then that they belong together
        alone = track.pool or (track.name if holder is None else None)
        key = (track.jvm, track.role, alone, why.kind, why.cause, holder, undecided)
        self._members[key].append((judgement, why))

    def entries(self) -> tuple[Standstill, ...]:
        """One for each pool, kind, cause and holder, the largest first."""
        entries = [
            _entry(members, self._sizes, self._by_track, self.serving, self._held_up, self._inferred)
            for members in self._members.values()
            if not _is_lonely_lock(members)
        ]
        entries += [
            msgspec.structs.replace(
                _entry(members, self._sizes, self._by_track, self.serving, self._held_up, self._inferred),
                pool=None,
                pool_size=sum(one.state != "idle" for one in self._by_track.values()),
            )
            for members in self._lonely().values()
            if len(members) >= _LEAST_STRANGERS
        ]
        entries.sort(key=lambda entry: (-len(entry.threads), entry.pool or "", entry.cause))
        return tuple(entries)

    def _lonely(self) -> dict[tuple[int, Track], list[tuple[Judgement, CauseOfWait]]]:
        """Single threads of several pools behind one holder, which together are a queue."""
        behind: dict[tuple[int, Track], list[tuple[Judgement, CauseOfWait]]] = defaultdict(list)
        for members in self._members.values():
            judgement, _ = members[0]
            holder = _root(judgement, self._by_track) if _is_lonely_lock(members) else None
            if holder is not None:
                behind[judgement.track.jvm, holder].append(members[0])
        return behind


class _Causes:
    """Causes of waits; most threads of a pool have the same stack, for which the cause is looked for once."""

    def __init__(self) -> None:
        self._known: dict[tuple[Role, StackMeaning, bool, bool], CauseOfWait] = {}

    def of(self, role: Role, meaning: StackMeaning, now: Revision) -> CauseOfWait:
        """Why a thread of this role and stack makes no progress, by the decision about it that holds."""
        key = (role, meaning, now.computing, now.starved)
        known = self._known.get(key)
        if known is None:
            known = cause_of_wait(role, meaning, computing=now.computing, starved=now.starved)
            self._known[key] = known
        return known


def _reads_in_client(judgement: Judgement) -> bool:
    """Whether a thread of a pool reads an answer in a client library, whoever called that."""
    track = judgement.track
    library = track.last_meaning.library
    return (
        track.role == roles.POOL
        and track.last_meaning.doing == "socket-read"
        and library is not None
        and library.kind in ("client", "sdk")
    )


def _root(judgement: Judgement, by_track: dict[Track, Judgement]) -> Track | None:
    """The last thread of the chain of waits, which must move first; in a cycle, the first one that is met.

    A chain is followed for _MOST_WAITS threads: a hostile dump chains thousands, each of which has a chain to follow.
    """
    seen = {judgement.track}
    here = judgement.now.waits_for
    while here is not None and here not in seen and len(seen) <= _MOST_WAITS:
        seen.add(here)
        onward = by_track[here].now.waits_for if here in by_track and by_track[here].makes_no_progress else None
        if onward is None or onward in seen:
            return here
        here = onward
    return here


def _is_inferred(
    judgement: Judgement, root: Track, by_track: dict[Track, Judgement], inferred: Container[Track]
) -> bool:
    """Whether an owner on the way to the last thread is known by its frames alone."""
    here: Track | None = judgement.track
    for _ in range(_MOST_WAITS + 1):
        if here is None or here is root or here not in by_track:
            return False
        if here in inferred:
            return True
        here = by_track[here].now.waits_for
    return False


def _serving(
    judgements: list[Judgement], by_track: dict[Track, Judgement]
) -> dict[tuple[int, str | None], str]:
    """Pools and threads that consume threads wait for, with the group that waits."""
    serving: dict[tuple[int, str | None], str] = {}
    # What a holder waits for was followed already when another worker led to it.
    seen: set[Track] = set()
    for judgement in judgements:
        track = judgement.track
        if not track.is_worker or judgement.now.waits_for is None:
            continue
        holder = by_track.get(judgement.now.waits_for)
        while holder is not None and holder.track not in seen:
            seen.add(holder.track)
            if not holder.track.is_worker:
                serving.setdefault(
                    (holder.track.jvm, holder.track.pool or holder.track.name), track.group or ""
                )
            holder = by_track.get(holder.now.waits_for) if holder.now.waits_for else None
    return serving


def _is_fault(
    judgement: Judgement,
    why: CauseOfWait,
    serving: dict[tuple[int, str | None], str],
    owners: Container[Track],
) -> bool:
    """Whether it is a fault that this thread makes no progress: always in a consumer, elsewhere only in clear cases.

    A thread that has a lock which others want holds them up, whatever it is for.
    """
    track = judgement.track
    if track.last_meaning.runs_hooks:
        return False
    if (
        track.is_worker
        or track.role in (roles.BROKER_SEND, roles.POP)
        or judgement.now.starved
        or judgement.now.in_crowd
    ):
        return True
    if (track.jvm, track.pool or track.name) in serving or track in owners:
        return True
    meaning = track.last_meaning
    if meaning.serves_in_turn and (why.kind in ("socket-read", "pool") or meaning.doing in _NO_LONG_WAITS):
        return True
    if track.role in (roles.JVM, roles.CARRIER):
        return False
    if track.role == roles.CALLBACK:
        return meaning.own_index >= 0
    if not (meaning.in_pool_task or track.role == roles.VIRTUAL):
        return why.kind == "lock" or (why.kind == "socket-read" and in_request(meaning))
    if why.kind in ("socket-read", "pool"):
        return meaning.library is not None and meaning.own_index >= 0
    return why.kind == "lock"


def _is_lonely_lock(members: list[tuple[Judgement, CauseOfWait]]) -> bool:
    """One thread that waits for a lock is no convoy, unless it is a consume thread."""
    judgement, why = members[0]
    return why.kind == "lock" and len(members) < 2 and not judgement.track.is_worker


def _entry(
    members: list[tuple[Judgement, CauseOfWait]],
    sizes: Counter[tuple[int, str]],
    by_track: dict[Track, Judgement],
    serving: dict[tuple[int, str | None], str],
    held_up: Counter[Track],
    inferred: Container[Track],
) -> Standstill:
    judgements = [judgement for judgement, _ in members]
    # the entry shows the stack that most of the threads have
    common = Counter(judgement.track.last_meaning for judgement in judgements).most_common(1)[0][0]
    typical = next(judgement for judgement in judgements if judgement.track.last_meaning is common)
    why = next(item for judgement, item in members if judgement is typical)
    track = typical.track
    # and their most frequent confidence: one thread with a little more CPU time must not lower it
    usual = Counter(judgement.now.confidence for judgement in judgements).most_common(1)[0][0]
    speaker = next(judgement for judgement in judgements if judgement.now.confidence == usual)
    root = _root(typical, by_track)
    holder = by_track.get(root) if root else None
    possible = by_track.get(typical.now.may_wait_for) if typical.now.may_wait_for else None
    group = track.group
    serves = serving.get((track.jvm, track.pool or track.name))
    seconds = [one.run.seconds for one in judgements if one.run.seconds is not None]
    growth_ms = [one.run.cpu_growth_ms for one in judgements if one.run.cpu_growth_ms is not None]
    user = holder or (possible if typical.now.user_gives_cause else None)
    cause, remedy = _cause_and_remedy(why, user, holder)
    return Standstill(
        kind=why.kind,
        cause=cause,
        library=why.library,
        threads=tuple(judgement.track.name for judgement in judgements),
        role=track.role,
        pool=track.pool,
        pool_size=sizes[(track.jvm, track.pool)] if track.pool is not None else 1,
        group=group,
        frame=frame_of(track) or (common.telling_frame if track.role in _FOREIGN else None),
        listener=common.listener,
        wait=common.top,
        samples=min(judgement.run.count for judgement in judgements),
        seconds=min(seconds) if seconds else None,
        cpu_growth_ms=max(growth_ms) if growth_ms else None,
        confidence=usual or "low",
        reason=speaker.now.reason,
        remedy=remedy,
        holder=holder.track.name if holder else typical.now.absent_owner,
        holder_does=_does(holder) if holder else None,
        holder_inferred=root is not None and _is_inferred(typical, root, by_track, inferred),
        holder_in_chain=root is not None and typical.now.waits_for is not root,
        holder_pool=holder.track.pool if holder else None,
        possible_user=possible.track.name if possible else None,
        possible_user_does=_does(possible) if possible else None,
        lock_class=_awaited_lock(track) if why.kind == "lock" else None,
        decided=any(judgement.makes_no_progress for judgement in judgements),
        serves=serves,
        second_connection=typical.now.second_connection,
        wait_ends=all(one.track.last.stack.state == "TIMED_WAITING" for one in judgements),
        held_up=sum(held_up[judgement.track] for judgement in judgements),
        in_turn=common.serves_in_turn,
    )


def _awaited_lock(track: Track) -> str | None:
    """Class of the lock that a thread waits for."""
    waits = ("waiting to lock", "waiting to re-lock", "parking", CLASS_INIT)
    return next((lock.class_name for lock in track.last.stack.locks if lock.kind in waits), None)


def _cause_and_remedy(
    why: CauseOfWait, user: Judgement | None, holder: Judgement | None
) -> tuple[StandstillCause, tuple[Text, ...]]:
    """The cause and the remedy of a wait; without connections in a pool, what their users wait for is the cause."""
    cause, remedy = why.cause, why.remedy
    if why.kind == "pool" and user is not None:
        theirs = cause_of_wait(user.track.role, user.track.last_meaning, computing=user.now.computing)
        cause, remedy = theirs.cause, (*theirs.remedy, *remedy)
    if holder is not None and remedy[:1] == remedy_of("lock")[:1]:
        remedy = (_free_holder(holder) or remedy[0], *remedy[1:])
    return cause, remedy


def _free_holder(holder: Judgement) -> Text | None:
    """The first remedy of a lock, with the thread that holds it and where that thread is; None without a frame."""
    place = _place(holder)
    if place is None:
        return None
    return say(
        "Fix what keeps {holder} in {frame}; it is the root cause.",
        holder=holder.track.name,
        frame=place,
    )


def _place(judgement: Judgement) -> str | None:
    """The frame that says most of a thread; None where the dump shows no frame of it."""
    return frame_of(judgement.track) or judgement.track.last_meaning.top


def frame_of(track: Track) -> str | None:
    """The frame that says most: the user's own, in a broker the one in the message store, in other servers theirs."""
    meaning = track.last_meaning
    part = _PART_OF_SERVER.get(track.role)
    if part is not None:
        for frame in meaning.stack.frames:
            if part in frame:
                return frame
    return meaning.own_frame


def _does(holder: Judgement) -> str:
    doing, place = holder.track.last_meaning.doing, _place(holder)
    return doing if place is None else f"{doing} at {place}"
