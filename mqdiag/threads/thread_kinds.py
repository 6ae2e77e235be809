"""How many threads there are of each kind, and which kinds grow."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from string import digits

from mqdiag.facts.thread_kinds import GrowingKind, ThreadKind
from mqdiag.threads import roles
from mqdiag.threads.series import Series
from mqdiag.threads.tracks import Track

_NUMBER = re.compile(r"\d+")
LEAST_SAMPLES = 3
"""that must each show more of a kind than the one before"""
LEAST_OF_TWO = 20
"""threads that two samples must show more, and twice as many: of so many new ones hardly any is to come back"""
LEAST_GROWTH = 3
"""threads that are more at the end: a pool that fills up grows by a few too, but seldom in every sample"""
_STARTS = frozenset(
    {"java.lang.Thread.start", "java.lang.Thread.start0", "java.util.concurrent.ThreadPoolExecutor.addWorker"}
)


def thread_kinds(tracks: Sequence[Track], samples: int) -> tuple[ThreadKind, ...]:
    """How many threads there are of each kind; one sample is enough to count them."""
    kinds_of: dict[str, str] = {}
    seen: Counter[tuple[str, tuple[int, ...]]] = Counter()
    for track in tracks:
        # one digit at the end says as much as all
        name = track.name[: len(track.name.rstrip(digits)) + 1]
        kind = kinds_of.get(name)
        if kind is None:
            kind = kinds_of[name] = _NUMBER.sub("#", name)
        seen[kind, track.seen] += 1
    counts: dict[str, list[int]] = {}
    for (kind, indices), threads in seen.items():
        own = counts.setdefault(kind, [0] * samples)
        for index in indices:
            own[index] += threads
    kinds = [ThreadKind(thread=name, threads=tuple(own)) for name, own in counts.items() if max(own) > 1]
    return tuple(sorted(kinds, key=lambda kind: (-max(kind.threads), kind.thread)))


def growing_kinds(tracks: Sequence[Track], series: Series) -> tuple[GrowingKind, ...]:
    """Kinds with more threads in each sample than in the one before, those that grow most first."""
    samples = len(series.moments)
    if samples < 2 or series.jvms > 1 or len({moment.sample.format for moment in series.moments}) > 1:
        return ()
    found = []
    for kind in thread_kinds(tracks, samples):
        counts = kind.threads
        if counts[-1] - counts[0] < LEAST_GROWTH or any(b <= a for a, b in pairwise(counts)):
            continue
        if samples < LEAST_SAMPLES and counts[-1] < max(2 * counts[0], counts[0] + LEAST_OF_TWO):
            continue
        own = [track for track in tracks if _kind(track.name) == kind.thread and track.role != roles.VIRTUAL]
        new = [track for track in own if track.seen[0] > 0]
        if not new:
            continue
        runs = Counter(frame for track in new if (frame := _runs(track)) is not None).most_common(1)
        found.append(
            GrowingKind(
                thread=kind.thread,
                threads=counts,
                seconds=series.seconds,
                runs=runs[0][0] if runs else None,
                made_by=_maker(tracks),
            )
        )
    return tuple(sorted(found, key=lambda one: (one.threads[0] - one.threads[-1], one.thread)))


def _kind(name: str) -> str:
    return _NUMBER.sub("#", name[: len(name.rstrip(digits)) + 1])


def _runs(track: Track) -> str | None:
    """The frame that says most of what a thread runs."""
    meaning = track.last_meaning
    if meaning.own_frame is not None:
        return meaning.own_frame
    frames = [frame for frame in meaning.stack.frames if not frame.startswith(("java.", "jdk.", "sun."))]
    return frames[-1] if frames else None


def _maker(tracks: Sequence[Track]) -> str | None:
    """The application's frame of a thread that starts another one at the moment of a sample."""
    for track in tracks:
        for meaning in track.meanings:
            if (
                meaning is not None
                and meaning.own_frame is not None
                and not _STARTS.isdisjoint(meaning.methods[:4])
            ):
                return meaning.own_frame
    return None
