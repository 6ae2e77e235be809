"""What a broker's send threads wait for in each sample, whether their sends end in between or not."""

from __future__ import annotations

from collections.abc import Sequence

from mqdiag.facts.stacks import PutWaits
from mqdiag.language import say
from mqdiag.threads.decide import Judgement
from mqdiag.threads.explain import BROKER_CAUSES, PAGE_CACHE, broker_remedy

_NEW_FILE = "AllocateMappedFileService.putRequestAndReturnMappedFile"
_LOCKS = ("PutMessageSpinLock.lock", "PutMessageReentrantLock.lock", "TopicQueueLock.lock")
_LOCK = "lock"


def put_waits(judgements: Sequence[Judgement], samples: int) -> tuple[PutWaits, ...]:
    """Threads by cause and sample, the most frequent cause first.

    Threads that wait for the put lock count with the one that holds it up: they say nothing of themselves, since under
    load they meet at that lock all the time.
    """
    found: dict[str, list[int]] = {}
    for judgement in judgements:
        for index in judgement.track.present:
            view = judgement.track.views[index]
            cause = None if view is None or view.idle else _cause(view.methods)
            if cause is not None:
                found.setdefault(cause, [0] * samples)[index] += 1
    locked = found.pop(_LOCK, [0] * samples)
    if PAGE_CACHE in found:
        found[PAGE_CACHE] = [
            held + waiting if held else 0 for held, waiting in zip(found[PAGE_CACHE], locked, strict=True)
        ]
    rows = [
        PutWaits(cause=cause, threads=tuple(counts), remedy=tuple(map(say, broker_remedy(cause))))
        for cause, counts in found.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-sum(row.threads), row.cause)))


def _cause(methods: Sequence[str]) -> str | None:
    for marks, cause, _ in BROKER_CAUSES:
        if any(mark in method for method in methods for mark in marks):
            return cause
    if any(_NEW_FILE in method for method in methods):
        return PAGE_CACHE
    return _LOCK if any(lock in method for method in methods for lock in _LOCKS) else None
