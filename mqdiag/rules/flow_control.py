"""A consumer holds back its own pulls: what its counters and its log say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta

import msgspec
from msgspec import structs

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.bounds import MIB, count_limit, size_limit_mib, whole
from mqdiag.facts.heap import ConsumerFacts, QueueFacts
from mqdiag.facts.logs import FlowControlFacts, LogEvent, LogsFacts
from mqdiag.findings import Confidence, Finding, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.consumers import running, uptime_ms
from mqdiag.rules.shared.example_consumer import CONSUMER, example
from mqdiag.rules.shared.graph_needed import without_graph
from mqdiag.rules.shared.log_events import between, by_group, most_frequent, most_frequent_counted
from mqdiag.text import NOTHING, Text, say
from mqdiag.time_ranges import NEAR_A_DUMP, joined, moments, ranges_apart
from mqdiag.time_ranges import between as range_between

DELAY_MS = 50
"""after this time the client looks again at a queue that it held back, in every version"""
GRPC_DELAY_MS = 1000
"""the gRPC client looks again after this time"""
LOGGED_ONE_IN = 1000
"""held-back pulls for each line in the log"""
LOGGED_EACH = timedelta(milliseconds=LOGGED_ONE_IN * DELAY_MS)
"""between two lines of one queue that is held back all the time"""
COUNTERS = {
    "flowControlTimes1": "count",
    "flowControlTimes2": "span",
    "queueFlowControlTimes": "count-or-size",
    "queueMaxSpanFlowControlTimes": "span",
    "consumeRequestFlowControlTimes": "waiting-requests",
}
"""fields of the implementation object up to 4.1.0, since 4.2.0, and of lite pull"""
SPAN_COUNTERS = frozenset(counter for counter, reason in COUNTERS.items() if reason == "span")
SAME_REASON = {
    "count-or-size": ("count", "size"),
    "span": ("span",),
    "count": ("count",),
    "size": ("size",),
    "waiting-requests": ("waiting-requests",),
}
"""reasons of a heap's counters, and the reasons that lines of logs tell apart"""
COUNTERS_OF = {
    "count": ("queueFlowControlTimes", "flowControlTimes1"),
    "size": ("queueFlowControlTimes",),
    "span": ("queueMaxSpanFlowControlTimes", "flowControlTimes2"),
    "waiting-requests": ("consumeRequestFlowControlTimes",),
}
"""a heap's counters for each reason that a log names"""
REASONS = {
    "count": say("by count"),
    "size": say("by size"),
    "count-or-size": say("by count or size"),
    "span": say("by span"),
    "pop": say("by messages that wait for their acknowledgement"),
    "waiting-requests": say("by requests that wait for poll()"),
}
OVER = {
    "count": say("At most {largest:count} messages were cached."),
    "size": say("At most {largest:count} MiB of bodies were cached."),
    "span": say("At most {largest:count} offsets lay between the first and the last cached message."),
    "pop": say("At most {largest:count} messages waited for their acknowledgement."),
    "waiting-requests": say("At most {largest:count} requests waited for poll()."),
}
THRESHOLD = {
    "size": say("The threshold in force is {threshold:count} MiB."),
}
REMEDIES = {
    "count": say(
        "Make the listener faster, or raise consumeThreadMin (in the gRPC client, setConsumptionThreadCount);"
        " consumeThreadMax has no effect."
    ),
    "size": say("Look at the largest messages: mqdiag heap on a dump of the client shows them."),
    "span": say("Find the stuck message: mqdiag stacks on five thread dumps, or mqdiag heap on a dump."),
    "pop": say("Make the listener faster: messages wait for their acknowledgement."),
    "waiting-requests": say(
        "Call poll() more often, or lower pullBatchSize: pulled messages wait for the application."
    ),
}
BRIEF = say("Only a longer log shows whether this is a burst of messages or a listener that is slow or stuck.")
LITE_PULL = say("Call poll() more often, or from more threads: pulled messages wait for the application.")


