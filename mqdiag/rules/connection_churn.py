"""Connections are closed and made again, all the time."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import Connections, LogEvent, LogsFacts
from mqdiag.findings import Confidence, EvidenceValue, Severity, Subject, TimeRange
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.brokers import brokers_of_logs, subject_of_logs
from mqdiag.rules.shared.excerpts import enough, is_excerpt, surest
from mqdiag.rules.shared.log_events import (
    between,
    counted,
    counted_lines,
    events,
    files_of,
    lines_of,
    seconds_between,
)
from mqdiag.text import NOTHING, Text, say
from mqdiag.time_ranges import between as time_range
from mqdiag.time_ranges import ranges_of

TOO_LONG, FOREIGN = "frame-too-long", "frame-not-rocketmq"
IDLE, EXPIRED, FAILED, SHUT_DOWN = (
    "connection-idle",
    "heartbeat-expired",
    "connection-failed",
    "client-shut-down",
)
CLOSED, NEVER_MADE, NOT_MADE = "channel-closed", "connection-never-made", "connection-not-made"
NEVER_MADE_SHOWN_BY = (
    "name-server-not-connected",
    "name-server-not-set",
    "name-server-no-answer",
    "send-not-connected",
    "send-call-timeout",
    "send-no-answer",
    "broker-not-connected",
)
"""events of rules that name the server, or what failed because of it"""
MET_CLOSED = ("request-not-sent", "answer-not-sent")
PROTOCOLS = {
    "lines_of_http": say("HTTP"),
    "lines_of_grpc": say("gRPC (HTTP/2)"),
    "lines_of_tls": say("TLS"),
    "lines_of_remote_desktop": say("remote desktop, as port scans do"),
}
FEWEST = 2
"""lines from which on something happens again, in the shortest excerpt"""
ALIKE_SHARE = 0.8
"""of the closed connections that lived equally long, from which on something cuts them after a set time"""

RULE = Rule(
    name="connection-churn",
    title="Connections are closed and made again, all the time",
    why=(
        "RocketMQ keeps its connections open: a client sends a heartbeat every 30 s, and a connection without any"
        " traffic ends after 120 s. Connections that end again and again are cut by something in between, such as a"
        " load balancer, are closed because of bytes that the other side cannot read, or are those of clients that are"
        " made for each call. Requests that are under way fail, and consumers lose their queues for a moment."
    ),
    causes=(
        "cut-after-set-time",
        "closed-again",
        "frame-too-long",
        "not-rocketmq",
        "idle",
        "probes",
        "never-made",
    ),
    severities=(Severity.WARNING, Severity.INFO),
    remedy=(
        "Raise the idle time-out and the longest life of connections at load balancers, NAT gateways and firewalls"
        " between clients and brokers, or connect clients to brokers directly.",
        "Keep requests below 16 MiB: fewer messages in a batch, shorter bodies. com.rocketmq.remoting.frameMaxLength is"
        " the limit of both sides.",
        "Point gRPC clients (rocketmq-clients) at the proxy's port (8081), and health checks at a port of their own.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/2509",
        "https://github.com/apache/rocketmq/issues/6784",
        "https://github.com/apache/rocketmq/issues/8086",
        "https://github.com/apache/rocketmq/issues/3398",
        "NettyRemotingClient, NettyRemotingServer: IdleStateHandler of 120 s; NettyDecoder: FRAME_MAX_LENGTH",
    ),
    limits={
        "closings": 5,
        "closings_per_minute": 0.5,
        "alike_per_minute": 0.05,
        "closings_of_host": 30,
        "closings_of_host_per_minute": 5,
        "probes_per_minute": 10,
        "frames": 3,
        "idle": 10,
        "lines": 10,
    },
    explained_by=(
        "file-descriptors-exhausted",
        "gc-thrashing",
        "long-safepoints",
        "out-of-memory-thread",
        "shutdown-requested:broker-stopped",
    ),
    lies_at="any",
    in_chain=say("connections are closed and made again"),
    proven_on=say(
        "real logs of 4.9.7 and 5.3.3 for cut-after-set-time, frame-too-long, not-rocketmq and probes; posted logs for"
        " closed-again and never-made; lines as the source writes them for idle"
    ),
)

REMEDIES = {
    "cut-after-set-time": (
        RULE.remedy[0],
        say("Compare how long the connections lived with the time-outs of these devices."),
    ),
    "closed-again": (
        say("Look in the log of the other side at the same time: it says why the connection ended."),
        RULE.remedy[0],
        say("Keep one client for each group; do not make one for each call."),
    ),
    "frame-too-long": (RULE.remedy[1],),
    "not-rocketmq": (
        RULE.remedy[2],
        say("The lines above 'decode exception' name the address that sends it."),
    ),
    "never-made": (
        say("Check that this machine reaches the name server (port 9876) and each broker (10911 and 10909)."),
        say("Look for lines such as 'connect to ADDRESS failed' in the log of the same process."),
    ),
    "idle": (
        say("Find out why heartbeats do not arrive: pauses of the client's JVM, a network that drops packets."),
        RULE.remedy[0],
    ),
    "probes": (say("Nothing, if a load balancer or a monitor probes the port; make it ask less often."),),
}


def _facts(closed: int) -> Facts:
    row = Connections(
        path="rocketmq_client.log",
        address="10.0.0.7:10911",
        incoming=False,
        opened=closed + 1,
        closed=closed,
        closed_per_minute=1.0,
        usual_life_s=60,
        usual_lives=closed,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:30:01+08:00",
    )
    return Facts(logs=LogsFacts(connections=(row,), lines=5000))


def fires() -> Facts:
    """Thirty connections to one broker, each of which lived for a minute."""
    return _facts(30)


def silent() -> Facts:
    """Three, as when a broker is started again."""
    return _facts(3)


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each peer and cause, and one for each broker and cause where the server says why."""
    logs = facts.logs
    assert logs is not None
    peers: dict[tuple[str, bool, str], Draft] = {}
    for row in logs.connections:
        for draft in _of_peer(logs, row, limits):
            # several processes may have the same trouble with one peer; the rows with the most closings come first
            peers.setdefault((row.address, row.incoming, draft.cause), draft)
    yield from peers.values()
    for part in brokers_of_logs(facts):
        if not peers:
            yield from _broken(part, limits)
        yield from _never_made(part, limits)
        yield from _frames(part, limits)
        yield from _idle(part, limits)
    if not peers:
        yield from _closed_channels(logs, limits)


