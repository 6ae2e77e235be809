"""The same thread over all samples: by Java id, else by address and native id, by name only if there is neither."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import msgspec

from mqdiag.facts.vocabulary import Role
from mqdiag.read.stacks.records import ThreadRecord
from mqdiag.read.stacks.whole import lacks_frames
from mqdiag.threads import roles
from mqdiag.threads.borrowed_names import only_named_service, only_named_worker
from mqdiag.threads.measured_limits import SHORT_RUN_S
from mqdiag.threads.series import Series
from mqdiag.threads.stack_meaning import StackMeaning, StackMeanings
from mqdiag.threads.wait_table import CARRIER, known_frames

_REQUEST_STREAM = "java.io.BufferedInputStream"

_NOT_OF_ROCKETMQ = frozenset({roles.POOL, roles.OTHER, roles.JVM, roles.VIRTUAL, roles.CARRIER})

_Key = int | tuple[str, int | None] | str
"""a thread of one JVM by its Java id, address or name"""
_Records = list[ThreadRecord | None]
"""records of one thread by sample; None where it is not there"""


class Track(msgspec.Struct, eq=False):
    """One thread over the series."""

    records: _Records
    """by sample; None where the thread is not there"""
    meanings: tuple[StackMeaning | None, ...]
    """by sample; one tuple for all threads with the same stacks"""
    jvm: int
    role: Role
    pool: str | None
    group: str | None
    name: str
    seen: tuple[int, ...]
    """samples that have the thread"""
    judged: tuple[int, ...]
    """the samples that decide about it: those of one form of dump, unless no form has two of them"""
    possible: tuple[int, ...]
    """all samples of the forms that are judged, with the thread or without it"""
    last: ThreadRecord
    """its record in the last sample that is judged"""
    last_meaning: StackMeaning
    """what its stack in the last sample that is judged means"""

    @property
    def ended(self) -> bool:
        """Whether the last sample that could show the thread does not."""
        return self.judged[-1] != self.possible[-1]

    @property
    def lacks_frames(self) -> bool:
        """Whether frames of its last sample are missing: what they would show is unknown."""
        if self.last_meaning.whole or self.role == roles.JVM:
            return False
        return lacks_frames(self.name, self.last.stack)

    @property
    def is_worker(self) -> bool:
        """Consumes messages, by name or by frames."""
        return self.role == roles.CONSUME_WORKER


def allocated_between(first: ThreadRecord, last: ThreadRecord) -> int | None:
    """Bytes of new objects between two samples of a thread; None where the dumps do not tell."""
    if first.allocated_bytes is None or last.allocated_bytes is None:
        return None
    return max(last.allocated_bytes - first.allocated_bytes, 0)


def align(series: Series, meanings: StackMeanings) -> list[Track]:
    """Tracks of all threads, those of the first sample first, each in the order of the dump."""
    rows = _rows(series)
    forms = {moment.sample.format for moment in series.moments}
    every_sample = tuple(range(len(series.moments)))
    known: dict[
        tuple[tuple[int, bool] | None, ...], tuple[tuple[StackMeaning | None, ...], tuple[int, ...]]
    ] = {}
    tracks = []
    for jvm, records in rows:
        # the records keep their stacks alive, so no other stack can get the id of one
        ids = tuple(
            [None if record is None else (id(record.stack), record.in_object_wait) for record in records]
        )
        found = known.get(ids)
        if found is None:
            found = known[ids] = (
                tuple(
                    None if record is None else meanings.of(record.stack, record.in_object_wait)
                    for record in records
                ),
                tuple(index for index in every_sample if records[index] is not None),
            )
        shown, seen = found
        judged, possible = (seen, every_sample) if len(forms) == 1 else _choose_form(records, seen, series)
        first, last, last_meaning = records[seen[0]], records[judged[-1]], shown[judged[-1]]
        assert first is not None
        assert last is not None
        assert last_meaning is not None
        named = roles.role_of_name(first.name)
        track = Track(
            records,
            shown,
            jvm,
            named.role,
            named.pool,
            named.group,
            first.name,
            seen,
            judged,
            possible,
            last,
            last_meaning,
        )
        _role_by_frames(track)
        tracks.append(track)
    return tracks


def _rows(series: Series) -> list[tuple[int, _Records]]:
    """The number of the JVM and the records by sample, of each thread."""
    rows: list[tuple[int, _Records]] = []
    known: dict[int, dict[_Key, _Records]] = defaultdict(dict)
    absent: _Records = [None] * len(series.moments)
    for index, moment in enumerate(series.moments):
        own = known[moment.jvm]
        for record in moment.sample.threads:
            key: _Key | None = record.java_id
            if key is None:
                key = record.name if record.tid is None else (record.tid, record.nid)
            row = own.get(key)
            if row is None:
                row = own[key] = absent.copy()
                rows.append((moment.jvm, row))
            # in a damaged or doubled part of a dump the thread's first entry stays
            if row[index] is None:
                row[index] = record
    return rows


def _choose_form(
    records: _Records, seen: tuple[int, ...], series: Series
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Choose the samples that decide about a thread; gives them, and all samples of their forms.

    Forms of dumps do not show the same: jstack has CPU times, lock lines and hidden frames, Thread.dump_to_file has
    virtual threads and names objects by identity hash. So a thread is judged by the samples of one form. Only where no
    form has two samples of it are samples of several forms compared, by the frames that both show.
    """
    by_form: dict[str, list[int]] = {}
    for index in seen:
        by_form.setdefault(series.moments[index].sample.format, []).append(index)
    best = max(by_form.values(), key=lambda samples: _worth(records, samples, series))
    judged = tuple(best) if len(best) > 1 else seen
    forms = {series.moments[index].sample.format for index in judged}
    return judged, tuple(index for index, moment in enumerate(series.moments) if moment.sample.format in forms)


