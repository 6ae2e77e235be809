"""Threads that ask for a collection of the heap: they are inside of System.gc()."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mqdiag.facts.stacks import CollectionCalls
from mqdiag.threads.tracks import Track

ASKS = "java.lang.Runtime.gc"
FOR_DIRECT_MEMORY = "java.nio.Bits.reserveMemory"
"""calls System.gc() where direct buffers have used up -XX:MaxDirectMemorySize (java.nio.Bits, JDK 8 and later)"""


def collection_calls(tracks: Sequence[Track]) -> CollectionCalls | None:
    """The calls over all samples; None where no sample shows one."""
    frames: Counter[str] = Counter()
    samples: set[int] = set()
    threads: dict[str, None] = {}
    sightings = direct = 0
    for track in tracks:
        for index in track.seen:
            meaning = track.meanings[index]
            if meaning is None or ASKS not in meaning.methods[:1]:
                continue
            sightings += 1
            direct += FOR_DIRECT_MEMORY in meaning.methods
            samples.add(index)
            threads[track.name] = None
            if meaning.own_frame is not None:
                frames[meaning.own_frame] += 1
    if not sightings:
        return None
    return CollectionCalls(
        threads=tuple(threads),
        sightings=sightings,
        for_direct_memory=direct,
        samples=len(samples),
        frame=frames.most_common(1)[0][0] if frames else None,
    )