def _of_peer(logs: LogsFacts, row: Connections, limits: Limits) -> Iterator[Draft]:
    return _incoming(logs, row, limits) if row.incoming else _outgoing(logs, row, limits)


def _outgoing(logs: LogsFacts, row: Connections, limits: Limits) -> Iterator[Draft]:
    # a client that is shut down closes its connections
    closed = row.closed - logs.count(SHUT_DOWN)
    if closed < (2 if is_excerpt(logs) else limits["closings"]):
        return
    rate = row.closed_per_minute
    alike = row.usual_lives >= ALIKE_SHARE * row.closed
    least = limits["alike_per_minute" if alike else "closings_per_minute"]
    if rate is not None and rate >= least:
        yield _peer(logs, row, "cut-after-set-time" if alike else "closed-again")


def _incoming(logs: LogsFacts, row: Connections, limits: Limits) -> Iterator[Draft]:
    """Connections that a host makes; those of bytes that cannot be read are judged by these."""
    unread = logs.count(TOO_LONG, FOREIGN)
    if (
        row.brief - unread >= limits["closings_of_host"]
        and (row.brief_per_minute or 0) >= limits["probes_per_minute"]
    ):
        yield _probes(logs, row)
    rate = row.closed_per_minute or 0
    if row.closed - unread >= limits["closings_of_host"] and rate >= limits["closings_of_host_per_minute"]:
        alike = row.usual_lives >= ALIKE_SHARE * row.closed
        yield _peer(logs, row, "cut-after-set-time" if alike else "closed-again")


def _peer(logs: LogsFacts, row: Connections, cause: str) -> Draft:
    confidence, reason = surest(logs, *_sure(cause))
    return Draft(
        severity=Severity.WARNING,
        cause=cause,
        confidence=confidence,
        confidence_reason=reason,
        title=_title(row, cause),
        subject=_subject(logs, row),
        evidence=_numbers(row),
        explanation=(
            say(
                "{closed:count} {closed:connection|connections} ended {when}, {per_minute} a minute.",
                when=between(row.first, row.last),
            ),
            *(
                (say("{usual_lives:count} of them lived for {usual_life_s:count} s, one second more or less."),)
                if row.usual_life_s is not None
                else ()
            ),
            say("{opened:count} {opened:connection was|connections were} made, failed attempts included."),
        ),
        remedy=REMEDIES[cause],
        rests_on=(row.path,),
        when=_when(row),
        weight=0.4,
    )