def _in_chain(finding: Finding) -> Text:
    """Of several limits the span: it is the one that a stuck message runs into."""
    span = max((finding.evidence.get(counter) or 0 for counter in SPAN_COUNTERS), key=_number)
    if _number(span) > 0:
        return say(
            "its queue is not pulled any further: the span limit held back {span:count} pulls of the group",
            span=_number(span),
        )
    if finding.cause == "span":
        return say("its queue is not pulled any further because of the span limit")
    return say("flow control {reason} holds back pulls of the group", reason=REASONS[finding.cause])


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


RULE = Rule(
    name="flow-control",
    title="A consumer holds back its pulls because its cache is full",
    why=(
        "Before each pull the client compares its cache with pullThresholdForQueue, pullThresholdSizeForQueue and"
        " consumeConcurrentlyMaxSpan, and waits 50 ms above one of them. That protects the heap and is not the fault:"
        " the listener is slower than what arrives, messages are large, or one message is stuck."
    ),
    causes=("count-or-size", "span", "waiting-requests", "count", "size", "pop"),
    severities=(Severity.WARNING, Severity.INFO),
    remedy=(
        "By count: make the listener faster or raise consumeThreadMin. By size: look at the largest messages. By span:"
        " find the stuck message.",
        "Raise a threshold only when the heap has room for it on all queues.",
    ),
    references=(
        "DefaultMQPushConsumerImpl.pullMessage: queueFlowControlTimes, queueMaxSpanFlowControlTimes",
        "https://github.com/apache/rocketmq/pull/171",
    ),
    limits={
        "times": 1000,
        "times_without_range": 100_000,
        # One queue that was full all the time was held back for 0.86 of it: looking again takes more than the 50 ms.
        "continuous_queues": 0.8,
        "continuous_after_ms": 600_000,
    },
    explained_by=(
        "stuck-consumer-thread",
        "offset-stuck-at-head",
        "stuck-socket-read",
        "stuck-wait",
        "lock-convoy",
    ),
    in_chain=_in_chain,
)


def fires() -> Facts:
    """5,000 held-back pulls in an hour."""
    return example(consumer={"state": {**CONSUMER.state, "queueFlowControlTimes": 5000}})


def silent() -> Facts:
    """A short peak."""
    return example(consumer={"state": {**CONSUMER.state, "queueFlowControlTimes": 900}})


@RULE.sees("heap")
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each group whose log does not tell the same."""
    assert facts.heap is not None
    of_logs = list(_of_logs(facts.logs, limits))
    for own in _of_heap(facts.heap, limits):
        if not isinstance(own, Draft) or not _told_by(facts.heap, own, of_logs):
            yield own
    yield from _full_caches(facts.heap)


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each group and reason, with the counters of a heap dump of the same group and time."""
    of_heap = [] if facts.heap is None else list(_of_heap(facts.heap, limits))
    for draft in _of_logs(facts.logs, limits):
        for own in of_heap:
            if isinstance(own, Draft) and _told_by(facts.heap, own, [draft], any_reason=True):
                draft = _both(draft, own)
        alone = facts.heap is None and facts.stacks is None
        yield _too_short(draft) if alone and _holds_back_throughout(facts.logs, draft, limits) else draft


def _holds_back_throughout(logs: LogsFacts | None, draft: Draft, limits: Limits) -> bool:
    """Whether a log ends before it tells how long a full cache lasts.

    The next line of a queue may come `LOGGED_EACH` after the last one.
    """
    if logs is None or draft.severity is not Severity.INFO:
        return False
    for row in logs.flow_control:
        of_draft = (row.group, row.kind) == (draft.subject.group, draft.cause)
        if of_draft and (row.queues_held_back or 0) >= limits["continuous_queues"]:
            end = _end_of_log(logs, row.path)
            its_lines, last_line = range_between(row.first, row.last), range_between(end, end)
            if ranges_apart(its_lines, last_line, LOGGED_EACH) is False:
                return True
    return False


