"""A consumer that holds back its own pulls: the texts of clients 3.2.6 to 5.3.3, push, pop and lite pull.

Only the 1st, 1,001st, 2,001st … time is logged, by a counter of the consumer that count and size share; each time
the queue waits 50 ms. Source: DefaultMQPushConsumerImpl.pullMessage, DefaultLitePullConsumerImpl.PullTaskImpl.
"""

from __future__ import annotations

import re

from mqdiag.facts.vocabulary import FlowControlKind
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.log_tally import MOST_ROWS, CounterTally, FlowTally, LogTally
from mqdiag.logs.message import Message
from mqdiag.logs.queues import queue_in
from mqdiag.logs.tally import Subject

_REASON = lazy_pattern(
    r"he (?:cached message (?P<what>count|size) exceeds the threshold (?P<limit>\d+)(?: MiB)?"
    r"|queue's messages, (?P<span>span) too long"
    r"|consumer message (?P<full>buffer) is full"
    r"|messages waiting to (?P<pop>ack) exceeds the threshold (?P<pop_limit>\d+)"
    r"|consume (?P<lite>request) count exceeds threshold (?P<lite_limit>\d+)), so do flow control"
)
_VALUE = lazy_pattern(r"(count|size|maxSpan|flowControlTimes|wait count|consume request count)=(-?\d{1,18})")
_OLD_TAIL = lazy_pattern(r"so do flow control, (\d+) (?:Pull|Pop)Request .*\] (\d+)\s*$")


def flow_control(message: Message, log: LogTally) -> None:
    """Count a line, by reason, group and queue."""
    found = _REASON.search(message.text)
    if found is None:
        # the Go and C++ clients log similar words in layouts of their own
        log.add("flow-control-other-client", message, side="client")
        return
    values = {name: int(value) for name, value in _VALUE.findall(message.text, found.end())}
    old = None if "flowControlTimes" in values else _OLD_TAIL.search(message.text)
    kind, limit, value = _reason(found, values)
    if old is not None:
        value, values["flowControlTimes"] = int(old[1]), int(old[2])
    subject = queue_in(message.text)
    tally = log.add(f"flow-control-{kind}", message, subject, side="client")
    if tally is None:
        return
    if value is not None:
        tally.keep_largest(f"largest_{_unit(kind)}", value)
    flow_row(log, message, subject, kind, limit, value)
    times = values.get("flowControlTimes")
    if times is not None:
        _count(log, message, (subject.group, "count-size" if kind in ("count", "size") else kind), times)


def _reason(found: re.Match[str], values: dict[str, int]) -> tuple[FlowControlKind, int | None, int | None]:
    """(kind, threshold, value over it)."""
    if found["what"] == "count":
        return "count", int(found["limit"]), values.get("count")
    if found["what"] == "size":
        return "size", int(found["limit"]), values.get("size")
    if found["span"]:
        return "span", None, values.get("maxSpan")
    if found["full"]:
        # up to 4.1.0 the only limit is a count, and "size" is the number of messages
        return "count", None, values.get("size")
    if found["pop"]:
        return "pop", int(found["pop_limit"]), values.get("wait count")
    if "flowControlTimes" not in values and "consume request count" in values:
        # 4.x prints the number of requests in the threshold's place and the counter in theirs
        values["flowControlTimes"] = values["consume request count"]
        return "waiting-requests", None, int(found["lite_limit"])
    return "waiting-requests", int(found["lite_limit"]), values.get("consume request count")


def _unit(kind: str) -> str:
    return {"size": "size_mib", "span": "span_offsets"}.get(kind, "messages")


def flow_row(
    log: LogTally,
    message: Message,
    subject: Subject,
    kind: FlowControlKind,
    limit: int | None,
    value: int | None,
) -> None:
    """Count one held-back pull under its group and reason."""
    key = (subject.group, kind)
    row = log.flow.get(key)
    if row is None:
        if len(log.flow) >= MOST_ROWS:
            return
        row = log.flow[key] = FlowTally()
    row.lines += 1
    row.span.see(log.at(message))
    if limit is not None:
        row.threshold = limit
    if value is not None:
        row.largest = max(value, row.largest if row.largest is not None else value)
    if subject.topic is not None and len(row.queues) < MOST_ROWS:
        row.topics[subject.topic] = None
        row.queues[subject.topic, subject.broker, subject.queue_id] = None


def _count(log: LogTally, message: Message, key: tuple[str | None, str], times: int) -> None:
    """Follow a consumer's counter; one that falls belongs to a client that started again."""
    counter = log.counters.get(key)
    if counter is None:
        if len(log.counters) >= MOST_ROWS:
            return
        counter = log.counters[key] = CounterTally()
    at = log.at(message)
    counter.lines += 1
    if counter.times is not None and times >= counter.times and at is not None and counter.at is not None:
        counter.grown += times - counter.times
        counter.milliseconds += max(at - counter.at, 0)
    else:
        # what the client counted before this log begins is held back too, at times that nobody knows
        counter.before += max(times - 1, 0)
        counter.grown += 1
    counter.times, counter.at = times, at
