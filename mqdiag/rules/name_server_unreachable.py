"""A client cannot reach its name server."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import LITERALS, Draft, Limits, Rule, Said
from mqdiag.rules.shared.excerpts import enough
from mqdiag.rules.shared.log_events import counted, events, files_of, lines_of, when
from mqdiag.text import Text, say
from mqdiag.time_ranges import ranges_of

NOT_SET, NOT_CONNECTED, NO_ANSWER = "name-server-not-set", "name-server-not-connected", "name-server-no-answer"

RULE = Rule(
    name="name-server-unreachable",
    title="A client cannot reach its name server",
    why=(
        "Clients and brokers find each other through the name server. A client without one sends and pulls nothing, and"
        " one that loses it goes on with the routes that it knows, until they are stale."
    ),
    causes=("unreachable", "wrong-name-server"),
    severities=(Severity.ERROR,),
    remedy=(
        "Check that the name server runs and that the client reaches its port: telnet NAMESRV 9876.",
        "Set the address: setNamesrvAddr, -Drocketmq.namesrv.addr or NAMESRV_ADDR, as host:port;host:port.",
    ),
    references=("NettyRemotingClient.getAndCreateNameserverChannel",),
    limits={"lines": 3},
    lies_at="any",
    in_chain=say("the client does not reach the name server"),
    leads_to={"no-route": say("and")},
    proven_on=LITERALS,
)


def _facts(count: int) -> Facts:
    event = LogEvent(
        kind=NOT_CONNECTED,
        side="client",
        count=count,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:00:09+08:00",
    )
    return Facts(logs=LogsFacts(events=(event,), lines=5000))


def fires() -> Facts:
    """Three attempts in a row."""
    return _facts(3)


def silent() -> Facts:
    """One in a long log, as when a name server restarts."""
    return _facts(1)


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for all clients."""
    assert facts.logs is not None
    found = events(facts.logs, NOT_SET, NOT_CONNECTED, NO_ANSWER)
    if enough(facts.logs, lines_of(found), limits["lines"]):
        yield _draft(facts.logs, found)


def _draft(logs: LogsFacts, found: list[LogEvent]) -> Draft:
    unset = logs.count(NOT_SET) > 0
    return Draft(
        severity=Severity.ERROR,
        cause="wrong-name-server" if unset else "unreachable",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("the lines do not tell whether the name server runs"),
        title=say("The client has no address of a name server")
        if unset
        else say("The client did not reach its name server {lines:count} {lines:time|times}"),
        evidence={"lines": lines_of(found), **counted(found)},
        explanation=tuple(
            say(
                "{what}: {lines:count} {lines:line|lines} {when}.",
                what=_SAID[event.kind],
                lines=event.count,
                when=when(event),
            )
            for event in found
        ),
        remedy=RULE.remedy,
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.6,
    )


_SAID: dict[str, Text] = {
    NOT_SET: say("No address of a name server is set"),
    NOT_CONNECTED: say("The connection could not be made"),
    NO_ANSWER: say("The name server gave no answer in time"),
}
