"""Cycles of threads: those that locks show, with each thread's code and locks, and those that no lock line closes."""

from __future__ import annotations

from collections import Counter, defaultdict

from msgspec.structs import replace

from mqdiag.facts.thread_locks import Deadlock, DeadlockMember, HiddenDeadlock
from mqdiag.facts.vocabulary import Doing
from mqdiag.knowledge.library import JDK
from mqdiag.knowledge.own_code import is_own
from mqdiag.read.stacks.records import LOCKED
from mqdiag.threads.doing import MAX_TOP
from mqdiag.threads.judgement import World
from mqdiag.threads.locks import Wait, cycle_of
from mqdiag.threads.pool_users import may_have_connection
from mqdiag.threads.stack_meaning import StackMeaning
from mqdiag.threads.total_standstill import left_alone
from mqdiag.threads.tracks import Track
from mqdiag.threads.wait_table import known_frames

_WAITS_FOR_WORK: frozenset[Doing] = frozenset(
    {"future", "latch", "join", "condition", "queue", "object-wait", "park"}
)
"""what ends when another thread has done something"""
_PUTS = ("Queue.put", "Deque.put", "Deque.putLast", "Deque.putFirst", "Queue.transfer")
"""calls that wait for room"""
_GENERATED = tuple("$123456789")
"""what the names of lambdas, and of anonymous classes, begin with behind that of their class"""
_LOOP_FRAMES = 4
"""frames at the end of a stack in which the loop of a thread stands that empties a queue"""


def deadlocks(world: World) -> tuple[Deadlock, ...]:
    """Cycles of the last samples, and those of the JVM's own section, which knows owners that need -l."""
    series = world.series
    found: dict[frozenset[str], Deadlock] = {}
    cycles = [graph.cycles() for graph in world.graphs]
    seen = Counter(members for of_sample in cycles for members in set(map(frozenset, of_sample)))
    last_cycles = [(index, cycle) for index in world.last_samples for cycle in cycles[index]]
    for index, cycle in last_cycles:
        names = tuple(track.name for track in cycle)
        waits = [world.graphs[index].waits[track] for track in cycle]
        found[frozenset(names)] = Deadlock(
            threads=names,
            locks=tuple(
                _lock_and_frame(wait.class_name or wait.object_id, track)
                for track, wait in zip(cycle, waits, strict=True)
            ),
            kinds=tuple(wait.kind for wait in waits),
            members=tuple(
                _member(track, index, wants, waits[place - 1])
                for place, (track, wants) in enumerate(zip(cycle, waits, strict=True))
            ),
            group=next((track.group for track in cycle if track.group), None),
            samples=seen[frozenset(cycle)],
        )
    by_name = {track.name: track for track in world.by_track}
    listed = [[cycle_of(pairs) for pairs in sample.deadlocks] for sample in series.samples]
    told = Counter(members for of_sample in listed for members in set(map(frozenset, of_sample)))
    of_jvm = [(index, names) for index in world.last_samples for names in listed[index] if names]
    for index, names in of_jvm:
        known = found.get(frozenset(names))
        found[frozenset(names)] = Deadlock(
            threads=known.threads if known else names,
            locks=known.locks if known else (),
            kinds=known.kinds if known else (),
            members=known.members if known else _listed_members(world, names, index),
            source="jvm",
            group=next(
                (by_name[name].group for name in names if name in by_name and by_name[name].group), None
            ),
            samples=max(told[frozenset(names)], known.samples if known else 0),
        )
    return tuple(found.values())


def _listed_members(world: World, names: tuple[str, ...], index: int) -> tuple[DeadlockMember, ...]:
    """The threads of a cycle that the JVM's own section alone shows: each holds what the one before it waits for.

    Empty where two threads have one name, or where the dump does not show what one waits for.
    """
    waits = world.graphs[index].waits
    by_name = [[track for track in waits if track.name == name] for name in names]
    if any(len(same) != 1 for same in by_name):
        return ()
    cycle = [same[0] for same in by_name]
    return tuple(
        _member(track, index, waits[track], waits[cycle[place - 1]]) for place, track in enumerate(cycle)
    )


def _lock_and_frame(lock: str, track: Track) -> str:
    frame = track.last_meaning.own_frame or track.last_meaning.top
    return lock if frame is None else f"{lock} at {frame}"


