"""A consumer holds back its own pulls: what its counters and its log say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta

from msgspec import structs

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.bounds import MIB, count_limit, size_limit_mib, whole
from mqdiag.facts.heap import ConsumerFacts
from mqdiag.facts.logs import FlowControlFacts, LogEvent, LogsFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.log_events import between, by_group, folder_of, most_frequent, most_frequent_counted
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.rules.shared.consumers import running, uptime_ms
from mqdiag.rules.shared.graph_needed import without_graph
from mqdiag.text import Text
from mqdiag.time_ranges import NEAR_A_DUMP, moments, ranges_apart
from mqdiag.time_ranges import between as range_between

RULE = Rule("flow-control")
DELAY_MS = 50
"""after this time the client looks again at a queue that it held back, in every version"""
GRPC_DELAY_MS = 1000
"""the gRPC client looks again after this time"""
LOGGED_ONE_IN = 1000
"""held-back pulls for each line in the log"""
LOGGED_EACH = timedelta(milliseconds=LOGGED_ONE_IN * DELAY_MS)
"""between two lines of one queue that is held back all the time"""
LOGGED_REASONS = ("count", "size", "span", "pop", "waiting-requests")


@RULE.sees("heap")
def in_heap(facts: Facts, limits: Limits) -> Findings:
    """One finding for each group whose log does not tell the same."""
    heap = facts.heap
    if heap is None:
        return
    skip = without_graph(heap)
    if skip is not None:
        yield skip
    of_logs = list(_of_logs(facts, limits))
    for own in _of_heap(heap, limits):
        if not _told_by(heap, own, of_logs):
            yield own
    yield from _full_caches(heap)


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Findings:
    """One finding for each group and reason, with the counters of a heap dump of the same group and time."""
    of_heap = [] if facts.heap is None else list(_of_heap(facts.heap, limits))
    for draft in _of_logs(facts, limits):
        for own in of_heap:
            if _told_by(facts.heap, own, [draft], any_reason=True):
                draft = _both(draft, own)
        yield draft


def _told_by(heap: HeapFacts | None, own: Draft, of_logs: Sequence[Draft], *, any_reason: bool = False) -> bool:
    """Whether drafts of logs tell of the same group, time and reason as one of a heap."""
    when = moments(heap, None, ("heap",), own.age_ms)
    return any(
        draft.subject.group is not None
        and draft.subject.group == own.subject.group
        and ranges_apart(when, draft.when, NEAR_A_DUMP) is not True
        and (any_reason or draft.cause in _reasons(own.cause))
        for draft in of_logs
    )


def _both(logs: Draft, heap: Draft) -> Draft:
    """One finding, of the reason that the lines name and as bad as the worse of both."""
    counters = {
        name: heap.evidence[name]
        for name, reason in RULE.meaning("counters").items()
        if logs.cause in _reasons(reason) and heap.evidence.get(name)
    }
    if not counters:
        return logs
    most = max(map(_number, counters.values()))
    times = max(_number(logs.evidence["times"]), most)
    main = logs.cause in _reasons(heap.cause)
    surest = min((logs, heap), key=lambda one: tuple(Confidence).index(one.confidence))
    shared = ("counted_times", "mean_queues", "uptime_ms") if main else ()
    return structs.replace(
        logs,
        severity=min((logs, heap), key=lambda one: one.severity.rank).severity if main else logs.severity,
        confidence=surest.confidence,
        confidence_reason=surest.confidence_reason,
        title=Text(logs.title.template, {**logs.title.values, "times": times}),
        evidence={
            **logs.evidence,
            "times": times,
            **counters,
            **{name: heap.evidence[name] for name in shared},
            **({"delay_ms": DELAY_MS} if main else {}),
        },
        explanation=(*logs.explanation, *(heap.explanation if main else ())),
        seen_in=("heap", "logs"),
        weight=max(logs.weight, heap.weight),
        tells_most=logs.tells_most or any(RULE.meaning("counters")[counter] == "span" for counter in counters),
        in_chain=RULE.word("span-counted", span=most) if logs.cause == "span" else logs.in_chain,
    )


def _reasons(counted: str) -> list[str]:
    """The reasons that lines of logs tell apart, of one that a counter of a heap counts."""
    return counted.split("-or-")


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _of_heap(heap: HeapFacts, limits: Limits) -> Iterator[Draft]:
    for consumer in () if heap.process_queues is None else heap.consumers:
        found = {name: whole(consumer.state.get(name)) or 0 for name in RULE.meaning("counters")}
        if running(consumer) and sum(found.values()) >= limits["times"]:
            yield _of_consumer(heap, consumer, found, limits)


def _of_consumer(heap: HeapFacts, consumer: ConsumerFacts, found: dict[str, int], limits: Limits) -> Draft:
    times, uptime = sum(found.values()), uptime_ms(heap, consumer)
    held = None if uptime is None else times * DELAY_MS / uptime
    lasting = uptime is not None and uptime >= limits["continuous_after_ms"]
    continuous = held is not None and lasting and held >= limits["continuous_queues"]
    reasons = RULE.meaning("counters")
    reason = reasons[max(found, key=lambda name: found[name])]
    span = max(times for counter, times in found.items() if reasons[counter] == "span")
    return RULE.case(
        "counted-throughout" if continuous else "counted",
        subject=Subject(group=consumer.group),
        evidence={
            "times": times,
            "counted_times": times,
            "uptime_ms": uptime,
            "queues_held_back": None if held is None else round(held, 3),
            "mean_queues": None if held is None else round(held, 3),
            "delay_ms": DELAY_MS,
            **{name: value for name, value in found.items() if name in consumer.state},
        },
        words={"reason": RULE.word(reason), "span": span},
        cause=reason,
        age_ms=uptime,
        tells_most=span > 0,
    )


def _full_caches(heap: HeapFacts) -> Findings:
    """One finding for each consumer of which a queue is full at this moment.

    For consumers that divide their limits over their queues: they count nothing, so only the present is known.
    """
    for consumer in heap.consumers:
        most, most_mib = count_limit(consumer), size_limit_mib(consumer)
        if consumer.traits.limit_scope != "consumer" or most is None or not consumer.bounded_queues:
            continue
        own = [one for one in heap.queues if one.group == consumer.group and one.assigned and not one.dropped]
        share = max(1, most // consumer.bounded_queues)
        by_count = sum(one.messages >= share for one in own)
        by_size = sum(
            most_mib is not None and (one.msg_size or 0) >= most_mib * MIB // consumer.bounded_queues
            for one in own
        )
        if by_count or by_size:
            reason = "count" if by_count >= by_size else "size"
            setting = consumer.traits.count_setting if reason == "count" else consumer.traits.size_setting
            yield RULE.case(
                "cache-full",
                consumer,
                subject=Subject(group=consumer.group),
                evidence={
                    "queues": max(by_count, by_size),
                    "limit": whole(consumer.config.get(setting or "")),
                },
                words={"reason": RULE.word(reason), "setting": setting},
                cause=reason,
            )


def _of_logs(facts: Facts, limits: Limits) -> Iterator[Draft]:
    """One for each group and reason: of several clients the one that was held back most."""
    logs = facts.logs
    if logs is None:
        return
    alone = facts.heap is None and facts.stacks is None
    for group, reason in dict.fromkeys((row.group, row.kind) for row in logs.flow_control):
        rows = [row for row in logs.flow_control if (row.group, row.kind) == (group, reason)]
        to_the_end = alone and any(_holds_back_to_the_end(logs, row, limits) for row in rows)
        yield _of_lines(rows, _event(logs, group, reason), limits, to_the_end=to_the_end)


def _holds_back_to_the_end(logs: LogsFacts, row: FlowControlFacts, limits: Limits) -> bool:
    """Whether a log ends before it tells how long a full cache lasts.

    The next line of a queue may come `LOGGED_EACH` after the last one.
    """
    if (row.queues_held_back or 0) < limits["continuous_queues"]:
        return False
    folder = folder_of(row.path)
    ends = (file.last for file in logs.files if folder_of(file.path) == folder)
    end = max((one for one in ends if one is not None), default=None)
    its_lines, last_line = range_between(row.first, row.last), range_between(end, end)
    return ranges_apart(its_lines, last_line, LOGGED_EACH) is False


def _event(logs: LogsFacts, group: str | None, reason: str) -> LogEvent | None:
    """The lines of a group for a reason, with the queues that they name."""
    found = by_group(logs, f"flow-control-{reason}").get(group, [])
    rows = tuple(structs.replace(row, group=None) for event in found for row in event.subjects)
    if not rows:
        return None
    return structs.replace(max(found, key=lambda event: event.count), subjects=rows)


def _of_lines(
    rows: list[FlowControlFacts], event: LogEvent | None, limits: Limits, *, to_the_end: bool
) -> Draft:
    row = max(rows, key=lambda one: (one.occurrences, one.lines))
    held = row.queues_held_back
    lasting = row.seconds is not None and row.seconds * 1000 >= limits["continuous_after_ms"]
    continuous = held is not None and lasting and held >= limits["continuous_queues"]
    often = held is None and row.occurrences >= limits["times_without_range"]
    bad = continuous or often or row.idle_minutes > 0
    return RULE.case(
        "held-back-to-the-end" if to_the_end and not bad else "held-back",
        row,
        subject=Subject(group=row.group, topic=row.topics[0] if len(row.topics) == 1 else None),
        evidence={
            "times": row.occurrences,
            "logged_times": row.occurrences,
            "logged_one_in": 1 if row.logs_each else LOGGED_ONE_IN,
            "delay_ms": GRPC_DELAY_MS if row.logs_each else DELAY_MS,
            "idle_minutes": row.idle_minutes or None,
            "queues": row.queues or None,
            "clients": len(rows),
            **({} if event is None else most_frequent_counted(event)),
        },
        words={
            "reason": RULE.word(row.kind),
            **{f"by {reason}": reason == row.kind for reason in LOGGED_REASONS},
            # only lite pull names no group, and it has no listener
            "lite": row.group is None and row.kind == "count",
            "range": between(row.first, row.last),
            "range_known": held is not None,
            "logs_each": row.logs_each,
            "largest_known": row.largest is not None,
            "largest_unknown": row.largest is None,
            "subjects": None if event is None else most_frequent(event),
            "several_logs": len(rows) > 1,
            "path": row.path,
        },
        cause=row.kind,
        severity=Severity.WARNING if bad else Severity.INFO,
        confidence=Confidence.HIGH if held is not None else Confidence.MEDIUM,
        over=rows,
        weight=min(held or 0.0, 1.0) / 10,
        tells_most=row.kind == "span",
    )
