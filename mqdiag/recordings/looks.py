"""Single looks at threads: samples of native code, and thread dumps inside the recording."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from mqdiag.read.stacks.records import Sample
from mqdiag.recordings.constants import ThreadKey
from mqdiag.recordings.places import Places
from mqdiag.recordings.samples import NATIVE, Samples
from mqdiag.threads.stack_meaning import StackMeaning, StackMeanings


class Look(NamedTuple):
    """What a thread did at one moment."""

    at_ns: int
    meaning: StackMeaning
    is_native: bool = False
    """it is a sample of native code"""


def looks_at(
    threads: list[ThreadKey], samples: Samples, places: Places, dumps: Iterable[tuple[int, Sample]]
) -> dict[int, list[Look]]:
    """The looks at each thread by time, by its number."""
    found: dict[int, list[Look]] = defaultdict(list)
    native = samples.taken((samples.kind == NATIVE) & (samples.stack != 0))
    for at_ns, thread, stack in zip(
        native.at_ns.tolist(), native.thread.tolist(), native.stack.tolist(), strict=True
    ):
        if places.shows_top(stack):
            found[thread].append(Look(at_ns, places.meaning(stack), is_native=True))
    numbers = {(thread.name, thread.java_id): number for number, thread in enumerate(threads)}
    meanings = StackMeanings()
    for at_ns, sample in dumps:
        for record in sample.threads:
            number = numbers.get((record.name, record.java_id or 0))
            if number is not None:
                found[number].append(Look(at_ns, meanings.of(record.stack, record.in_object_wait)))
    for looks in found.values():
        looks.sort(key=lambda look: look.at_ns)
    return found


def is_wait(meaning: StackMeaning) -> bool:
    """Whether the thread waits for something while it has work."""
    return meaning.waits and not meaning.idle
