"""A gRPC client does not reach its proxy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.excerpts import enough
from mqdiag.rules.shared.log_events import busiest, counted, events, files_of, lines_of, seconds_between, when
from mqdiag.text import Text, say
from mqdiag.time_ranges import ranges_of

REFUSED, UNCONNECTED, CLOSED = "proxy-refused", "proxy-not-connected", "proxy-closed"
UNRESOLVED, ENCRYPTION = "proxy-unknown-host", "proxy-other-encryption"
NO_ANSWER, ANOTHER, UNAVAILABLE = "proxy-no-answer", "proxy-is-another-server", "proxy-unavailable"
RECEIVED = "grpc-messages-received"
AT_START = "at-start-"
"""begins the kinds of lines that a client writes while it starts"""

RULE = Rule(
    name="proxy-unreachable",
    title="A gRPC client does not reach its proxy",
    why=(
        "Clients of the gRPC library (rocketmq-client-java) send and receive everything through a proxy. While they do"
        " not reach it, sends fail, nothing is received, and messages in hand cannot be acknowledged, so they are"
        " delivered again. The client's log tells where the way ends: at the name of the host, at the port, at the"
        " encryption, or at a proxy that does not answer."
    ),
    causes=("unreachable", "unknown-host", "tls-mismatch", "no-answer", "connection-closed", "another-server"),
    severities=(Severity.ERROR, Severity.WARNING, Severity.INFO),
    remedy=(
        "Check that the proxy runs and that the client reaches its gRPC port: nc -vz PROXY 8081.",
        "Check the address of the proxy: ClientConfiguration.setEndpoints, and the name service of the client's host.",
        "Let both sides agree on TLS: enableSsl of the client's ClientConfiguration, tlsTestModeEnable, tlsKeyPath and"
        " tlsCertPath in the proxy's rmq-proxy.json.",
        "Take thread dumps of the proxy and look whether its brokers answer it: a proxy waits for its broker.",
        "Give setEndpoints the gRPC port of a proxy (8081), and not a name server (9876) or a broker (10911).",
    ),
    references=("RpcClientImpl, ClientSessionImpl, ProcessQueueImpl of rocketmq-client-java", "io.grpc.Status"),
    limits={"lines": 3, "lasting_s": 60},
    lies_at="any",
    in_chain=say("the gRPC client does not reach its proxy"),
)
_CAUSE_OF: Mapping[str, str] = {
    ENCRYPTION: "tls-mismatch",
    UNRESOLVED: "unknown-host",
    ANOTHER: "another-server",
    REFUSED: "unreachable",
    UNCONNECTED: "unreachable",
    CLOSED: "unreachable",
    UNAVAILABLE: "unreachable",
    NO_ANSWER: "no-answer",
}
"""the kinds of lines, and their causes"""
_AT_START = tuple(f"{AT_START}{kind}" for kind in _CAUSE_OF)
_NAMED_CAUSES = ("tls-mismatch", "unknown-host", "another-server")
_REMEDY: Mapping[str, tuple[int, ...]] = {
    "unreachable": (0, 1),
    "unknown-host": (1,),
    "tls-mismatch": (2, 4),
    "no-answer": (3,),
    "connection-closed": (4, 2),
    "another-server": (4,),
}


def _facts(kind: str, minutes: int) -> Facts:
    event = LogEvent(
        kind=kind,
        side="client",
        count=40,
        first="2026-11-21T20:00:01+08:00",
        last=f"2026-11-21T20:{minutes:02}:01+08:00",
    )
    return Facts(logs=LogsFacts(events=(event,), lines=5000))


def fires() -> Facts:
    """The port refuses connections for five minutes."""
    return _facts(REFUSED, 5)


def silent() -> Facts:
    """Two lines, as when the proxy ends an idle connection."""
    event = LogEvent(kind=CLOSED, side="client", count=2)
    return Facts(logs=LogsFacts(events=(event,), lines=5000))


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each cause."""
    assert facts.logs is not None
    by_cause: dict[str, list[LogEvent]] = {}
    closed = [event for event in facts.logs.events if _kind(event) == CLOSED]
    closed_at_start = _failed_start(closed, limits)
    for event in events(facts.logs, *_CAUSE_OF, *_AT_START):
        ended = closed_at_start and event in closed
        cause = "connection-closed" if ended else _CAUSE_OF[_kind(event)]
        by_cause.setdefault(cause, []).append(event)
    for cause, found in by_cause.items():
        # a proxy that ends connections is one that restarts, unless it lasts or new connections fail, too
        ended_only = cause == "unreachable" and not any(
            _kind(event) != CLOSED or _goes_on(event, limits["lasting_s"]) for event in found
        )
        if enough(facts.logs, lines_of(found), limits["lines"]) and not ended_only:
            yield _draft(facts.logs, cause, found, limits)