def _end_of_log(logs: LogsFacts, path: str) -> str | None:
    """The last time in a client's log; what was rotated is beside it."""
    folder = path.rpartition("/")[0]
    ends = (file.last for file in logs.files if file.path.rpartition("/")[0] == folder)
    return max((end for end in ends if end is not None), default=None)


def _too_short(draft: Draft) -> Draft:
    """The same finding, as one that leaves the answer open."""
    return structs.replace(
        draft,
        undecides=True,
        title=say(
            "Group {group} held back pulls in all {seconds:seconds} that its log tells of, {reason}",
            reason=REASONS[draft.cause],
        )
        if draft.subject.group
        else draft.title,
        explanation=(*draft.explanation, BRIEF),
    )


def _told_by(heap: HeapFacts | None, own: Draft, of_logs: Sequence[Draft], *, any_reason: bool = False) -> bool:
    """Whether drafts of logs tell of the same group, time and reason as one of a heap."""
    when = moments(heap, None, ("heap",), own.age_ms)
    return any(
        draft.subject.group is not None
        and draft.subject.group == own.subject.group
        and ranges_apart(when, draft.when, NEAR_A_DUMP) is not True
        and (any_reason or draft.cause in SAME_REASON[own.cause])
        for draft in of_logs
    )


def _both(logs: Draft, heap: Draft) -> Draft:
    """One finding, of the reason that the lines name and as bad as the worse of both."""
    counters = {
        name: heap.evidence[name] for name in COUNTERS_OF.get(logs.cause, ()) if heap.evidence.get(name)
    }
    if not counters:
        return logs
    times = max(_number(logs.evidence["times"]), *map(_number, counters.values()))
    main = logs.cause in SAME_REASON[heap.cause]
    surest = min((logs, heap), key=lambda one: tuple(Confidence).index(one.confidence))
    return msgspec.structs.replace(
        logs,
        severity=min((logs, heap), key=lambda one: one.severity.rank).severity if main else logs.severity,
        confidence=surest.confidence,
        confidence_reason=surest.confidence_reason,
        evidence={
            **logs.evidence,
            "times": times,
            **counters,
            **(
                {"counted_times": heap.evidence["times"], "mean_queues": heap.evidence["mean_queues"]}
                if main
                else {}
            ),
            **({"uptime_ms": heap.evidence["uptime_ms"], "delay_ms": DELAY_MS} if main else {}),
        },
        explanation=(*logs.explanation, *(heap.explanation if main else ())),
        seen_in=("heap", "logs"),
        weight=max(logs.weight, heap.weight),
        tells_most=logs.tells_most or any(counter in SPAN_COUNTERS for counter in counters),
    )


def _of_heap(heap: HeapFacts, limits: Limits) -> Iterator[Said]:
    skip = without_graph(heap)
    if skip is not None:
        yield skip
        return
    for consumer in heap.consumers:
        found = {name: whole(consumer.state.get(name)) or 0 for name in COUNTERS}
        if running(consumer) and sum(found.values()) >= limits["times"]:
            yield _of_consumer(heap, consumer, found, limits)