def _probes(logs: LogsFacts, row: Connections) -> Draft:
    return Draft(
        severity=Severity.INFO,
        cause="probes",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("clients that are made for one call look the same"),
        title=say("Host {peer} opens {brief_per_minute} connections a minute that end within two seconds"),
        subject=_subject(logs, row),
        evidence=_numbers(row),
        explanation=(
            say(
                "{brief:count} {brief:connection|connections} ended at once {when}.",
                when=between(row.first, row.last),
            ),
            say("No message is lost by it. The probes fill the log and cost a little time."),
        ),
        remedy=REMEDIES["probes"],
        rests_on=(row.path,),
        when=_when(row),
        weight=0.1,
    )


def _numbers(row: Connections) -> dict[str, EvidenceValue]:
    return {
        "peer": row.address,
        "opened": row.opened,
        "closed": row.closed,
        "per_minute": _as_said(row.closed_per_minute),
        "brief": row.brief,
        "brief_per_minute": _as_said(row.brief_per_minute),
        "usual_life_s": row.usual_life_s,
        "usual_lives": row.usual_lives,
    }


def _as_said(rate: float | None) -> float | None:
    """A rate as people say it: whole from 10 on, with one decimal below."""
    if rate is None:
        return None
    return round(rate) if rate >= 10 else round(rate, 1)


def _subject(logs: LogsFacts, row: Connections) -> Subject:
    if not row.incoming:
        return Subject(broker=row.address)
    own = [broker for broker in logs.brokers if row.path in broker.paths]
    return Subject(broker=own[0].name, instance=own[0].instance) if own else Subject()


def _when(row: Connections) -> tuple[TimeRange, ...]:
    return time_range(row.first, row.last) if row.first else ()


def _sure(cause: str) -> tuple[Confidence, Text]:
    if cause == "cut-after-set-time":
        return Confidence.MEDIUM, say("clients that each stop after the same time leave the same lines")
    return Confidence.MEDIUM, say("the lines do not tell which side closed the connections, and why")


def _title(row: Connections, cause: str) -> Text:
    if cause == "cut-after-set-time":
        return (
            say("Connections from host {peer} end after {usual_life_s:count} s each, {closed:count} times")
            if row.incoming
            else say("Connections to {peer} end after {usual_life_s:count} s each, {closed:count} times")
        )
    return (
        say("Host {peer} closed {closed:count} connections, {per_minute} a minute")
        if row.incoming
        else say("{closed:count} connections to {peer} ended, {per_minute} a minute")
    )


def _frames(logs: LogsFacts, limits: Limits) -> Iterator[Draft]:
    if found := events(logs, TOO_LONG):
        largest = max(event.values["largest_frame_bytes"] for event in found)
        limit = min(event.values["smallest_limit_bytes"] for event in found)
        yield _server(
            logs,
            "frame-too-long",
            found,
            title=say(
                "A request of {frame_bytes:bytes} was refused, and its connection closed: the limit is"
                " {limit_bytes:bytes}"
            ),
            evidence={"frame_bytes": largest, "limit_bytes": limit},
            meaning=say(
                "A large batch of messages or a heartbeat with very many subscriptions makes such a request. The client"
                " sees a closed connection or a time-out, and no reason."
            ),
        )
    found = events(logs, FOREIGN)
    if enough(logs, lines_of(found), limits["frames"]):
        named = [words for key, words in PROTOCOLS.items() if any(key in event.values for event in found)]
        yield _server(
            logs,
            "not-rocketmq",
            found,
            title=say(
                "{lines:count} {lines:connection speaks|connections speak} {protocols:and} to a port of RocketMQ's own"
                " protocol",
                protocols=tuple(named),
            )
            if named
            else say("{lines:count} {lines:connection sends|connections send} bytes that are not RocketMQ's"),
            evidence={},
            meaning=say(
                "The first four bytes are no length of a request. Health checks, port scanners and gRPC clients with"
                " the wrong port do that, and the server closes the connection."
            ),
            sure=bool(named),
        )


