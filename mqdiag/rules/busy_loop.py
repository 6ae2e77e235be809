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
        whole_core = longest.share_of_core is None or longest.share_of_core >= limits["core_share"]
        # without CPU times only long runs tell
        for_long = (
            longest.share_of_core is not None or (longest.seconds or 0.0) >= limits["seconds_without_cpu"]
        )
        loops = (
            (longest.in_table or longest.updates_within or (whole_core and for_long))
            and works is not True
            and longest.samples >= limits["min_samples"]
        )
        yield RULE.case(
            _case_of_one_sample(longest)
            if longest.samples == 1
            else "map-changed-within"
            if loops and longest.updates_within
            else "busy-loop"
            if loops
            else "loop-or-work",
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


def _case_of_one_sample(busy: BusyThread) -> str:
    return "busy-since-its-start" if busy.share_of_core is not None else "in-one-table"


def _allocates(busy: BusyThread, limits: Limits) -> bool | None:
    """Whether it makes new objects as work does; None where the dumps do not tell."""
    if busy.allocated_bytes is None or not busy.seconds:
        return None
    return busy.allocated_bytes >= limits["work_bytes_per_second"] * busy.seconds