def _of_consumer(heap: HeapFacts, consumer: ConsumerFacts, found: dict[str, int], limits: Limits) -> Draft:
    times, uptime = sum(found.values()), uptime_ms(heap, consumer)
    held = None if uptime is None else times * DELAY_MS / uptime
    lasting = uptime is not None and uptime >= limits["continuous_after_ms"]
    continuous = held is not None and lasting and held >= limits["continuous_queues"]
    reason = COUNTERS[max(found, key=lambda name: found[name])]
    mean = say("The time since its start is not known, so neither is the share.")
    title = say("Group {group} held back {times:count} pulls, mostly {reason}", reason=REASONS[reason])
    if held is not None:
        mean = say(
            "At {delay_ms:ms} each, {mean_queues:decimal} queues were held back at once, as a mean since the start."
        )
        title = say(
            "Group {group} held back {times:count} pulls in {uptime_ms:ms}, mostly {reason}",
            reason=REASONS[reason],
        )
    return Draft(
        severity=Severity.WARNING if continuous else Severity.INFO,
        cause=reason,
        confidence=Confidence.HIGH if continuous else Confidence.MEDIUM,
        confidence_reason=NOTHING if continuous else say("the counters do not tell when it was"),
        title=title,
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
        explanation=(
            say("The consumer counted {counted_times:count} pulls that it put off because of a threshold."),
            mean,
        ),
        remedy=RULE.remedy,
        age_ms=uptime,
        tells_most=any(found[counter] for counter in SPAN_COUNTERS),
    )