def _broken(logs: LogsFacts, limits: Limits) -> Iterator[Draft]:
    """Requests and answers that met a closed connection, where no line tells of the connections themselves."""
    found = events(logs, *MET_CLOSED)
    lasting = [event for event in found if event.count > (event.peak_per_minute or 0) or is_excerpt(logs)]
    if lines_of(lasting) >= FEWEST and enough(logs, lines_of(lasting), limits["lines"]):
        yield _server(
            logs,
            "closed-again",
            lasting,
            title=say(
                "{lines:count} {lines:request or answer|requests and answers} met a connection that was closed"
            ),
            evidence={},
            meaning=say(
                "The other side, or something in between, had closed it: a pull that waits at the broker has no traffic"
                " for up to 15 s, and a producer that is idle for up to 30 s."
            ),
            sure=False,
        )


def _closed_channels(logs: LogsFacts, limits: Limits) -> Iterator[Draft]:
    """One finding for each address; an application's log has one line for each connection that is closed."""
    for event in events(logs, CLOSED):
        for row in event.subjects:
            # attempts that fail end at once, and were no connections
            failed = sum(
                peer.brief for peer in logs.connections if peer.address == row.broker and not peer.incoming
            )
            closed = row.count - failed - logs.count(SHUT_DOWN)
            least = limits["frames" if is_excerpt(logs) else "closings"]
            if closed >= least and _often(closed, row.first, row.last, limits):
                yield _server(
                    logs,
                    "closed-again",
                    [event],
                    title=say("{closed:count} connections to {peer} were closed"),
                    evidence={"closed": closed, "peer": row.broker},
                    meaning=say(
                        "The client makes a new one each time. The lines do not tell which side closed it."
                    ),
                    sure=False,
                )


def _often(closed: int, first: str | None, last: str | None, limits: Limits) -> bool:
    """Whether closings go on for more than a minute, as often as the limit says; without times nobody knows."""
    if first is None or last is None:
        return True
    minutes = seconds_between(first, last) / 60
    return minutes > 1 and closed / minutes >= limits["closings_per_minute"]


def _never_made(logs: LogsFacts, limits: Limits) -> Iterator[Draft]:
    """Connections that ended before they were made, where no request that failed tells which server it was."""
    found = events(logs, NEVER_MADE, NOT_MADE)
    lasting = [event for event in found if event.count > (event.peak_per_minute or 0) or is_excerpt(logs)]
    if logs.count(*NEVER_MADE_SHOWN_BY) == 0 and enough(logs, lines_of(lasting), limits["lines"]):
        yield _server(
            logs,
            "never-made",
            lasting,
            title=say("{lines:count} {lines:connection|connections} ended before they were made"),
            evidence={},
            meaning=say(
                "A broker or a name server could not be reached. The requests that failed name it, and they are not in"
                " this log."
            ),
            sure=False,
        )


def _idle(logs: LogsFacts, limits: Limits) -> Iterator[Draft]:
    idle = events(logs, IDLE)
    if lines_of(idle) >= limits["idle"] and any(event.count > (event.peak_per_minute or 0) for event in idle):
        yield _server(
            logs,
            "idle",
            idle,
            title=say(
                "{lines:count} {lines:connection was|connections were} closed after two minutes without traffic"
            ),
            evidence={"expired": logs.count(EXPIRED), "failed": logs.count(FAILED)},
            meaning=say(
                "A client sends a heartbeat every 30 s, so these did not arrive. The broker forgot {expired:count}"
                " {expired:client|clients} for the same reason."
            ),
            sure=False,
        )


def _server(
    logs: LogsFacts,
    cause: str,
    found: list[LogEvent],
    *,
    title: Text,
    evidence: dict[str, EvidenceValue],
    meaning: Text,
    sure: bool = True,
) -> Draft:
    confidence, reason = surest(
        logs,
        Confidence.HIGH if sure else Confidence.MEDIUM,
        NOTHING if sure else say("the lines do not tell who is at the other end"),
    )
    return Draft(
        severity=Severity.WARNING,
        cause=cause,
        confidence=confidence,
        confidence_reason=reason,
        title=title,
        subject=subject_of_logs(logs, found),
        evidence={"lines": lines_of(found), **evidence, **counted(found)},
        explanation=(
            *map(counted_lines, found),
            meaning,
        ),
        remedy=REMEDIES[cause],
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.4,
    )