def _member(track: Track, index: int, wants: Wait, holds: Wait) -> DeadlockMember:
    meaning = track.meanings[index]
    return DeadlockMember(
        thread=track.name,
        frame=None if meaning is None else meaning.own_frame or meaning.top,
        wants_class=wants.class_name,
        wants_id=wants.object_id,
        holds_class=holds.class_name,
        holds_id=holds.object_id,
        taken_at=taken_at(track, index, holds.object_id),
    )


def taken_at(track: Track, index: int, object_id: str) -> str | None:
    """The frame that took a lock which a thread holds in a sample; None where the dump does not tell it."""
    record, meaning = track.records[index], track.meanings[index]
    if record is None or meaning is None:
        return None
    depths = [
        lock.depth
        for lock in record.stack.locks
        if lock.kind == LOCKED
        and 0 <= lock.slot < len(record.addresses)
        and record.addresses[lock.slot] == object_id
    ]
    if not depths:
        return None
    # a lock that is entered again was taken by the lowest of its frames
    frames = meaning.stack.frames[max(depths) :]
    own = (
        frame for frame, method in zip(frames, meaning.methods[max(depths) :], strict=True) if is_own(method)
    )
    return next(own, frames[0] if frames else None)


def hidden_deadlocks(world: World) -> tuple[HiddenDeadlock, ...]:
    """Holders of a lock that wait for work of others who all want that lock; lock lines show no cycle."""
    found: dict[tuple[str, str], HiddenDeadlock] = {}
    seen: Counter[tuple[str, str]] = Counter()
    for index, graph in enumerate(world.graphs):
        waiters: dict[Track, list[tuple[Track, Wait]]] = defaultdict(list)
        for track, wait in graph.waits.items():
            if wait.owner is not None and wait.owner not in graph.waits:
                waiters[wait.owner].append((track, wait))
        for holder, waiting in waiters.items():
            hidden = _hidden(world, holder, waiting, index)
            if hidden is not None:
                seen[hidden.holder, hidden.pool] += 1
                if index in world.last_samples:
                    found[hidden.holder, hidden.pool] = hidden

    return tuple(replace(hidden, samples=seen[key]) for key, hidden in found.items())


def _hidden(
    world: World, holder: Track, waiting: list[tuple[Track, Wait]], index: int
) -> HiddenDeadlock | None:
    meaning = holder.meanings[index]
    if meaning is None or meaning.idle:
        return None
    waits = dict(waiting)
    pool: str | None = None
    for_room = for_class = for_pipe = for_all = False
    if meaning.doing == "pool" and meaning.library is not None:
        library = meaning.library
        users = [
            judgement.track
            for judgement in world.judgements
            if judgement.track.jvm == holder.jvm
            and (seen := judgement.track.meanings[index]) is not None
            and (may_have_connection(library, seen) or _inside(library.wrappers, seen.methods))
        ]
        if users and all(user in waits for user in users):
            pool = library.name
            workers = users
    elif meaning.in_pipe:
        workers = _at_other_end(world, holder, waits, index)
        pool, for_pipe = (workers[0].name, True) if workers else (None, False)
    elif (emptier := _empties_queue(meaning, waits, index)) is not None:
        pool, workers, for_room = emptier.name, [emptier], True
    elif meaning.doing in _WAITS_FOR_WORK and (found := _pool_before(world, holder, waits, index)) is not None:
        pool, workers = found
    elif meaning.doing in _WAITS_FOR_WORK and meaning.stack.state == "WAITING":
        workers = [track for track, wait in waiting if _was_made_in(wait, track.meanings[index])]
        pool, for_class = (workers[0].name, True) if workers else (None, False)
        if pool is None and not meaning.runs_hooks and _all_are_behind(world, holder, index):
            pool, workers, for_all = waiting[0][0].name, list(waits), True
    if pool is None:
        return None
    wait = waits[workers[0]]
    return HiddenDeadlock(
        holder=holder.name,
        holder_frame=meaning.own_frame or meaning.top,
        holder_waits=meaning.doing,
        lock_class=wait.class_name,
        lock_id=wait.object_id,
        taken_at=taken_at(holder, index, wait.object_id),
        pool=pool,
        for_room=for_room,
        for_class=for_class,
        for_pipe=for_pipe,
        for_all=for_all,
        workers=tuple(worker.name for worker in workers),
        worker_frame=None if (seen := workers[0].meanings[index]) is None else seen.own_frame,
        group=next((track.group for track in (holder, *workers) if track.group), None),
    )


def _all_are_behind(world: World, holder: Track, index: int) -> bool:
    """Whether nobody is left in the process who could end a thread's wait but those who want its locks."""
    if index not in world.last_samples:
        return False
    members = world.once(left_alone)
    return holder in members and all(other is holder or _leads_to(world, other, holder) for other in members)


