"""The process cannot make another thread."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import LITERALS, Draft, Limits, Rule, Said
from mqdiag.rules.shared.log_events import counted, events, files_of, lines_of, only, when
from mqdiag.text import Text, say
from mqdiag.time_ranges import ranges_of

RULE = Rule(
    name="thread-limit",
    title="The process cannot make another thread",
    why=(
        "'unable to create native thread' means that the process or its container has reached its limit of threads, or"
        " has no memory for another stack. The Java heap need not be full. Most often an application makes a client for"
        " each call and never shuts it down; each has about ten threads."
    ),
    causes=("client-leak", "limit-too-low"),
    severities=(Severity.ERROR,),
    remedy=(
        "Make one producer or consumer for each group, keep it, and call shutdown() when you no longer need it.",
        "Count the threads: ls /proc/PID/task | wc -l, and jstack PID, which mqdiag stacks counts by kind.",
        "Compare with the limits: ulimit -u, kernel.threads-max, kernel.pid_max, and pids.max of the container.",
    ),
    references=(
        "https://github.com/apache/rocketmq-spring/issues/586",
        "https://github.com/apache/rocketmq/issues/2397",
        "https://github.com/apache/rocketmq/issues/7499",
    ),
    limits={"clients": 100},
    explained_by=("client-leak",),
    of_process=True,
    lies_at="any",
    in_chain=say("the process cannot make another thread"),
    proven_on=LITERALS,
)


def _facts(kind: str) -> Facts:
    event = LogEvent(
        kind=kind,
        count=2,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:00:09+08:00",
        subjects=(LogSubject(thread="RocketmqClientAsyncWorker-1021-7", count=2),),
        values={"largest_client_number": 1021},
    )
    return Facts(logs=LogsFacts(events=(event,)))


def fires() -> Facts:
    """Client number 1,021 of one process got no thread."""
    return _facts("thread-limit-reached")


def silent() -> Facts:
    """Another error."""
    return _facts("out-of-memory")


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for all threads: the limit is the process's."""
    assert facts.logs is not None
    found = events(facts.logs, "thread-limit-reached")
    if found:
        yield _draft(facts.logs, found, limits)


def _draft(logs: LogsFacts, found: list[LogEvent], limits: Limits) -> Draft:
    clients = max((event.values.get("largest_client_number", 0) for event in found), default=0)
    leak = clients >= limits["clients"]
    return Draft(
        severity=Severity.ERROR,
        cause="client-leak" if leak else "limit-too-low",
        confidence=Confidence.HIGH if leak else Confidence.MEDIUM,
        confidence_reason=say("the client numbers its instances, and the threads name the number")
        if leak
        else say("the line does not tell which threads there are; a thread dump of the process does"),
        title=say("The process made client number {clients:count} and could make no more threads")
        if leak
        else say("The process could make no more threads"),
        evidence={
            "lines": lines_of(found),
            "clients": clients or None,
            "thread": only(found[0], "thread"),
            **counted(found),
        },
        explanation=tuple(_explained(found, leak=leak)),
        remedy=RULE.remedy if leak else RULE.remedy[::-1],
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.5,
    )


def _explained(found: list[LogEvent], *, leak: bool) -> Iterator[Text]:
    for event in found:
        yield say(
            "{lines:count} {lines:record|records} 'unable to create native thread' {when}.",
            lines=event.count,
            when=when(event),
        )
    if leak:
        yield say(
            "A process with {clients:count} clients makes a new one again and again and does not shut it down."
        )
    yield say("The Java heap need not be full: the stack of a thread lies outside of it.")
