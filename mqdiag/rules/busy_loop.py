"""A thread computes in one place and does not end."""

from __future__ import annotations

from collections import defaultdict

from mqdiag.facts import StacksFacts
from mqdiag.facts.stacks import BusyThread
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.standstill import short_frame

RULE = Rule("busy-loop")


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Findings:
    """One finding for each place; consume threads are the business of cpu-bound-listener."""
    places: dict[tuple[str | None, str], list[BusyThread]] = defaultdict(list)
    for busy in stacks.busy_threads:
        if busy.role != "consume-worker" or busy.updates_within:
            places[busy.pool, busy.frame].append(busy)
    for (_, frame), members in places.items():
        longest = max(members, key=lambda busy: busy.share_of_core or 0.0)
        works = _allocates(longest, limits)
        loops = (
            (longest.in_table or longest.updates_within or _takes_a_core(longest, limits))
            and works is not True
            and longest.samples >= limits["min_samples"]
        )
        yield RULE.case(
            _case(longest, loops=loops),
            longest,
            subject=Subject(thread=longest.thread if len(members) == 1 else longest.pool or longest.thread),
            evidence={
                "threads": tuple(busy.thread for busy in members),
                "thread_count": len(members),
                "frame": frame,
            },
            words={
                "frame": short_frame(frame),
                "works": works is True,
                "no_objects": loops and works is False,
                "counted": works is not None,
            },
            confidence=Confidence.HIGH if loops and works is False else Confidence.MEDIUM,
            severity=Severity.WARNING if loops else Severity.INFO,
            weight=float(len(members)),
        )


def _takes_a_core(busy: BusyThread, limits: Limits) -> bool:
    """Whether it has a core for itself; without CPU times only a long run tells."""
    if busy.share_of_core is None:
        return (busy.seconds or 0.0) >= limits["seconds_without_cpu"]
    return busy.share_of_core >= limits["core_share"]


def _case(busy: BusyThread, *, loops: bool) -> str:
    if busy.samples == 1:
        return "in-one-table" if busy.share_of_core is None else "busy-since-its-start"
    if not loops:
        return "loop-or-work"
    return "map-changed-within" if busy.updates_within else "busy-loop"


def _allocates(busy: BusyThread, limits: Limits) -> bool | None:
    """Whether it makes new objects as work does; None where the dumps do not tell."""
    if busy.allocated_bytes is None or not busy.seconds:
        return None
    return busy.allocated_bytes >= limits["work_bytes_per_second"] * busy.seconds
