"""Something connects to a port of RocketMQ and speaks another protocol."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import LITERALS, Draft, Limits, Rule, Said
from mqdiag.rules.shared.log_events import events, lines_of, when
from mqdiag.text import Text, say
from mqdiag.time_ranges import ranges_of

CAUSES = {
    "foreign-grpc": "grpc-client",
    "foreign-http": "http-client",
    "foreign-tls": "tls-client",
    "foreign-remote-desktop": "port-scan",
}

RULE = Rule(
    name="foreign-protocol",
    title="A connection does not speak RocketMQ's protocol",
    why=(
        "Name servers and brokers take the first four bytes of a request for its length. A client of another protocol"
        " begins with other bytes, so the log complains of a frame that is too long. No message is too long: 5.x gRPC"
        " clients need the port of a proxy, and ports that are open to the Internet are scanned."
    ),
    causes=tuple(CAUSES.values()),
    severities=(Severity.WARNING,),
    remedy=(
        "Give gRPC clients (rocketmq-client-java, 5.x clients of other languages) the address of a proxy, port 8081.",
        "Give remoting clients (rocketmq-client) the address of the name server, port 9876.",
        "Let no firewall open these ports to the Internet.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/8086",
        "NettyDecoder, LengthFieldBasedFrameDecoder: Adjusted frame length exceeds",
    ),
    lies_at="client",
    in_chain=say("a client speaks another protocol"),
    proven_on=LITERALS,
)

REMEDIES = {
    "grpc-client": (
        say(
            "Give this client the address of a proxy, port 8081 by default. Where there is none, start one: mqproxy, or"
            " mqbroker --enable-proxy."
        ),
        say("Or use the remoting client (rocketmq-client), which speaks with name servers and brokers."),
    ),
    "http-client": (say("Find the health check, browser or monitor that asks this port by HTTP."),),
    "tls-client": (
        say(
            "Switch TLS on at the server (tls.server.mode=permissive), or off at the client (tls.enable=false)."
        ),
    ),
    "port-scan": (say("Close the port to the Internet. The bytes are those of a remote desktop client."),),
}


def _facts(kind: str) -> Facts:
    event = LogEvent(
        kind=kind,
        side="broker",
        count=3,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:00:09+08:00",
    )
    return Facts(logs=LogsFacts(events=(event,), lines=5000))


def fires() -> Facts:
    """A gRPC client tries three times."""
    return _facts("foreign-grpc")


def silent() -> Facts:
    """Connections that could not be made are another matter."""
    return _facts("connection-never-made")


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each protocol."""
    assert facts.logs is not None
    for kind, cause in CAUSES.items():
        found = events(facts.logs, kind)
        if found:
            yield _draft(cause, found)


def _draft(cause: str, found: list[LogEvent]) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause=cause,
        confidence=Confidence.HIGH,
        confidence_reason=say("the length is made of the first bytes of that protocol"),
        title=_TITLES[cause],
        subject=Subject(),
        evidence={"lines": lines_of(found)},
        explanation=(
            *(
                say("{lines:count} {lines:line|lines} {when}.", lines=event.count, when=when(event))
                for event in found
            ),
            say("The line above each, 'decode exception, ADDRESS', names the sender."),
        ),
        remedy=REMEDIES[cause],
        rests_on=tuple(dict.fromkeys(path for event in found for path in event.files)),
        when=ranges_of(found),
        weight=0.3,
    )


_TITLES: dict[str, Text] = {
    "grpc-client": say("A gRPC client connects to a port of the remoting protocol"),
    "http-client": say("An HTTP client connects to a port of RocketMQ"),
    "tls-client": say("A client begins TLS on a port that does not speak it"),
    "port-scan": say("A port scan reaches this server"),
}