def _full_caches(heap: HeapFacts) -> Iterator[Draft]:
    """One finding for each consumer of which a queue is full at this moment.

    For consumers that divide their limits over their queues: they count nothing, so only the present is known.
    """
    for consumer in heap.consumers:
        most, most_mib = count_limit(consumer), size_limit_mib(consumer)
        if consumer.traits.limit_scope != "consumer" or most is None or not consumer.bounded_queues:
            continue
        own = [one for one in heap.queues if one.group == consumer.group and one.assigned and not one.dropped]
        share = max(1, most // consumer.bounded_queues)
        by_count = [one for one in own if one.messages >= share]
        by_size = [
            one
            for one in own
            if most_mib is not None and (one.msg_size or 0) >= most_mib * MIB // consumer.bounded_queues
        ]
        if by_count or by_size:
            yield _full(consumer, by_count, by_size)


def _full(consumer: ConsumerFacts, by_count: list[QueueFacts], by_size: list[QueueFacts]) -> Draft:
    reason = "count" if len(by_count) >= len(by_size) else "size"
    setting = consumer.traits.count_setting if reason == "count" else consumer.traits.size_setting
    return Draft(
        severity=Severity.INFO,
        cause=reason,
        confidence=Confidence.HIGH,
        confidence_reason=say("the queues were read"),
        title=say(
            "The cache of group {group} is full, {reason}: it asks for no more messages", reason=REASONS[reason]
        ),
        subject=Subject(group=consumer.group),
        evidence={
            "queues": len(by_count if reason == "count" else by_size),
            "bounded_queues": consumer.bounded_queues,
            "messages": consumer.messages,
            "body_bytes": consumer.body_bytes,
            "limit": whole(consumer.config.get(setting or "")),
        },
        explanation=(
            say(
                "{queues:count} of {bounded_queues:count} {bounded_queues:queue is|queues are} full. The consumer holds"
                " {messages:count} {messages:message|messages} with {body_bytes:bytes} of bodies."
            ),
            say(
                "{setting} is {limit:count}, and each queue gets an equal share of it. A full queue looks every second"
                " whether it has room.",
                setting=setting,
            ),
        ),
        remedy=(
            say("Make the listener faster, or give it more threads with setConsumptionThreadCount."),
            say("Find out what its threads do: mqdiag stacks on five thread dumps."),
        ),
    )


def _of_logs(logs: LogsFacts | None, limits: Limits) -> Iterator[Draft]:
    """One for each group and reason: of several clients the one that was held back most."""
    if logs is None:
        return
    for group, reason in dict.fromkeys((row.group, row.kind) for row in logs.flow_control):
        rows = [row for row in logs.flow_control if (row.group, row.kind) == (group, reason)]
        yield _of_lines(rows, _event(logs, group, reason), limits)


def _event(logs: LogsFacts, group: str | None, reason: str) -> LogEvent | None:
    """The lines of a group for a reason, with the queues that they name."""
    found = by_group(logs, f"flow-control-{reason}").get(group, [])
    rows = tuple(structs.replace(row, group=None) for event in found for row in event.subjects)
    if not rows:
        return None
    return structs.replace(max(found, key=lambda event: event.count), subjects=rows)


def _of_lines(rows: list[FlowControlFacts], event: LogEvent | None, limits: Limits) -> Draft:
    row = max(rows, key=lambda one: (one.occurrences, one.lines))
    held = row.queues_held_back
    lasting = row.seconds is not None and row.seconds * 1000 >= limits["continuous_after_ms"]
    continuous = held is not None and lasting and held >= limits["continuous_queues"]
    often = held is None and row.occurrences >= limits["times_without_range"]
    lite = row.group is None and row.kind == "count"  # only lite pull names no group, and it has no listener
    return Draft(
        severity=Severity.WARNING if continuous or often or row.idle_minutes else Severity.INFO,
        cause=row.kind,
        confidence=Confidence.HIGH if held is not None else Confidence.MEDIUM,
        confidence_reason=NOTHING if held is not None else say("one line does not tell for how long"),
        title=(
            say("Group {group} finished no message for a minute or longer while its cache was full")
            if row.idle_minutes
            else say(
                "Group {group} held back {times:count} {times:pull|pulls} or more, {reason}",
                reason=REASONS[row.kind],
            )
            if row.group
            else say(
                "A lite pull consumer held back {times:count} {times:pull|pulls} or more, {reason}",
                reason=REASONS[row.kind],
            )
        ),
        subject=Subject(group=row.group, topic=row.topics[0] if len(row.topics) == 1 else None),
        evidence={
            "times": row.occurrences,
            "logged_times": row.occurrences,
            "lines": row.lines,
            "logged_one_in": 1 if row.logs_each else LOGGED_ONE_IN,
            "queues_held_back": held,
            "delay_ms": GRPC_DELAY_MS if row.logs_each else DELAY_MS,
            "idle_minutes": row.idle_minutes or None,
            "seconds": row.seconds,
            "threshold": row.threshold,
            "largest": row.largest,
            "topics": row.topics,
            "queues": row.queues or None,
            "clients": len(rows),
            **({} if event is None else most_frequent_counted(event)),
        },
        explanation=tuple(_explanation(row, event, len(rows))),
        remedy=(LITE_PULL if lite else REMEDIES[row.kind], RULE.remedy[-1]),
        when=joined([period for one in rows for period in range_between(one.first, one.last)]),
        weight=min(held or 0.0, 1.0) / 10,
        tells_most=row.kind == "span",
    )


def _explanation(row: FlowControlFacts, event: LogEvent | None, clients: int) -> Iterator[Text]:
    if row.idle_minutes:
        yield say(
            "In {idle_minutes:count} {idle_minutes:minute|minutes} the consumer's own counters show that no listener"
            " finished a message, and its cache was full."
        )
    if row.logs_each:
        yield say(
            "{lines:count} {lines:line|lines} {range}, one for each held-back pull.",
            range=between(row.first, row.last),
        )
    else:
        yield say(
            "{lines:count} {lines:line|lines} {range}. The client logs one held-back pull in {logged_one_in:count},"
            " and its counter shows at least {logged_times:count}.",
            range=between(row.first, row.last),
        )
    if row.queues_held_back is not None and row.seconds is not None:
        yield say(
            "At {delay_ms:ms} each, {queues_held_back:decimal} queues were held back at once, as a mean over"
            " {seconds:seconds}."
        )
    if row.largest is not None:
        yield OVER[row.kind]
        if row.threshold is not None:
            yield THRESHOLD.get(row.kind, say("The threshold in force is {threshold:count}."))
    subjects = None if event is None else most_frequent(event)
    if subjects is not None:
        yield say("The lines name these queues most: {subjects}.", subjects=subjects)
    if clients > 1:
        yield say("{clients:count} logs have such lines; these numbers are of {path}.", path=row.path)
