"""The broker refuses the pulls of a group."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import LITERALS, Draft, Limits, Rule, Said
from mqdiag.rules.shared.excerpts import enough, is_excerpt
from mqdiag.rules.shared.log_events import by_group, counted, files_of, lines_of, only, seconds_between, when
from mqdiag.text import NOTHING, Text, say
from mqdiag.time_ranges import ranges_of

NO_GROUP, NOT_LATEST, NOT_PARSABLE, NO_TOPIC, NOT_CREATED = (
    "pull-refused-no-group",
    "pull-refused-not-latest",
    "pull-refused-not-parsable",
    "pull-refused-no-topic",
    "pull-refused-no-such-group",
)
BY_SLAVE = "pull-refused-by-slave"
AT_BROKER = "subscription-not-latest"
CAUSES = {
    NO_GROUP: "heartbeat-lost",
    NOT_LATEST: "subscription-not-latest",
    AT_BROKER: "subscription-not-latest",
    NOT_PARSABLE: "subscription-not-parsable",
    NO_TOPIC: "no-topic",
    NOT_CREATED: "group-not-created",
    BY_SLAVE: "slave-serves-no-reads",
}
LASTING = ("subscription-not-parsable", "no-topic", "group-not-created")
"""causes that do not pass by themselves"""
PASSES_WITHIN_S = 60
"""the heartbeat that renews a subscription at the broker comes every 30 s"""

RULE = Rule(
    name="pull-refused",
    title="The broker refuses the pulls of a group",
    why=(
        "The broker answers a pull only for a group that it knows by heartbeats and whose subscription is not older"
        " than the client's. Code 24 means that no heartbeat of the group arrives, or that the group must be created"
        " first. Code 25 means that the subscription at the broker is older. At a start and in a rebalance both pass"
        " with the next heartbeat, which comes every 30 seconds. When they do not pass, the group consumes nothing."
        " Code 26 means that the group was not created. Code 17 means that the topic was deleted or never created. Code"
        " 2 with [REJECTREQUEST] comes from a slave of version 5 that serves no reads: the client asks it because the"
        " master is gone."
    ),
    causes=(
        "heartbeat-lost",
        "subscription-not-latest",
        "subscription-not-parsable",
        "no-topic",
        "group-not-created",
        "slave-serves-no-reads",
    ),
    severities=(Severity.ERROR, Severity.WARNING, Severity.INFO),
    remedy=(
        "Code 24: check that heartbeats reach the broker (mqadmin consumerConnection -g {group:arg GROUP}).",
        "Codes 24 and 26: where autoCreateSubscriptionGroup=false, create the group: mqadmin updateSubGroup"
        " -c {cluster:arg CLUSTER} -g {group:arg GROUP}.",
        "Code 25: give all instances of the group the same topics and tags.",
        "Code 23: correct the tag or SQL expression.",
        "Code 17: create the topic, or take it out of the consumers' subscriptions.",
        "[REJECTREQUEST]: start the master again, or set slaveReadEnable=true on its slaves.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/1871",
        "https://github.com/apache/rocketmq/issues/370",
        "PullMessageProcessor.rejectRequest, 5.1.4 to 5.3.3",
        "PullMessageProcessor: SUBSCRIPTION_NOT_EXIST, SUBSCRIPTION_NOT_LATEST, SUBSCRIPTION_PARSE_FAILED",
    ),
    limits={"lines": 10},
    explained_by=("unequal-subscriptions", "connection-churn", "shutdown-requested:broker-stopped"),
    lies_at="any",
    in_chain=say("the broker refuses the pulls of the group"),
    proven_on=LITERALS,
)

_CREATE_GROUP = say(
    "Where autoCreateSubscriptionGroup=false, create the group: mqadmin updateSubGroup"
    " -n {name_server:arg NAMESRV:9876} -c {cluster:arg CLUSTER} -g {group:arg GROUP}."
)
REMEDIES = {
    "heartbeat-lost": (
        say(
            "Ask the broker which clients of the group it knows: mqadmin consumerConnection"
            " -n {name_server:arg NAMESRV:9876} -g {group:arg GROUP}."
        ),
        say(
            "If it knows none, look for failed heartbeats in the client's log (send heart beat to broker exception) and"
            " for closed connections in the broker's. A heartbeat of more than 16 MiB is refused."
        ),
        _CREATE_GROUP,
        say("Restart the consumers. If that does not help, restart the broker."),
    ),
    "subscription-not-latest": (
        say("Give all instances of the group the same topics and tags, or a group of their own."),
        say(
            "Compare what each instance subscribes to: mqadmin consumerStatus -n {name_server:arg NAMESRV:9876}"
            " -g {group:arg GROUP}."
        ),
    ),
    "no-topic": (
        say(
            "Create the topic again: mqadmin updateTopic -n {name_server:arg NAMESRV:9876} -c {cluster:arg CLUSTER}"
            " -t {topic:arg TOPIC}."
        ),
        say("If it was deleted on purpose, take it out of the subscriptions and restart the consumers."),
    ),
    "group-not-created": (_CREATE_GROUP,),
    "slave-serves-no-reads": (
        say(
            "Find out why the master is gone, and start it again: mqadmin clusterList shows which brokers run."
        ),
        say(
            "Set slaveReadEnable=true on the slaves, so that consumers go on with what the slaves have while the master"
            " is away."
        ),
    ),
    "subscription-not-parsable": (say("Correct the tag or SQL expression of the subscription."),),
}


def _facts(kind: str, count: int) -> Facts:
    event = LogEvent(
        kind=kind,
        side="client",
        count=count,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:01:09+08:00",
    )
    return Facts(logs=LogsFacts(events=(event,), lines=5000))


def fires() -> Facts:
    """Forty refusals in a minute: the group is not known."""
    return _facts(NO_GROUP, 40)


def silent() -> Facts:
    """Three in a long log, as at a start."""
    return _facts(NO_GROUP, 3)


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each group and cause."""
    assert facts.logs is not None
    for kind, cause in CAUSES.items():
        for group, found in by_group(facts.logs, kind).items():
            if all(_passes(event) for event in found) and not is_excerpt(facts.logs):
                continue  # a start
            # a long log that has few of them shows that it passed
            if cause in LASTING or enough(facts.logs, lines_of(found), limits["lines"]):
                yield _draft(group, cause, found, limits)


