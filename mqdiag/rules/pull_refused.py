"""The broker refuses the pulls of a group."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import LITERALS, Draft, Limits, Rule, Said
from mqdiag.rules.shared.excerpts import enough
from mqdiag.rules.shared.log_events import by_group, counted, lines_of, when
from mqdiag.text import Text, say
from mqdiag.time_ranges import ranges_of

NO_GROUP, NOT_LATEST, NOT_PARSABLE = (
    "pull-refused-no-group",
    "pull-refused-not-latest",
    "pull-refused-not-parsable",
)
CAUSES = {
    NO_GROUP: "heartbeat-lost",
    NOT_LATEST: "subscription-not-latest",
    NOT_PARSABLE: "subscription-not-parsable",
}

RULE = Rule(
    name="pull-refused",
    title="The broker refuses the pulls of a group",
    why=(
        "The broker answers a pull only for a group that it knows by heartbeats and whose subscription is not older"
        " than the client's. Code 24 means that no heartbeat of the group arrives, or that the group must be created"
        " first. Code 25 means that the subscription at the broker is older. At a start and in a rebalance both pass"
        " within seconds. When they do not pass, the group consumes nothing."
    ),
    causes=("heartbeat-lost", "subscription-not-latest", "subscription-not-parsable"),
    severities=(Severity.ERROR, Severity.INFO),
    remedy=(
        "Code 24: check that heartbeats reach the broker (mqadmin consumerConnection -g GROUP). Where"
        " autoCreateSubscriptionGroup=false, create the group: mqadmin updateSubGroup.",
        "Code 25: give all instances of the group the same topics and tags.",
        "Code 23: correct the tag or SQL expression.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/1871",
        "https://github.com/apache/rocketmq/issues/370",
        "PullMessageProcessor: SUBSCRIPTION_NOT_EXIST, SUBSCRIPTION_NOT_LATEST, SUBSCRIPTION_PARSE_FAILED",
    ),
    limits={"lines": 10},
    explained_by=("unequal-subscriptions",),
    lies_at="any",
    in_chain=say("the broker refuses the pulls of the group"),
    proven_on=LITERALS,
)

REMEDIES = {
    "heartbeat-lost": (
        say("Ask the broker which clients of the group it knows: mqadmin consumerConnection -g GROUP."),
        say(
            "If it knows none, look for failed heartbeats in the client's log (send heart beat to broker exception) and"
            " for closed connections in the broker's. A heartbeat of more than 16 MiB is refused."
        ),
        say("Where autoCreateSubscriptionGroup=false, create the group: mqadmin updateSubGroup -g GROUP."),
        say("Restart the consumers. If that does not help, restart the broker."),
    ),
    "subscription-not-latest": (
        say("Give all instances of the group the same topics and tags, or a group of their own."),
        say("Compare what each instance subscribes to: mqadmin consumerStatus -g GROUP."),
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
            # a long log that has few of them shows that it passed
            if kind == NOT_PARSABLE or enough(facts.logs, lines_of(found), limits["lines"]):
                yield _draft(group, cause, found, limits)


def _draft(group: str | None, cause: str, found: list[LogEvent], limits: Limits) -> Draft:
    lines = lines_of(found)
    lasts = lines >= limits["lines"] or cause == "subscription-not-parsable"
    return Draft(
        severity=Severity.ERROR if lasts else Severity.INFO,
        cause=cause,
        confidence=Confidence.MEDIUM,
        confidence_reason=_reason(cause) if lasts else say("at a start and in a rebalance it passes by itself"),
        title=_title(cause, lasts=lasts),
        subject=Subject(group=group),
        evidence={"lines": lines, **counted(found)},
        explanation=tuple(
            say(
                "{lines:count} {lines:pull was|pulls were} refused {when}.", lines=event.count, when=when(event)
            )
            for event in found
        ),
        remedy=REMEDIES[cause],
        rests_on=tuple(dict.fromkeys(path for event in found for path in event.files)),
        when=ranges_of(found),
        weight=0.5,
    )


def _reason(cause: str) -> Text:
    return {
        "heartbeat-lost": say("the answer is the same for a group that was never created"),
        "subscription-not-latest": say("lost heartbeats and instances that differ give the same answer"),
    }.get(cause, say("the answer does not name the expression"))


def _title(cause: str, *, lasts: bool) -> Text:
    if not lasts:
        return say(
            "The broker refused {lines:count} {lines:pull|pulls}, as it does at a start or in a rebalance"
        )
    return {
        "heartbeat-lost": say("The broker refused {lines:count} pulls because it does not know the group"),
        "subscription-not-latest": say(
            "The broker refused {lines:count} pulls because it holds an older subscription of the group"
        ),
    }.get(
        cause,
        say("The broker refused {lines:count} {lines:pull|pulls} because it cannot parse the subscription"),
    )
