"""Carriers that virtual threads do not leave while they wait, so that no other virtual thread runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container

from mqdiag.facts.thread_pools import PinnedCarriers
from mqdiag.knowledge.own_code import is_own, method_of
from mqdiag.read.stacks.records import Sample, ThreadRecord
from mqdiag.threads.measured_limits import STILL_MS, STILL_MS_PER_S
from mqdiag.threads.roles import virtual_name
from mqdiag.threads.series import Series
from mqdiag.threads.stack_meaning import meaning_of
from mqdiag.threads.wait_table import CARRIER

_PINNED = "java.lang.VirtualThread.parkOnCarrierThread"
_TRACED = ".VirtualThread$VThreadContinuation.onPinned"
"""in what -Djdk.tracePinnedThreads prints"""
_MONITOR_WAITS = ("java.lang.Object.wait0", "java.lang.Object.wait")
LEAST_SAMPLES = 3
"""that must show a thread at one line before it stands there"""
_NEAR_TOP = 8
"""frames in which a parked thread has that one"""


def pinned_carriers(series: Series) -> PinnedCarriers | None:
    """Virtual threads that hold all carriers in every sample that shows virtual threads; None where one is free.

    A paste of single threads does not show whether another one wants to run.
    """
    samples = [sample for sample in series.samples if any(thread.virtual for thread in sample.threads)]
    if not samples:
        return _seen_by_carriers(series)
    pinned, behind = (set.intersection(*sets) for sets in zip(*map(_on_carriers, samples), strict=True))
    holders = pinned | behind if len(samples) > 1 else pinned
    carriers, waiting = max(map(_carriers, samples)), min(map(_waiting, samples))
    if not pinned:
        holders = _in_one_place(samples) if waiting else set()
    if len(holders) < max(carriers, 1):
        return None
    if not waiting and not all(sample.headless for sample in samples):
        return None  # a paste leaves out those that wait
    threads = [thread for thread in samples[-1].threads if thread.java_id in holders and thread.virtual]
    threads.sort(key=lambda thread: thread.java_id not in pinned)
    return PinnedCarriers(
        carriers=len(threads),
        threads=tuple(thread.name or virtual_name(thread.java_id) for thread in threads),
        frame=next((frame for thread in threads if (frame := meaning_of(thread.stack).own_frame)), None),
        waiting=waiting,
        samples=len(samples),
        in_one_place=not pinned,
    )


def _in_one_place(samples: list[Sample]) -> set[int | None]:
    """Virtual threads that all samples show with one stack, if two or more stand at one line of the application.

    Before a monitor that a platform thread has, or in a loop: what waits elsewhere is in a frame of the JDK.
    """
    if len(samples) < LEAST_SAMPLES:
        return set()
    stacks = [
        {thread.java_id: thread.stack.frames for thread in sample.threads if thread.virtual}
        for sample in samples
    ]
    stand = {
        number: frames
        for number, frames in stacks[-1].items()
        if frames and is_own(method_of(frames[0])) and all(one.get(number) == frames for one in stacks)
    }
    places = Counter(frames[0] for frames in stand.values())
    return {number for number, frames in stand.items() if places[frames[0]] > 1}


def _on_carriers(sample: Sample) -> tuple[set[int | None], set[int | None]]:
    """(those pinned, those that stand where one of these passed: at its monitor, or its static initializer)."""
    carried = {thread.stack.mounted for thread in sample.threads}
    carried.update(thread.java_id for thread in sample.threads if thread.carrier is not None)
    virtual = [thread for thread in sample.threads if thread.virtual]
    pinned = [thread for thread in virtual if _is_pinned(thread, carried)]
    passed = {frame for thread in pinned for frame in thread.stack.frames[1:]}
    ids = {thread.java_id for thread in pinned}
    behind = {thread.java_id for thread in virtual if thread.stack.frames and thread.stack.frames[0] in passed}
    return ids, behind - ids


def _is_pinned(thread: ThreadRecord, carried: Container[int | None]) -> bool:
    """Whether the JDK's frames say so, or it is on its carrier in a wait that no virtual thread leaves it in."""
    methods = thread.stack.methods[:_NEAR_TOP]
    if _PINNED in methods or any(method.endswith(_TRACED) for method in methods):
        return True
    return thread.java_id in carried and bool(methods) and methods[0] in _MONITOR_WAITS


def _seen_by_carriers(series: Series) -> PinnedCarriers | None:
    """The same in dumps without virtual threads: all carriers run one each for good, and use no processor time.

    Who wants to run besides, such dumps do not show.
    """
    if len(series.samples) < 2 or series.not_judged is not None:
        return None
    runs = [
        {thread.java_id: thread for thread in sample.threads if thread.stack.mounted is not None}
        for sample in series.samples
    ]
    first, last = runs[0], runs[-1]
    seconds = series.seconds or 0.0
    for carrier, thread in last.items():
        mounted = {run[carrier].stack.mounted if carrier in run else None for run in runs}
        begin = first[carrier].cpu_ms if carrier in first else None
        if mounted != {thread.stack.mounted} or begin is None or thread.cpu_ms is None:
            return None
        if thread.cpu_ms - begin > STILL_MS + STILL_MS_PER_S * seconds:
            return None
    if not last:
        return None
    return PinnedCarriers(
        carriers=len(last),
        threads=tuple(virtual_name(thread.stack.mounted) for thread in last.values()),
        waiting=0,
        samples=len(series.samples),
    )


def _carriers(sample: Sample) -> int:
    """Threads that run virtual ones now."""
    return sum(CARRIER in thread.stack.methods and not thread.virtual for thread in sample.threads)


def _waiting(sample: Sample) -> int:
    """Virtual threads that have not begun: they have no frame.

    JDK 21 leaves those out that belong to no executor. Then threads that wait for the end of a virtual thread tell of
    them: more wait than virtual threads are shown.
    """
    not_begun = sum(thread.virtual and not thread.stack.frames for thread in sample.threads)
    shown = sum(thread.virtual for thread in sample.threads)
    joining = sum(meaning_of(thread.stack).joins_virtual_thread for thread in sample.threads)
    return max(not_begun, joining - shown)
