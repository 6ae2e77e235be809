"""Waits of consume threads that did not end within the recording."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mqdiag.facts.stacks import Standstill
from mqdiag.recordings.times import instant
from mqdiag.threads.cause_of_wait import cause_of_wait
from mqdiag.threads.roles import CONSUME_WORKER, role_of_name
from mqdiag.threads.stack_meaning import StackMeaning

SURE_LOOKS, SURE_SECONDS = 3, 5.0
"""as of samples by jstack: fewer looks, or a shorter time, prove no standstill"""


class OpenWait(NamedTuple):
    """A wait of one thread."""

    thread: str
    meaning: StackMeaning
    looks: int
    seconds: float
    """from the first look that shows it to the last one"""
    first_ns: int
    """when the first look showed it"""
    ended_ns: int | None
    """when the thread was last at other work; None where no event tells"""
    computes: bool = False
    """it runs rather than waits"""


def standstills(waits: Sequence[OpenWait], pool_sizes: Mapping[str, int]) -> tuple[Standstill, ...]:
    """Threads of one pool that wait for the same, as one standstill.

    Args:
        waits: of all threads.
        pool_sizes: threads of each pool of consume threads.
    """
    alike: dict[tuple[object, ...], list[OpenWait]] = defaultdict(list)
    for wait in waits:
        why = cause_of_wait(CONSUME_WORKER, wait.meaning, computing=wait.computes)
        frame = (wait.meaning.own_frame or "").partition("(")[0]
        alike[(role_of_name(wait.thread).pool, why.kind, why.cause, why.library, frame)].append(wait)
    return tuple(_standstill(own, pool_sizes) for own in alike.values())


def _standstill(own: list[OpenWait], pool_sizes: Mapping[str, int]) -> Standstill:
    meaning = own[0].meaning
    named = role_of_name(own[0].thread)
    why = cause_of_wait(CONSUME_WORKER, meaning, computing=own[0].computes)
    others = [wait.ended_ns for wait in own]
    looks, seconds = min(wait.looks for wait in own), min(wait.seconds for wait in own)
    return Standstill(
        kind=why.kind,
        cause=why.cause,
        library=why.library,
        threads=tuple(wait.thread for wait in own),
        role=CONSUME_WORKER,
        pool=named.pool,
        pool_size=max(pool_sizes.get(named.pool or "", 0), len(own)),
        group=named.group,
        frame=meaning.own_frame,
        listener=meaning.listener,
        wait=meaning.top,
        samples=looks,
        seconds=round(seconds, 3),
        began_after=None if None in others else instant(min(filter(None, others))),
        began_before=instant(min(wait.first_ns for wait in own)),
        confidence="high",
        remedy=why.remedy,
    )
