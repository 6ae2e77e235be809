"""The same thread over all samples: by Java id, else by address and native id, by name only if there is neither."""

from __future__ import annotations

from itertools import pairwise

import msgspec

from mqdiag.facts.vocabulary import Role
from mqdiag.read.stacks.records import ThreadRecord
from mqdiag.threads import roles
from mqdiag.threads.measured_limits import SHORT_RUN_S
from mqdiag.threads.series import Series
from mqdiag.threads.stack_meaning import StackMeaning, StackMeanings
from mqdiag.threads.wait_table import CARRIER

_REQUEST_STREAM = "java.io.BufferedInputStream"
_STREAM_LIBRARIES = frozenset({"HttpURLConnection"})
"""libraries that make a stream for each request; others keep one as long as the connection"""
_PER_CALL = (
    "HttpURLConnection",
    "HttpsURLConnectionImpl",
    "java.util.concurrent.CompletableFuture$Signaller",
    "java.util.concurrent.FutureTask",
    "java.util.concurrent.CompletableFuture",
    "java.util.concurrent.CountDownLatch$Sync",
)
"""classes of objects that are made for one call and die with it"""


class Track(msgspec.Struct, eq=False):
    """One thread over the series."""

    records: list[ThreadRecord | None]
    """by sample; None where the thread is not there"""
    meanings: list[StackMeaning | None]
    jvm: int
    role: Role
    pool: str | None
    group: str | None
    name: str
    seen: list[int] = msgspec.field(default_factory=list)
    """samples that have the thread"""
    judged: list[int] = msgspec.field(default_factory=list)
    """the samples that decide about it: those of one form of dump, unless no form has two of them"""
    possible: list[int] = msgspec.field(default_factory=list)
    """all samples of the forms that are judged, with the thread or without it"""

    @property
    def ended(self) -> bool:
        """Whether the last sample that could show the thread does not."""
        return self.judged[-1] != self.possible[-1]

    @property
    def last(self) -> ThreadRecord:
        """Its record in the last sample that is judged."""
        record = self.records[self.judged[-1]]
        assert record is not None
        return record

    @property
    def last_meaning(self) -> StackMeaning:
        """What its stack in the last sample that is judged means."""
        meaning = self.meanings[self.judged[-1]]
        assert meaning is not None
        return meaning

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
            track.seen.append(index)
    result = list(tracks.values())
    forms = {moment.sample.format for moment in series.moments}
    every_sample = list(range(count))
    for track in result:
        if len(forms) == 1:
            track.judged, track.possible = track.seen, every_sample
        else:
            _choose_form(track, series)
        _role_by_frames(track)
    return result


def _choose_form(track: Track, series: Series) -> None:
    """Choose the samples that decide about a thread.

    Forms of dumps do not show the same: jstack has CPU times, lock lines and hidden frames, Thread.dump_to_file has
    virtual threads and names objects by identity hash. So a thread is judged by the samples of one form. Only where no
    form has two samples of it are samples of several forms compared, by the frames that both show.
    """
    by_form: dict[str, list[int]] = {}
    for index in track.seen:
        by_form.setdefault(series.moments[index].sample.format, []).append(index)
    best = max(by_form.values(), key=lambda samples: _worth(track, samples, series))
    track.judged = best if len(best) > 1 else track.seen
    forms = {series.moments[index].sample.format for index in track.judged}
    track.possible = [index for index, moment in enumerate(series.moments) if moment.sample.format in forms]


def _worth(track: Track, samples: list[int], series: Series) -> tuple[bool, bool, int]:
    """How much the samples of one form can tell: samples far enough apart first, then CPU times, then many samples."""
    first, last = series.moments[samples[0]].seconds, series.moments[samples[-1]].seconds
    apart = len(samples) > 1 and (first is None or last is None or last - first >= SHORT_RUN_S)
    timed = all((record := track.records[index]) is not None and record.cpu_ms is not None for index in samples)
    return apart, timed, len(samples)


def _role_by_frames(track: Track) -> None:
    """A worker under any name; a virtual thread; the carrier of one."""
    if track.role == roles.CONSUME_WORKER:
        return
    last = track.last
    if any(meaning is not None and meaning.run_index >= 0 for meaning in track.meanings):
        track.role = roles.CONSUME_WORKER
        if track.pool is None:
            track.pool = _plain_container(last.container) or track.name or "virtual threads"
            track.name = track.name or roles.virtual_name(last.java_id)
        return
    if last.virtual:
        track.role = roles.VIRTUAL
        track.pool = track.pool or _plain_container(last.container) or "virtual threads"
        # most virtual threads have no name at all
        track.name = track.name or roles.virtual_name(last.java_id)
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


def is_same_call(track: Track, first: int) -> bool:
    """Whether one object of a call is in all samples from `first` on."""
    objects = [_call_objects(track, index) for index in track.judged if index >= first]
    return bool(objects) and bool(frozenset.intersection(*objects))


def has_other_calls(track: Track, first: int) -> bool:
    """Whether each sample from `first` on has objects of a call, and no two neighbours share one.

    It proves progress only where objects are named by identity hash: addresses change when the collector moves
    objects.
    """
    objects = [_call_objects(track, index) for index in track.judged if index >= first]
    return len(objects) > 1 and all(objects) and all(not (one & other) for one, other in pairwise(objects))


def _call_objects(track: Track, index: int) -> frozenset[str]:
    """Addresses in one sample of the objects that were made for the current call."""
    record, meaning = track.records[index], track.meanings[index]
    if record is None or meaning is None:
        return frozenset()
    library = meaning.library.name if meaning.library is not None else ""
    found = set()
    for lock in record.stack.locks:
        if not 0 <= lock.slot < len(record.addresses):
            continue
        if lock.class_name.endswith(_PER_CALL) or (
            lock.class_name == _REQUEST_STREAM and library in _STREAM_LIBRARIES
        ):
            found.add(record.addresses[lock.slot])
    return frozenset(found)