def _draft(group: str | None, cause: str, found: list[LogEvent], limits: Limits) -> Draft:
    lines = lines_of(found)
    topics = {only(event, "topic") for event in found}
    lasts = cause in LASTING or (lines >= limits["lines"] and not all(_passes(event) for event in found))
    sure = cause == CAUSES[BY_SLAVE]
    return Draft(
        severity=_severity(cause, lasts=lasts),
        cause=cause,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
        confidence_reason=NOTHING
        if sure
        else _reason(cause)
        if lasts
        else say("at a start and in a rebalance it passes by itself"),
        title=_title(cause, lasts=lasts),
        subject=Subject(group=group),
        evidence={
            "lines": lines,
            "topic": topics.pop() if cause == "no-topic" and len(topics) == 1 else None,
            **counted(found),
        },
        explanation=tuple(
            say(
                "{lines:count} {lines:request was|requests were} refused {when}.",
                lines=event.count,
                when=when(event),
            )
            if cause == CAUSES[NOT_CREATED]
            else say(
                "{lines:count} {lines:pull was|pulls were} refused {when}.", lines=event.count, when=when(event)
            )
            for event in found
        ),
        remedy=REMEDIES[cause],
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.5,
    )


def _severity(cause: str, *, lasts: bool) -> Severity:
    if not lasts:
        return Severity.INFO
    # the slave does what it should; that the master is gone is the fault, or a restart
    return Severity.WARNING if cause == CAUSES[BY_SLAVE] else Severity.ERROR


def _passes(event: LogEvent) -> bool:
    """Whether the broker's own lines end before the next heartbeat must have come; a client's do not tell."""
    if event.kind != AT_BROKER or event.first is None or event.last is None:
        return False
    return seconds_between(event.first, event.last) <= PASSES_WITHIN_S


def _reason(cause: str) -> Text:
    return {
        "heartbeat-lost": say("the answer is the same for a group that was never created"),
        "subscription-not-latest": say("lost heartbeats and instances that differ give the same answer"),
        "group-not-created": say("the answer does not tell whether the group was deleted or never created"),
        "no-topic": say("the answer does not tell whether the topic was deleted or never created"),
    }.get(cause, say("the answer does not name the expression"))


def _title(cause: str, *, lasts: bool) -> Text:
    if cause == CAUSES[BY_SLAVE]:
        return say(
            "A slave that serves no reads refused {lines:count} {lines:pull|pulls} while its master was away"
        )
    if not lasts:
        return say(
            "The broker refused {lines:count} {lines:pull|pulls}, as it does at a start or in a rebalance"
        )
    return {
        "heartbeat-lost": say("The broker refused {lines:count} pulls because it does not know the group"),
        "subscription-not-latest": say(
            "The broker refused {lines:count} pulls because it holds an older subscription of the group"
        ),
        "group-not-created": say(
            "The broker refused {lines:count} {lines:request|requests} because it does not have the group"
        ),
        "no-topic": say(
            "The broker refused {lines:count} {lines:pull|pulls} because it does not have the topic"
        ),
    }.get(
        cause,
        say("The broker refused {lines:count} {lines:pull|pulls} because it cannot parse the subscription"),
    )
