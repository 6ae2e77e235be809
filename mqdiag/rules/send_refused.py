"""A broker refuses messages, and its disk is not the reason."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Subject
from mqdiag.log_events import enough, events, lines_by_one_clock, lines_of, most_frequent_counted, only
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.rules.shared.brokers import subject_of_logs

RULE = Rule("send-refused")
AT_STORE = "send-larger-than-allowed"
PASSING = ("slave-not-available", "replicas-missing", "no-new-file")
"""causes that a few lines may show in passing, as while a slave starts"""

PROPERTIES_BYTES = 32 << 10
"""the most that the properties of a message take beside its body"""


@RULE.broker_logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each broker and cause."""
    yield from _not_available(logs, limits)
    cases = RULE.meaning("by_kind")
    for case in dict.fromkeys(cases.values()):
        found = events(logs, *(kind for kind, own in cases.items() if own == case))
        # what the broker and a client say of one message counts once
        counted = [event for event in found if event.kind != AT_STORE] or found
        if enough(logs, lines_of(counted), limits["lines"] if case in PASSING else 1):
            yield _refused(logs, case, counted, [], _largest(found))


def _not_available(logs: LogsFacts, limits: Limits) -> Iterator[Draft]:
    """Code 14, by what the store of the broker says."""
    answers = events(logs, "service-not-available")
    marked = events(logs, "disk-marked-full")
    unwritable = events(logs, "put-not-writable")
    untold = [event for event in unwritable if "disk_full" not in event.values and not answers and not marked]
    if marked:
        # an answer without the shares of the disks, such as one of a line that was cut, is about that disk
        answers = [event for event in answers if _percent(event) is not None]
    refused = [event for event in answers if (_percent(event) or 0) < limits["full_percent"]]
    told = {
        "not-master": events(logs, "put-to-slave"),
        "store-error": [event for event in unwritable if _is_error(event)],
        "shutting-down": events(logs, "put-while-shut-down"),
    }
    for case, found in told.items():
        # while it lasts the store says it once in 50,000 times, but for a shutdown
        if found and (refused or case != "shutting-down"):
            yield _refused(logs, case, refused, found)
            return
    if enough(logs, lines_of(refused), limits["lines"]):
        known = any(_percent(event) is not None for event in refused)
        yield _refused(logs, "store-not-writable" if known else "reason-not-shown", refused, [])
    elif untold:
        yield _refused(logs, "store-untold", [], untold)


def _percent(event: LogEvent) -> int | None:
    """How full the fullest disk is that its lines name."""
    return event.values.get("largest_percent")


def _is_error(event: LogEvent) -> bool:
    return any(name in event.values for name in ("queue_error", "index_error", "fenced"))


def _largest(found: list[LogEvent]) -> int | None:
    """The largest message that the store refused, in bytes; None where it says none."""
    return max((size for event in found if (size := event.values.get("message_bytes"))), default=None)


def _refused(
    logs: LogsFacts, case: str, refused: list[LogEvent], told: list[LogEvent], largest: int | None = None
) -> Draft:
    every = [*refused, *told]
    sizes = (event.values.get("smallest_limit_bytes") for event in every)
    topics = {only(event, "topic") for event in refused}
    return RULE.case(
        case,
        logs=logs,
        subject=Subject(
            broker=subject_of_logs(logs, every).broker,
            topic=topics.pop() if len(topics) == 1 else None,
        ),
        events=every,
        evidence={
            "lines": lines_by_one_clock(refused) or lines_by_one_clock(every),
            "disk_percent": max((_percent(event) or 0 for event in refused), default=0) or None,
            "limit_bytes": min((size for size in sizes if size is not None), default=None),
            "largest_bytes": largest,
            "store_lines": lines_of(told) or None,
            **most_frequent_counted(*refused),
        },
        words={
            "answers": bool(refused),
            # a power of two, as people set it, and with room for properties
            "enough_bytes": None if largest is None else 1 << (largest + PROPERTIES_BYTES).bit_length(),
        },
    )
