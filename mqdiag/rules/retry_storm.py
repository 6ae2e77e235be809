"""Much of what a group consumes has failed before."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Subject
from mqdiag.log_events import by_group, most_frequent, when
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.put_aside import logged_as_orderly, put_aside

RULE = Rule("retry-storm")
COUNTED = (
    "consume-failures",
    "messages-sent-back",
    "consume-exception",
    "consume-returned-null",
    "consume-orderly-suspended",
)
"""events that count failures"""


@RULE.graph
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """One finding for each group."""
    for group in dict.fromkeys(queue.group for queue in heap.queues if queue.group is not None):
        rows = [queue for queue in heap.queues if queue.group == group]
        messages = sum(queue.messages for queue in rows)
        failed = sum(queue.redelivered or 0 for queue in rows)
        if failed < limits["messages"] or failed < limits["share"] * messages:
            continue
        yield RULE.case(
            "failed-before",
            subject=Subject(group=group),
            evidence={
                "redelivered": failed,
                "messages": messages,
                "share": round(failed / messages, 4),
                "most_redelivered": max((queue.most_redelivered or 0 for queue in rows), default=0),
            },
            given={"put_aside": (put_aside(orderly=_is_orderly(heap, group)),)},
        )


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each group, by the worst minute of the failures that its lines count."""
    for group, parts in by_group(logs, *COUNTED).items():
        found = [event for event in parts if (event.peak_per_minute or 0) >= limits["failures_per_minute"]]
        if not found:
            continue
        yield RULE.case(
            "failures-logged",
            subject=Subject(group=group),
            events=found,
            evidence={
                "failures_per_minute": max(event.peak_per_minute or 0 for event in found),
                **{event.kind.replace("-", "_"): _failures(event) for event in found},
            },
            rows={
                "failures": tuple(
                    {
                        "total": _failures(event),
                        "what": RULE.word(event.kind),
                        "when": when(event),
                        "subjects": most_frequent(event),
                    }
                    for event in found
                )
            },
            given={"put_aside": (put_aside(orderly=logged_as_orderly(logs, group)),)},
        )


def _is_orderly(heap: HeapFacts, group: str) -> bool | None:
    """Whether all consumers of the group have an orderly listener, or none; None where that is not known."""
    kinds = {consumer.orderly for consumer in heap.consumers if consumer.group == group}
    return kinds.pop() if len(kinds) == 1 else None


def _failures(event: LogEvent) -> int:
    """What the lines count; the lines themselves where they carry no number."""
    return event.count if event.occurrences is None else event.occurrences
