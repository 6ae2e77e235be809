"""Carriers that virtual threads do not leave while they wait, so that no other virtual thread runs."""

from __future__ import annotations

from collections.abc import Container

from mqdiag.facts.thread_pools import PinnedCarriers
from mqdiag.read.stacks.records import Sample, ThreadRecord
from mqdiag.threads.roles import virtual_name
from mqdiag.threads.series import Series
from mqdiag.threads.stack_meaning import meaning_of
from mqdiag.threads.wait_table import CARRIER

_PINNED = "java.lang.VirtualThread.parkOnCarrierThread"
_TRACED = ".VirtualThread$VThreadContinuation.onPinned"
"""in what -Djdk.tracePinnedThreads prints"""
_MONITOR_WAITS = ("java.lang.Object.wait0", "java.lang.Object.wait")
_NEAR_TOP = 8
"""frames in which a parked thread has that one"""


def pinned_carriers(series: Series) -> PinnedCarriers | None:
    """Virtual threads that hold all carriers in every sample that shows virtual threads; None where one is free.

    A paste of single threads does not show whether another one wants to run.
    """
    samples = [sample for sample in series.samples if any(thread.virtual for thread in sample.threads)]
    if not samples:
        return None
    pinned_in_all: set[int | None] | None = None
    for sample in samples:
        carried = {thread.stack.mounted for thread in sample.threads}
        pinned = {thread.java_id for thread in sample.threads if _is_pinned(thread, carried)}
        pinned_in_all = pinned if pinned_in_all is None else pinned_in_all & pinned
    carriers = max(map(_carriers, samples))
    waiting = min(map(_waiting, samples))
    if not pinned_in_all or len(pinned_in_all) < carriers:
        return None
    if not waiting and not all(sample.headless for sample in samples):
        return None  # a paste leaves out those that wait
    pinned_threads = [
        thread for thread in samples[-1].threads if thread.java_id in pinned_in_all and thread.virtual
    ]
    return PinnedCarriers(
        carriers=len(pinned_threads),
        threads=tuple(thread.name or virtual_name(thread.java_id) for thread in pinned_threads),
        frame=next((frame for thread in pinned_threads if (frame := meaning_of(thread.stack).own_frame)), None),
        waiting=waiting,
        samples=len(samples),
    )


def _is_pinned(thread: ThreadRecord, carried: Container[int | None]) -> bool:
    """Whether the JDK's frames say so, or it is on its carrier in a wait that no virtual thread leaves it in."""
    methods = thread.stack.methods[:_NEAR_TOP]
    if not thread.virtual:
        return False
    if _PINNED in methods or any(method.endswith(_TRACED) for method in methods):
        return True
    return thread.java_id in carried and bool(methods) and methods[0] in _MONITOR_WAITS


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
