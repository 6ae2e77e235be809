"""The name server does not know a topic."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import LITERALS, Draft, Limits, Rule, Said
from mqdiag.rules.shared.excerpts import enough, is_excerpt
from mqdiag.rules.shared.log_events import (
    counted,
    events,
    files_of,
    lines_of,
    most_frequent,
    most_frequent_counted,
    only,
    when,
)
from mqdiag.text import Text, say
from mqdiag.time_ranges import ranges_of

FAILED, ASKED = "send-no-route", "route-not-known"
"""a send that failed, and an answer of the name server, which the first send to a new topic gets as well"""

RULE = Rule(
    name="no-route",
    title="The name server does not know a topic",
    why=(
        "A client asks the name server where a topic is. Without a route no message can be sent or pulled. The topic"
        " was not created, or its broker is not registered at this name server, or the client asks the wrong one. The"
        " topic TBW102 is not counted: a missing route of it is harmless."
    ),
    causes=("topic-not-created", "wrong-name-server"),
    severities=(Severity.ERROR,),
    remedy=(
        "Create the topic: mqadmin updateTopic -n {name_server:arg NAMESRV:9876} -c {cluster:arg CLUSTER}"
        " -t {topic:arg TOPIC}.",
        "Check that the broker is registered at this name server: mqadmin clusterList"
        " -n {name_server:arg NAMESRV:9876}. Its answer has the CLUSTER of each broker.",
        "Automatic creation needs autoCreateTopicEnable=true on the broker, and a client that is not newer than it.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/504",
        "DefaultMQProducerImpl.sendDefaultImpl, MQClientAPIImpl.getTopicRouteInfoFromNameServer",
    ),
    limits={"lines": 10},
    # a topic is made by its first message
    explained_by=(
        "send-refused:broker-not-open",
        "file-descriptors-exhausted",
        "shutdown-requested:broker-stopped",
    ),
    lies_at="any",
    in_chain=say("the name server does not know the topic"),
    proven_on=LITERALS,
)


def _facts(kind: str) -> Facts:
    event = LogEvent(
        kind=kind,
        side="client",
        count=3,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:00:09+08:00",
        subjects=(LogSubject(topic="orders", count=3),),
    )
    return Facts(logs=LogsFacts(events=(event,), lines=5000))


def fires() -> Facts:
    """Three sends to a topic without a route."""
    return _facts(FAILED)


def silent() -> Facts:
    """The topic is made by the first sends."""
    return _facts(ASKED)


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for all topics."""
    assert facts.logs is not None
    failed, asked = events(facts.logs, FAILED), events(facts.logs, ASKED)
    # many senders of a new topic ask within one minute; a topic that is missing is asked for again and again
    lasting = [event for event in asked if event.count > (event.peak_per_minute or 0) or is_excerpt(facts.logs)]
    if failed or enough(facts.logs, lines_of(lasting), limits["lines"]):
        yield _draft(facts.logs, [*failed, *asked])


def _draft(logs: LogsFacts, found: list[LogEvent]) -> Draft:
    topics = {only(event, "topic") for event in found}
    topic = topics.pop() if len(topics) == 1 else None
    lost = logs.count("name-server-not-connected", "name-server-not-set", "name-server-no-answer")
    return Draft(
        severity=Severity.ERROR,
        cause="wrong-name-server" if lost else "topic-not-created",
        confidence=Confidence.MEDIUM,
        confidence_reason=say(
            "the answer is the same when the topic's broker is not registered, or when the client asks the wrong name"
            " server"
        ),
        title=say("The name server does not know topic {topic}")
        if topic is not None
        else say("The name server does not know some topics"),
        subject=Subject(topic=topic),
        evidence={
            "lines": lines_of(found),
            "name_server_lines": lost,
            **counted(found),
            **most_frequent_counted(*found),
        },
        explanation=tuple(_explained(found, lost)),
        remedy=RULE.remedy,
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.6,
    )


def _explained(found: list[LogEvent], lost: int) -> Iterator[Text]:
    for event in found:
        yield say(
            "{lines:count} {lines:line|lines} {when}: {subjects}.",
            lines=event.count,
            when=when(event),
            subjects=most_frequent(event) or say("the topic is not named"),
        )
    if lost:
        yield say(
            "{name_server_lines:count} more {name_server_lines:line says|lines say} that the name server was not"
            " reached."
        )
