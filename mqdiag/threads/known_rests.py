"""Whether every thread of a process is where it is known to wait for work: then one dump shows that none hangs.

A thread that hangs does so at every moment, so a single moment in which all threads wait for work shows that none of
them hangs. Here a wait counts that cannot be anything else. The states of a series are more generous: there a thread of
the application that sleeps or waits in a loop of its own is at rest too.
"""

from __future__ import annotations

from collections import Counter

from mqdiag.facts.stacks import KnownRests
from mqdiag.facts.vocabulary import Doing
from mqdiag.threads import roles
from mqdiag.threads.judgement import Judgement, World
from mqdiag.threads.resting import NEVER_REST, at_rest, waits_for_room
from mqdiag.threads.stack_meaning import StackMeaning
from mqdiag.threads.tracks import Track
from mqdiag.threads.wait_table import known_frames, known_methods

MOST_NAMES = 20
_EVENTS: frozenset[Doing] = frozenset({"idle", "queue", "select", "accept"})
"""waits for work in the code of a library"""
_ARRIVALS: frozenset[Doing] = frozenset({"accept", "select"})
"""waits for work in any code"""
_MEETINGS: frozenset[Doing] = frozenset({"object-wait", "condition", "park", "latch"})
"""waits in which threads wait for work that is handed to them, or for each other"""
LEAST_TOGETHER = 10
"""threads of one pool in one such wait, from which nobody can say which of both it is"""
_TOOLS = ("sun.rmi.", "sun.nio.fs.", "sun.awt.", "com.intellij.rt.", "sun.management.")
"""beginnings of methods of threads that wait for tools and for changes of files, not for work"""
_CONSOLE = "com.sun.jmx.remote.internal.ServerCommunicatorAdmin$Timeout.run"
"""a frame of the thread that is there for as long as a console of JMX is connected"""
_Meeting = tuple[int, str, str]
"""the JVM, the pool and the frame of a wait"""
_FILES = ("dump-text", "dump-json")
"""forms of dumps that show virtual threads"""


def known_rests(world: World) -> KnownRests | None:
    """Who waits for work; None where the samples do not show all threads of one JVM."""
    if not shows_all_threads(world):
        return None
    resting, pools, others = 0, set(), []
    meetings = _meetings(world)
    for judgement in world.judgements:
        track = judgement.track
        if not _knows(judgement) or _meeting(judgement) in meetings:
            others.append(track.name)
        elif track.role not in (roles.JVM, roles.CARRIER):
            resting += 1
            pools.add(track.pool or track.name)
    return KnownRests(
        threads=resting,
        listening=_listening(world),
        pools=len(pools),
        others=len(others),
        other_names=tuple(others[:MOST_NAMES]),
        hides_virtual_threads=hides_virtual_threads(world),
        hides_requests=any(
            not known_methods("serves_on_loops").isdisjoint(one.track.last_meaning.methods)
            for one in world.judgements
        ),
        together=max(meetings.values(), default=0),
        together_frame=max(meetings, key=lambda place: meetings[place])[2] if meetings else None,
    )


def _meetings(world: World) -> dict[_Meeting, int]:
    """How many threads of a pool stand in one wait without a limit, where those are many."""
    counts = Counter(place for one in world.judgements if (place := _meeting(one)) is not None)
    return {place: count for place, count in counts.items() if count >= LEAST_TOGETHER}


def _meeting(judgement: Judgement) -> _Meeting | None:
    """The pool and the frame in which a thread waits without a limit for what nobody knows."""
    track, meaning = judgement.track, judgement.track.last_meaning
    frame = meaning.telling_frame
    if track.role != roles.POOL or track.pool is None or track.ended or frame is None or meaning.in_pool_task:
        return None
    if meaning.idle or meaning.doing not in _MEETINGS or meaning.stack.state != "WAITING":
        return None
    return track.jvm, track.pool, frame


def shows_all_threads(world: World) -> bool:
    """Whether the samples are whole dumps of one JVM."""
    series = world.series
    if series.jvms > 1 or not series.samples:
        return False
    if not all(sample.complete and not sample.headless and sample.pasted is None for sample in series.samples):
        return False
    of_jvm = any(judgement.track.role == roles.JVM for judgement in world.judgements)
    return of_jvm or all(sample.format in _FILES for sample in series.samples)


def is_of_tools(meaning: StackMeaning) -> bool:
    """Whether it waits for a console, an IDE or changes of files: from there no work comes."""
    return any(method.startswith(_TOOLS) for method in meaning.methods)


def _knows(judgement: Judgement) -> bool:
    track = judgement.track
    meanings = dict.fromkeys(
        meaning for index in track.judged if (meaning := track.meanings[index]) is not None
    )
    if all(meaning.takes_dump for meaning in meanings):
        return True
    if track.role == roles.JVM:
        return not any(meaning.own_index >= 0 or meaning.doing in ("monitor", "lock") for meaning in meanings)
    if judgement.state == "progressing":
        # it was seen to end its work: what it waits for now decides
        return _is_known(track, track.last_meaning)
    # a pool ends threads that had nothing to do
    return (judgement.state == "idle" or track.ended) and all(_is_known(track, meaning) for meaning in meanings)


def rests_for_sure(track: Track, meaning: StackMeaning) -> bool:
    """Whether a thread, of the JVM or another, takes this dump or can do nothing else than wait for work."""
    if meaning.takes_dump:
        return True
    if track.role == roles.JVM:
        return meaning.own_index < 0 and meaning.doing not in ("monitor", "lock")
    return _is_known(track, meaning)


def _is_known(track: Track, meaning: StackMeaning) -> bool:
    """Whether a wait can be nothing else than a wait for work, or for the next round of a library's own loop."""
    if track.lacks_frames or not meaning.stack.frames or not at_rest(track, meaning):
        return False
    if meaning.idle or meaning.awaits_end_of_server:
        return True
    if meaning.doing in NEVER_REST or waits_for_room(meaning):
        return False
    if meaning.own_index >= 0:
        # its queue may be where an answer comes
        return meaning.doing in _ARRIVALS and meaning.library is None
    return not meaning.in_pool_task or (meaning.doing in _EVENTS and meaning.library is None)


def _listening(world: World) -> int:
    """How many threads work can come in by.

    A console of JMX exports objects too, and calls nothing that is work.
    """
    meanings = [judgement.track.last_meaning for judgement in world.judgements]
    has_console = any(_CONSOLE in meaning.methods for meaning in meanings)
    return sum(
        _listens(meaning)
        or (
            not known_methods("arrivals").isdisjoint(meaning.methods)
            and not (has_console and is_of_tools(meaning))
        )
        for meaning in meanings
    )


def _listens(meaning: StackMeaning) -> bool:
    """Whether work can come in where it waits: by a connection, or an event of one."""
    kind = known_frames().native_waits.get(meaning.methods[0]) if meaning.methods else None
    if kind not in _ARRIVALS and meaning.doing not in _ARRIVALS:
        return False
    return not is_of_tools(meaning)


def hides_virtual_threads(world: World) -> bool:
    """Whether virtual threads are in use, and a form of dump without them was given."""
    if any(sample.format in _FILES for sample in world.series.samples):
        return False
    return any(
        judgement.track.role == roles.CARRIER or judgement.track.name.startswith("VirtualThread-un")
        for judgement in world.judgements
    )
