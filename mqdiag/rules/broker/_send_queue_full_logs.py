"""send-queue-full from logs: answers [OVERLOAD], and the broker's own line, which one in ten thousand writes."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.broker._logs import answers, busy_remedy, each_broker, number, said, subject
from mqdiag.rules.log_events import events, when
from mqdiag.rules.registry import Draft
from mqdiag.text import say
from mqdiag.time_ranges import ranges_of

ONE_IN = 10_000
"""NettyRemotingAbstract logs a rejection only when the clock's milliseconds end in 0000"""
DEFAULT_CAPACITY = 10_000
LEAST_CAPACITY = 1000
"""a queue for fewer is full before the broker is busy"""
FULL = say("The broker's send queue was full")
SMALL_QUEUE = say(
    "Set sendThreadPoolQueueCapacity back to 10,000, the default: so short a queue is full in a moment."
)


def in_logs(facts: Facts) -> Iterator[Draft]:
    """One finding for each broker of the logs."""
    for own in each_broker(facts):
        if own.logs is not None and own.logs.count("busy-overload", "send-pool-rejected"):
            yield _draft(own.logs, busy_remedy(own))


def _draft(logs: LogsFacts, remedy: tuple[str, ...]) -> Draft:
    refused = answers(logs, "busy-overload")
    own = events(logs, "send-pool-rejected")
    count, logged = sum(event.count for event in refused), sum(event.count for event in own)
    explained = said(refused)
    explained += [
        say(
            "The broker logged {count:count} rejections {when}; it logs about one in {one_in:count}.",
            count=event.count,
            when=when(event),
            one_in=ONE_IN,
        )
        for event in own
    ]
    capacity = number(logs, "sendThreadPoolQueueCapacity")
    if capacity is not None and capacity < DEFAULT_CAPACITY:
        explained.append(
            say(
                (
                    "sendThreadPoolQueueCapacity is {capacity:count}, below the default of"
                    " {default_capacity:count}."
                ),
                capacity=capacity,
                default_capacity=DEFAULT_CAPACITY,
            )
        )
    small = capacity is not None and capacity < LEAST_CAPACITY
    title = (
        say("The broker's send queue takes {capacity:count} requests and was full", capacity=capacity)
        if small
        else FULL
    )
    return Draft(
        severity=Severity.ERROR if count + logged >= 10 and not small else Severity.WARNING,
        cause="small-queue" if small else "overload",
        confidence=Confidence.HIGH,
        title=title + (say(": {count:count} sends were refused", count=count) if count else ""),
        subject=subject(logs, refused),
        evidence={"refused": count, "logged_rejections": logged, "capacity": capacity},
        explanation=tuple(explained),
        remedy=(SMALL_QUEUE,) if small else remedy,
        when=ranges_of([*refused, *own]),
        weight=0.9,
    )
