"""Pools and kinds of threads that are in one place together, where none of them rests.

No decision about a thread is needed: dumps without CPU times, and dumps of any JVM, show it as well.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Sequence

from mqdiag.facts.thread_pools import CommonPlace
from mqdiag.threads import roles
from mqdiag.threads.cause_of_wait import cause_of_wait
from mqdiag.threads.judgement import Judgement
from mqdiag.threads.resting import needs_others
from mqdiag.threads.stack_meaning import StackMeaning
from mqdiag.threads.tracks import Track

LEAST_THREADS = 2
LEAST_SHARE = 0.5
"""share of a pool that is in one place in its last sample"""
_Place = tuple[str, str, str | None]
"""the frame that says most, the kind of wait, the library"""


def common_places(judgements: Sequence[Judgement], wanted: Container[Track]) -> tuple[CommonPlace, ...]:
    """One entry for each pool, the largest first.

    Args:
        judgements: all threads.
        wanted: owners of locks that others wait for.
    """
    pools: dict[tuple[object, ...], list[Judgement]] = defaultdict(list)
    for judgement in judgements:
        track = judgement.track
        if track.role not in (roles.JVM, roles.CARRIER) and not track.ended:
            pools[track.jvm, track.role, track.pool or track.name].append(judgement)
    places = _Places(wanted)
    entries = [entry for own in pools.values() if len(own) > 1 and (entry := _entry(own, places)) is not None]
    return tuple(sorted(entries, key=lambda entry: (-len(entry.threads), entry.pool)))


def _entry(own: Sequence[Judgement], places: _Places) -> CommonPlace | None:
    last_places = [places.of(one, one.track.judged[-1]) for one in own]
    lasts = Counter(place for place in last_places if place is not None)
    if not lasts:
        return None
    place, count = lasts.most_common(1)[0]
    if count < LEAST_THREADS or count < LEAST_SHARE * len(own):
        return None
    stays = [one for one in own if all(places.of(one, index) == place for index in one.track.possible)]
    first = own[last_places.index(place)].track
    why = cause_of_wait(first.role, first.last_meaning, computing=False)
    samples = first.possible
    return CommonPlace(
        role=first.role,
        pool=first.pool or first.name,
        group=first.group,
        pool_size=len(own),
        threads=tuple(one.track.name for one in stays),
        at_place=tuple(sum(places.of(one, index) == place for one in own) for index in samples),
        frame=place[0],
        top=first.last_meaning.top,
        doing=first.last_meaning.doing,
        library=place[2],
        kind=why.kind,
        cause=why.cause,
        remedy=why.remedy,
        in_tasks=all(one.track.last_meaning.in_pool_task for one in stays),
        needs_others=needs_others(first.last_meaning),
        held_up=sum(one.track in places.wanted for one in stays),
        standing=sum(one.makes_no_progress for one in stays),
        moving=sum(one.state == "progressing" for one in stays),
    )


class _Places:
    """Where threads are; what a stack says of that is asked once."""

    def __init__(self, wanted: Container[Track]) -> None:
        self.wanted = wanted
        self._of_stacks: dict[int, tuple[_Place | None, bool]] = {}
        """by the id of the meaning, which its thread keeps: the place, and whether its thread reads its connection"""

    def of(self, judgement: Judgement, index: int) -> _Place | None:
        """Where a thread is in a sample; None where it rests or is not there."""
        meanings = judgement.track.meanings
        meaning = meanings[index] if index < len(meanings) else None
        if meaning is None:
            return None
        found = self._of_stacks.get(id(meaning))
        if found is None:
            found = self._of_stacks[id(meaning)] = _place(meaning), _reads_its_connection(meaning)
        place, reads = found
        if place is None or ((reads or judgement.state == "idle") and judgement.track not in self.wanted):
            return None
        return place


def _place(meaning: StackMeaning) -> _Place | None:
    frame = meaning.telling_frame
    if meaning.idle or frame is None:
        return None
    return frame, meaning.doing, meaning.library.name if meaning.library is not None else None


def _reads_its_connection(meaning: StackMeaning) -> bool:
    """Whether a library's own thread, or a server's before a request, waits for what the other side sends next."""
    reads = meaning.own_index < 0 and meaning.doing == "socket-read"
    return reads and (not meaning.in_pool_task or meaning.library is None)
