"""How much processor time the garbage collector took over a series, beside all other threads."""

from __future__ import annotations

from mqdiag.facts.stacks import CollectorLoad
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.threads import roles
from mqdiag.threads.series import Series
from mqdiag.threads.tracks import Track, allocated_between

_PAUSES = lazy_pattern(r"GC Thread#\d+|GC task thread#\d+.*|ParGC Thread#\d+")
"""threads of G1 and Parallel that work in pauses only; names of JDK 8 and of later ones"""
_CONCURRENT = ("ZWorker", "XWorker", "ZDirector", "Shenandoah GC")
"""collectors that work beside the application: their processor time tells nothing of pauses"""
_SERIAL = "VM Thread"
"""in the Serial collector it collects itself"""


def collector_load(tracks: list[Track], series: Series) -> CollectorLoad | None:
    """The load; None where the dumps have no processor times, or the collector makes no pauses to speak of."""
    seconds = series.seconds
    if series.not_judged is not None or not seconds:
        return None
    names = [track.name for track in tracks if track.role == roles.JVM]
    if any(name.startswith(_CONCURRENT) for name in names):
        return None
    with_threads = any(_PAUSES.fullmatch(name) for name in names)
    if not (with_threads or any(track.name == _SERIAL for track in tracks)):
        return None
    busiest: tuple[float, str] | None = None
    others_ms = 0.0
    for track in tracks:
        grew_ms = _growth_ms(track)
        if grew_ms is None:
            continue
        if _PAUSES.fullmatch(track.name) if with_threads else track.name == _SERIAL:
            busiest = max(busiest or (grew_ms, track.name), (grew_ms, track.name))
        elif track.role != roles.JVM:
            others_ms += grew_ms
    if busiest is None:
        return None
    allocated = [grew for track in tracks if track.is_worker and (grew := _allocated_bytes(track)) is not None]
    return CollectorLoad(
        thread=busiest[1],
        collector_cpu_ms=round(busiest[0], 2),
        others_cpu_ms=round(others_ms, 2),
        seconds=seconds,
        allocated_bytes=sum(allocated) if allocated else None,
    )


def _growth_ms(track: Track) -> float | None:
    """Processor time over the series; that of a thread which is not in the first sample began at 0."""
    last = track.records[track.seen[-1]]
    first = track.records[0]
    if last is None or last.cpu_ms is None:
        return None
    begin = first.cpu_ms if first is not None else 0.0
    return None if begin is None else max(last.cpu_ms - begin, 0.0)


def _allocated_bytes(track: Track) -> int | None:
    first, last = track.records[track.seen[0]], track.records[track.seen[-1]]
    return None if first is None or last is None else allocated_between(first, last)