def _worth(records: _Records, samples: list[int], series: Series) -> tuple[bool, bool, int]:
    """How much the samples of one form can tell: samples far enough apart first, then CPU times, then many samples."""
    first, last = series.moments[samples[0]].seconds, series.moments[samples[-1]].seconds
    apart = len(samples) > 1 and (first is None or last is None or last - first >= SHORT_RUN_S)
    timed = all((record := records[index]) is not None and record.cpu_ms is not None for index in samples)
    return apart, timed, len(samples)


def _role_by_frames(track: Track) -> None:
    """A worker under any name, and none of RocketMQ's by its name alone; a virtual thread; the carrier of one."""
    if track.role == roles.CONSUME_WORKER:
        if not _only_named_worker(track):
            return
        _take_name_away(track)
    elif track.role not in _NOT_OF_ROCKETMQ and only_named_service(filter(None, dict.fromkeys(track.meanings))):
        _take_name_away(track)
    last = track.last
    if any(meaning is not None and meaning.run_index >= 0 for meaning in track.meanings):
        track.role = roles.CONSUME_WORKER
        if track.pool is None:
            track.pool = _plain_container(last.container) or track.name or roles.NAMELESS_VIRTUAL
            track.name = track.name or roles.virtual_name(last.java_id)
        return
    if last.virtual:
        track.role = roles.VIRTUAL
        track.pool = track.pool or _plain_container(last.container) or roles.NAMELESS_VIRTUAL
        # most virtual threads have no name at all
        track.name = track.name or roles.virtual_name(last.java_id)
    elif last.stack.mounted is not None or (
        track.pool is not None and track.pool.startswith("ForkJoinPool-") and _carries(track)
    ):
        track.role = roles.CARRIER


def _take_name_away(track: Track) -> None:
    track.role = roles.POOL if track.pool else roles.OTHER
    track.group = None


def _only_named_worker(track: Track) -> bool:
    """Whether an application's thread has the name: its stacks are all whole, and show other work and no consuming."""
    shown = [meaning for meaning in dict.fromkeys(track.meanings) if meaning is not None]
    whole = (meaning.whole and not meaning.stack.omitted_frames for meaning in shown)
    return all(whole) and only_named_worker(shown)


def _plain_container(container: str | None) -> str | None:
    """A container's class without its identity, which differs in every JVM."""
    if not container or container == "<root>":
        return None
    return container.partition("@")[0].rpartition(".")[2] or None


def _carries(track: Track) -> bool:
    return any(CARRIER in meaning.methods for meaning in track.meanings if meaning)


def is_same_call(track: Track, first: int) -> bool:
    """Whether one object of a call is in all samples from `first` on."""
    objects = [call_objects(track, index) for index in track.judged if index >= first]
    return bool(objects) and bool(frozenset.intersection(*objects))


def has_other_calls(track: Track, first: int) -> bool:
    """Whether each sample from `first` on has objects of a call, and no two neighbours share one.

    It proves progress only where objects are named by identity hash: addresses change when the collector moves
    objects.
    """
    objects = [call_objects(track, index) for index in track.judged if index >= first]
    return len(objects) > 1 and all(objects) and all(not (one & other) for one, other in pairwise(objects))


def call_objects(track: Track, index: int) -> frozenset[str]:
    """Addresses in one sample of the objects that were made for the current call."""
    record, meaning = track.records[index], track.meanings[index]
    if record is None or meaning is None:
        return frozenset()
    new_stream = meaning.library is not None and meaning.library.stream_per_call
    ends = known_frames().per_call_objects
    found = set()
    for lock in record.stack.locks:
        if not 0 <= lock.slot < len(record.addresses):
            continue
        if lock.class_name.endswith(ends) or (new_stream and lock.class_name == _REQUEST_STREAM):
            found.add(record.addresses[lock.slot])
    return frozenset(found)
