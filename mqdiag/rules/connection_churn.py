"""Connections are closed and made again, all the time."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.logs import Connections, LogEvent, LogsFacts
from mqdiag.findings import Subject
from mqdiag.log_events import between, by_broker, enough, events, lines_of, seconds_between
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.time_ranges import between as time_range

RULE = Rule("connection-churn")
TOO_LONG, FOREIGN, SHUT_DOWN = "frame-too-long", "frame-not-rocketmq", "client-shut-down"
OTHER_SERVER = "frame-of-another-server"
NOT_MADE = ("broker-not-connected", "send-not-connected")
FEWEST = 2
"""lines from which on something happens again, in the shortest excerpt"""
ALIKE_SHARE = 0.8
"""share of the closed connections that lived equally long, from which on something cuts them after a set time"""


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each peer and cause, and one for each broker and cause where the server says why."""
    peers: dict[tuple[str, bool, str], Draft] = {}
    for row in logs.connections:
        for case in _incoming(logs, row, limits) if row.incoming else _outgoing(logs, row, limits):
            # several processes may have the same trouble with one peer; the rows with the most closings come first
            peers.setdefault((row.address, row.incoming, case), _peer(logs, row, case))
    yield from peers.values()
    for part in by_broker(logs):
        if not peers:
            yield from _broken(part, limits)
        yield from _never_made(part, limits)
        yield from _frames(part, limits)
        yield from _other_servers(part)
        yield from _idle(part, limits)
    if not peers:
        yield from _closed_channels(logs, limits)


def _outgoing(logs: LogsFacts, row: Connections, limits: Limits) -> Iterator[str]:
    """The cases of connections to a server."""
    # a client that is shut down closes its connections
    closed = row.closed - logs.count(SHUT_DOWN)
    if _not_made(logs, row.address) >= closed:
        return  # they ended because nobody answers there
    if closed < (2 if logs.is_excerpt else limits["closings"]):
        return
    case = _case(row)
    least = limits["alike_per_minute" if case == "cut-after-set-time" else "closings_per_minute"]
    if _reaches(row.closed_per_minute, least):
        yield case


def _not_made(logs: LogsFacts, named: str | None) -> int:
    """Attempts to connect to an address, or to the broker of a name, that failed: each of them ends a channel too."""
    alike = {named, *(name for name, address in logs.masters.items() if address == named)}
    return sum(
        subject.count
        for event in events(logs, *NOT_MADE)
        for subject in event.subjects
        if subject.broker in alike
    )


def _incoming(logs: LogsFacts, row: Connections, limits: Limits) -> Iterator[str]:
    """The cases of connections that a host makes; those of bytes that cannot be read are judged by these."""
    unread = logs.count(TOO_LONG, FOREIGN)
    least = limits["closings_of_host"]
    if row.brief - unread >= least and _reaches(row.brief_per_minute, limits["probes_per_minute"]):
        yield "probes"
    if row.closed - unread >= least and _reaches(row.closed_per_minute, limits["closings_of_host_per_minute"]):
        yield _case(row)


def _reaches(rate: float | None, limit: float) -> bool:
    return rate is not None and rate >= limit


def _case(row: Connections) -> str:
    return "cut-after-set-time" if row.usual_lives >= ALIKE_SHARE * row.closed else "closed-again"


def _peer(logs: LogsFacts, row: Connections, case: str) -> Draft:
    own = [broker for broker in logs.brokers if row.path in broker.paths]
    named = Subject(broker=own[0].name, instance=own[0].instance) if own else Subject()
    return RULE.case(
        case,
        row,
        subject=named if row.incoming else Subject(broker=row.address),
        evidence={
            "peer": row.address,
            "per_minute": _as_said(row.closed_per_minute),
            "brief_per_minute": _as_said(row.brief_per_minute),
        },
        words={"incoming": row.incoming, "when": between(row.first, row.last)},
        rests_on=(row.path,),
        when=time_range(row.first, row.last) if row.first else (),
    )


def _as_said(rate: float | None) -> float | None:
    """A rate as people say it: whole from 10 on, with one decimal below."""
    if rate is None:
        return None
    return round(rate) if rate >= 10 else round(rate, 1)


