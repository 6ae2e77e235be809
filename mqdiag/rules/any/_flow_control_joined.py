"""flow-control of one group from its heap and its logs: the counters of the one, the times and queues of the other."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from mqdiag.facts import HeapFacts
from mqdiag.findings import Confidence
from mqdiag.rules.any._flow_control_logs import title_of
from mqdiag.rules.registry import Draft, Skip
from mqdiag.time_ranges import NEAR_A_DUMP, moments, ranges_apart

_ALIKE = {
    "count-or-size": ("count", "size"),
    "span": ("span",),
    "count": ("count",),
    "waiting-requests": ("waiting-requests",),
}
"""reasons of a heap's counters, and those that lines of logs tell apart"""
_COUNTERS = {
    "count": ("queueFlowControlTimes", "flowControlTimes1"),
    "size": ("queueFlowControlTimes",),
    "span": ("queueMaxSpanFlowControlTimes", "flowControlTimes2"),
    "waiting-requests": ("consumeRequestFlowControlTimes",),
}


def joined(
    heap: HeapFacts | None, of_heap: Sequence[Draft | Skip], of_logs: Sequence[Draft]
) -> Iterator[Draft | Skip]:
    """Drafts of the logs, with what the heap of the same group and time counted; those of the heap that stand alone.

    Args:
        heap: whose time is that of its drafts.
        of_heap: drafts of the heap.
        of_logs: drafts of the logs.
    """
    taken: dict[int, Draft] = {}
    for own in of_heap:
        same = [
            place
            for place, draft in enumerate(of_logs)
            if isinstance(own, Draft)
            and draft.subject.group == own.subject.group
            and draft.subject.group is not None
            and ranges_apart(moments(heap, None, ("heap",), own.evidence.items()), draft.when, NEAR_A_DUMP)
            is not True
        ]
        if isinstance(own, Draft) and any(of_logs[place].cause in _ALIKE[own.cause] for place in same):
            for place in same:
                taken[place] = _both(taken.get(place, of_logs[place]), own)
        else:
            yield own
    for place, draft in enumerate(of_logs):
        yield taken.get(place, draft)


def _both(logs: Draft, heap: Draft) -> Draft:
    """One finding: of the reason that the lines name, as bad as the worse of both."""
    counters = {name: heap.evidence[name] for name in _COUNTERS.get(logs.cause, ()) if heap.evidence.get(name)}
    if not counters:
        return logs
    times = max(int(count) for count in (logs.evidence["times"], *counters.values()) if isinstance(count, int))
    main = logs.cause in _ALIKE[heap.cause]
    surest = min((logs, heap), key=lambda one: tuple(Confidence).index(one.confidence))
    return dataclasses.replace(
        logs,
        severity=min((logs, heap), key=lambda one: one.severity.rank).severity if main else logs.severity,
        confidence=surest.confidence,
        confidence_reason=surest.confidence_reason,
        title=title_of(logs.subject.group, logs.cause, times),
        evidence={**logs.evidence, "times": times, **counters},
        explanation=(*logs.explanation, *(heap.explanation if main else ())),
        seen_in=("heap", "logs"),
        weight=max(logs.weight, heap.weight),
    )