def _leads_to(world: World, track: Track, holder: Track) -> bool:
    """Whether a chain of locks goes from one thread to another."""
    here, seen = track, {track}
    while (wait := world.last_wait(here)) is not None and wait.owner is not None and wait.owner not in seen:
        here = wait.owner
        if here is holder:
            return True
        seen.add(here)
    return False


def _at_other_end(world: World, holder: Track, waits: dict[Track, Wait], index: int) -> list[Track]:
    """The threads that run a task of the class by which the holder uses its pipe, if all of them want its lock."""
    callers = _classes_outside_jdk(holder, index)
    if not callers:
        return []
    ends = [
        judgement.track
        for judgement in world.judgements
        if judgement.track is not holder
        and judgement.track.jvm == holder.jvm
        and judgement.track.meanings[index] is not None
        and _task_of(judgement.track, index) == callers[0]
    ]
    return ends if all(track in waits for track in ends) else []


def _pool_before(
    world: World, holder: Track, waits: dict[Track, Wait], index: int
) -> tuple[str, list[Track]] | None:
    """A pool of the holder's own kind, with its threads, all of which are before the lock."""
    for name in dict.fromkeys(track.pool for track in waits if track.pool and track.pool != holder.pool):
        workers = [
            judgement.track
            for judgement in world.judgements
            if judgement.track.pool == name
            and judgement.track.jvm == holder.jvm
            and judgement.track.meanings[index] is not None
        ]
        # a thread that rests would do the work
        if all(worker in waits for worker in workers) and _is_kin(holder, workers, index):
            return name, workers
    return None


def _was_made_in(wait: Wait, worker: StackMeaning | None) -> bool:
    """Whether a thread before a class runs code that only the class's own initializer can have made.

    Nothing but code of a class makes objects of its lambdas and anonymous classes, and until the initializer has ended
    only the thread that runs it gets into that code.
    """
    made = f"{wait.class_name}$"
    methods = worker.methods if worker is not None and wait.kind == "class-init" else ()
    return any(method.startswith(made) and method[len(made) :][:1] in _GENERATED for method in methods)


def _empties_queue(holder: StackMeaning, waits: dict[Track, Wait], index: int) -> Track | None:
    """The thread before the lock that alone makes room in the queue for which the holder waits."""
    for track in waits:
        meaning = track.meanings[index]
        if meaning is None:
            continue
        name = track.name.lower()
        if holder.waits_to_log and any(part in name for part in known_frames().log_writers):
            return track
        if (putting := _puts(holder)) is not None and putting in map(
            _outermost, meaning.methods[-_LOOP_FRAMES:]
        ):
            return track
    return None


def _puts(meaning: StackMeaning) -> str | None:
    """The class, not of the JDK, that waits for room in a queue of its own."""
    for place, method in enumerate(meaning.methods[:MAX_TOP]):
        if method.endswith(_PUTS) and place + 1 < len(meaning.methods):
            caller = meaning.methods[place + 1]
            return None if caller.startswith(JDK) else _outermost(caller)
    return None


def _outermost(method: str) -> str:
    """The class of a method, without those that are nested in it."""
    return method.rpartition(".")[0].partition("$")[0]


def _inside(wrappers: tuple[str, ...], methods: tuple[str, ...]) -> bool:
    """Whether a thread is in a call on a pooled connection, whatever it waits for."""
    return bool(wrappers) and any(method.startswith(wrappers) for method in methods)


def _is_kin(holder: Track, workers: list[Track], index: int) -> bool:
    """Whether the waiting code made a task of the workers, or shares a part of its packages' names with theirs."""

    def names(track: Track) -> set[str]:
        meaning = track.meanings[index]
        classes = meaning.own_classes if meaning is not None else frozenset[str]()
        return {".".join(name.split(".")[:2]) for name in classes}

    ours, callers = names(holder), _classes_outside_jdk(holder, index)
    return any(ours & names(worker) or _task_of(worker, index) in callers for worker in workers)


def _task_of(worker: Track, index: int) -> str | None:
    """The class whose task a worker runs: the first above the frames of the JDK's pool."""
    classes = _classes_outside_jdk(worker, index)
    return classes[-1] if classes else None


def _classes_outside_jdk(track: Track, index: int) -> list[str]:
    """The outermost classes of a stack, from its top, without those of the JDK."""
    meaning = track.meanings[index]
    methods = () if meaning is None else meaning.methods
    return [_outermost(method) for method in methods if not method.startswith(JDK)]