def _frames(logs: LogsFacts, limits: Limits) -> Iterator[Draft]:
    if found := events(logs, TOO_LONG):
        yield RULE.case(
            "frame-too-long",
            logs=logs,
            events=found,
            evidence={
                "frame_bytes": max(event.values["largest_frame_bytes"] for event in found),
                "limit_bytes": min(event.values["smallest_limit_bytes"] for event in found),
            },
        )
    found = events(logs, FOREIGN)
    if enough(logs, lines_of(found), limits["frames"]):
        named = [
            word
            for key, word in RULE.meaning("protocols").items()
            if any(key in event.values for event in found)
        ]
        yield RULE.case(
            "not-rocketmq" if named else "protocol-not-known",
            logs=logs,
            events=found,
            words={"protocols": tuple(map(RULE.word, named))},
        )


def _other_servers(logs: LogsFacts) -> Iterator[Draft]:
    """Answers of a server that does not speak RocketMQ's own protocol, or speaks it in TLS."""
    if found := events(logs, OTHER_SERVER):
        tls = any("lines_of_tls" in event.values for event in found)
        yield RULE.case("answers-in-tls" if tls else "another-server", logs=logs, events=found)


def _broken(logs: LogsFacts, limits: Limits) -> Iterator[Draft]:
    """Requests and answers that met a closed connection, where no line tells of the connections themselves."""
    lasting = _lasting(logs, "request-not-sent", "answer-not-sent")
    times = {at for event in lasting for at in (event.first, event.last)}
    if len(times) == 1 and None not in times:
        return  # one connection may end several requests at once, and lines of one time may be one line twice
    if lines_of(lasting) >= FEWEST and enough(logs, lines_of(lasting), limits["lines"]):
        yield RULE.case("met-a-closed-connection", logs=logs, events=lasting)


def _closed_channels(logs: LogsFacts, limits: Limits) -> Iterator[Draft]:
    """One finding for each address; an application's log has one line for each connection that is closed."""
    for event in events(logs, "channel-closed"):
        if event.values.get("closed_together") == event.count:
            continue  # a console makes a client for each question, and shuts it down
        for row in event.subjects:
            # attempts that fail end at once, and were no connections
            failed = sum(
                peer.brief for peer in logs.connections if peer.address == row.broker and not peer.incoming
            )
            closed = row.count - max(failed, _not_made(logs, row.broker)) - logs.count(SHUT_DOWN)
            least = limits["frames" if logs.is_excerpt else "closings"]
            if closed >= least and _often(closed, row.first, row.last, limits):
                yield RULE.case(
                    "channels-closed",
                    logs=logs,
                    events=[event],
                    evidence={"closed": closed, "peer": row.broker},
                )


def _often(closed: int, first: str | None, last: str | None, limits: Limits) -> bool:
    """Whether closings go on for more than a minute, as often as the limit says; without times nobody knows."""
    if first is None or last is None:
        return True
    minutes = seconds_between(first, last) / 60
    return minutes > 1 and closed / minutes >= limits["closings_per_minute"]


def _never_made(logs: LogsFacts, limits: Limits) -> Iterator[Draft]:
    """Connections that ended before they were made, where no request that failed tells which server it was."""
    lasting = _lasting(logs, "connection-never-made", "connection-not-made")
    if logs.count(*RULE.names("never_made_shown_by")) == 0 and enough(logs, lines_of(lasting), limits["lines"]):
        yield RULE.case("never-made", logs=logs, events=lasting)


def _idle(logs: LogsFacts, limits: Limits) -> Iterator[Draft]:
    idle = events(logs, "connection-idle")
    if lines_of(idle) >= limits["idle"] and any(event.count > (event.peak_per_minute or 0) for event in idle):
        yield RULE.case(
            "idle",
            logs=logs,
            events=idle,
            evidence={
                "expired": logs.count("heartbeat-expired"),
                "failed": logs.count("connection-failed"),
            },
        )


def _lasting(logs: LogsFacts, *kinds: str) -> list[LogEvent]:
    """Events of more than one minute; all of them in an excerpt."""
    return [one for one in events(logs, *kinds) if one.count > (one.peak_per_minute or 0) or logs.is_excerpt]
