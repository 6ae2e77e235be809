"""The same thread over all samples: by Java id, else by address and native id, by name only if there is neither."""

from __future__ import annotations

from dataclasses import dataclass, field

from mqdiag.facts.vocabulary import Role
from mqdiag.read.stacks.records import ThreadRecord
from mqdiag.threads import roles
from mqdiag.threads.series import Series
from mqdiag.threads.stack_meaning import StackMeaning, StackMeanings
from mqdiag.threads.wait_table import CARRIER


@dataclass(slots=True, eq=False)
class Track:
    """One thread over the series."""

    records: list[ThreadRecord | None]
    """by sample; None where the thread is not there"""
    meanings: list[StackMeaning | None]
    jvm: int
    role: Role
    pool: str | None
    group: str | None
    name: str
    present: list[int] = field(default_factory=list)
    """samples that have the thread"""

    @property
    def last(self) -> ThreadRecord:
        """Its latest record."""
        record = self.records[self.present[-1]]
        assert record is not None
        return record

    @property
    def last_meaning(self) -> StackMeaning:
        """What its latest stack means."""
        meaning = self.meanings[self.present[-1]]
        assert meaning is not None
        return meaning

    @property
    def is_worker(self) -> bool:
        """Consumes messages, by name or by frames."""
        return self.role == roles.CONSUME_WORKER


def align(series: Series, meanings: StackMeanings) -> list[Track]:
    """Tracks of all threads, those of the first sample first, each in the order of the dump."""
    count = len(series.moments)
    tracks: dict[tuple[object, ...], Track] = {}
    for index, moment in enumerate(series.moments):
        jvm = moment.jvm
        used: set[tuple[object, ...]] = set()
        for record in moment.sample.threads:
            key: tuple[object, ...]
            if record.java_id is not None:
                key = (jvm, record.java_id)
            elif record.tid is not None:
                key = (jvm, record.tid, record.nid)
            else:
                key = (jvm, record.name)
            if key in used:
                # a damaged or doubled part of a dump: keep the thread's first entry
                continue
            used.add(key)
            track = tracks.get(key)
            if track is None:
                named = roles.role_of_name(record.name)
                track = tracks[key] = Track(
                    [None] * count, [None] * count, jvm, named.role, named.pool, named.group, record.name
                )
            track.records[index] = record
            track.meanings[index] = meanings.of(record.stack)
            track.present.append(index)
    result = list(tracks.values())
    for track in result:
        _role_by_frames(track)
    return result


def _role_by_frames(track: Track) -> None:
    """A worker under any name; a virtual thread; the carrier of one."""
    if track.role == roles.CONSUME_WORKER:
        return
    last = track.last
    if any(meaning is not None and meaning.run_index >= 0 for meaning in track.meanings):
        track.role = roles.CONSUME_WORKER
        if track.pool is None:
            track.pool = _plain_container(last.container) or track.name or "virtual threads"
            track.name = track.name or f"virtual thread #{last.java_id}"
        return
    if last.virtual:
        track.role = roles.VIRTUAL
        track.pool = track.pool or _plain_container(last.container) or "virtual threads"
        # most virtual threads have no name at all
        track.name = track.name or f"virtual thread #{last.java_id}"
    elif last.stack.mounted is not None or (
        track.pool is not None and track.pool.startswith("ForkJoinPool-") and _carries(track)
    ):
        track.role = roles.CARRIER


def _plain_container(container: str | None) -> str | None:
    """A container's class without its identity, which differs in every JVM."""
    if not container or container == "<root>":
        return None
    return container.partition("@")[0].rpartition(".")[2] or None


def _carries(track: Track) -> bool:
    return any(CARRIER in meaning.methods for meaning in track.meanings if meaning)