def _kind(event: LogEvent) -> str:
    return event.kind.removeprefix(AT_START)


def _failed_start(found: list[LogEvent], limits: Limits) -> bool:
    """Whether all these lines are of a start: none comes long before the first line of it, or long after the last."""
    starts = [event for event in found if event.kind.startswith(AT_START)]
    return bool(starts) and not any(
        max(seconds_between(event.first, start.first), seconds_between(start.last, event.last))
        >= limits["lasting_s"]
        for start in starts
        for event in found
        if event not in starts
    )


def _goes_on(event: LogEvent, seconds: float) -> bool:
    """Whether there was a line in each minute for so long; connections that were idle end now and then."""
    width = event.step_minutes * 60
    before, run = None, 0
    for point in event.series:
        if point.count < event.step_minutes:
            before, run = None, 0
            continue
        run = run + 1 if before is not None and seconds_between(before, point.at) == width else 1
        # of the first step and the last any part may be without lines
        if (run - 2) * width >= seconds:
            return True
        before = point.at
    return False


def _draft(logs: LogsFacts, cause: str, found: list[LogEvent], limits: Limits) -> Draft:
    failed_start = _failed_start(found, limits)
    lasting = failed_start or any(
        seconds_between(one.first, other.last) >= limits["lasting_s"]
        for one in found
        for other in found
        if _kind(one) == _kind(other)
    )
    received = [event.last for event in events(logs, RECEIVED)]
    again = [time for time in received if all(seconds_between(event.last, time) > 0 for event in found)]
    passed = Severity.INFO if again else Severity.WARNING
    address = next((name for event in found if (name := busiest(event, "broker"))), None)
    return Draft(
        severity=Severity.ERROR if lasting else passed,
        cause=cause,
        confidence=Confidence.HIGH if cause in _NAMED_CAUSES else Confidence.MEDIUM,
        confidence_reason=_why_so_sure(cause),
        title=_TITLES[cause],
        evidence={"lines": lines_of(found), "address": address, **counted(found)},
        explanation=tuple(_explained(found, failed_start, received_again=bool(again))),
        remedy=tuple(RULE.remedy[place] for place in _REMEDY[cause]),
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.6,
    )


def _explained(found: list[LogEvent], failed_start: bool, *, received_again: bool) -> Iterator[Text]:
    for event in found:
        what = _SAID[_kind(event)]
        if event.kind.startswith(AT_START):
            yield say(
                "{what}, while the client started: {lines:count} {lines:line|lines} {when}.",
                what=what,
                lines=event.count,
                when=when(event),
            )
        else:
            yield say(
                "{what}: {lines:count} {lines:line|lines} {when}.",
                what=what,
                lines=event.count,
                when=when(event),
            )
    if failed_start:
        yield say("The client did not start because of it.")
    if received_again:
        yield say("The client received messages after that.")


def _why_so_sure(cause: str) -> Text:
    if cause in _NAMED_CAUSES:
        return say("the exceptions name the reason")
    if cause == "connection-closed":
        return say("a server that is no proxy, and a proxy that takes TLS only, look the same")
    return say("the lines do not tell why; a proxy that is restarted looks the same for a moment")


_TITLES: Mapping[str, Text] = {
    "unreachable": say("The gRPC client did not reach its proxy"),
    "unknown-host": say("The gRPC client does not find the host of its proxy"),
    "tls-mismatch": say("The gRPC client and its proxy do not agree on TLS"),
    "no-answer": say("The proxy did not answer the gRPC client in time"),
    "connection-closed": say("The server closed each connection of the gRPC client while it started"),
    "another-server": say("The gRPC client is connected to a server that is no proxy"),
}
_SAID: Mapping[str, Text] = {
    REFUSED: say("The port refused the connection"),
    UNCONNECTED: say("No connection was ready in time"),
    CLOSED: say("The connection was ended"),
    UNAVAILABLE: say("The proxy was unavailable, and the lines do not tell why"),
    UNRESOLVED: say("The name of the host could not be resolved"),
    ENCRYPTION: say("One side speaks TLS, and the other does not or does not trust it"),
    NO_ANSWER: say("The proxy was connected and gave no answer in time"),
    ANOTHER: say("The server does not know the calls of RocketMQ"),
}
