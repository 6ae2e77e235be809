"""Where threads used the processor, by the samples of Java code."""

from __future__ import annotations

from collections import Counter

import numpy as np

from mqdiag.facts.recordings import HotMethod
from mqdiag.facts.vocabulary import Role
from mqdiag.recordings.constants import ThreadKey
from mqdiag.recordings.places import Places
from mqdiag.recordings.samples import JAVA, Samples
from mqdiag.threads.roles import role_of_name

MOST_ROWS = 30


def hot_methods(samples: Samples, threads: list[ThreadKey], places: Places) -> tuple[HotMethod, ...]:
    """Kinds of threads with their own frames, those with most samples first."""
    own = samples.taken(samples.kind == JAVA)
    if not len(own.kind):
        return ()
    pairs, counts = np.unique(np.stack((own.thread, own.stack), axis=1), axis=0, return_counts=True)
    rows: Counter[tuple[Role, str | None, str, str]] = Counter()
    for (thread, stack), count in zip(pairs.tolist(), counts.tolist(), strict=True):
        named = role_of_name(threads[thread].name)
        rows[(named.role, named.group, named.pool or threads[thread].name, places.shown_frame(stack))] += count
    total = int(counts.sum())
    return tuple(
        HotMethod(
            role=role, group=group, thread=thread, frame=frame, samples=count, share=round(count / total, 4)
        )
        for (role, group, thread, frame), count in rows.most_common(MOST_ROWS)
    )
