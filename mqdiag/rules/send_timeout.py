"""Sends get no answer in time."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import LITERALS, Draft, Limits, Rule, Said
from mqdiag.rules.shared.excerpts import enough, is_excerpt
from mqdiag.rules.shared.log_events import (
    counted,
    counted_lines_about,
    events,
    files_of,
    lines_of,
    most_frequent_counted,
    only,
)
from mqdiag.text import Text, say
from mqdiag.time_ranges import between, ranges_apart, ranges_of

NO_ANSWER, CALL_TIMEOUT, REFUSED = "send-no-answer", "send-call-timeout", "send-not-connected"
NOT_CONNECTED, NEVER_MADE = "broker-not-connected", "connection-never-made"
LONG_PAUSE_MS = 1000
_ADDRESS = re.compile(r"[\w.\-:\[\]]{1,100}:\d{1,5}")
_LOCAL = re.compile(r"(?:127\.\d|localhost|0\.0\.0\.0|\[?::1\]?:|172\.17\.)")
"""addresses that nobody outside of the broker's machine can reach: loopback, and docker's default network"""

RULE = Rule(
    name="send-timeout",
    title="Sends get no answer in time",
    why=(
        "A send that gets no answer within sendMsgTimeout (3 s) fails with a RemotingTimeoutException, or with"
        " 'sendDefaultImpl call timeout' when its attempts have used up that time. One that cannot connect fails at"
        " once. Either the client cannot reach the address that the broker registered, or the broker answers late, or"
        " the client itself stood still."
    ),
    causes=(
        "broker-unreachable",
        "wrong-broker-address",
        "slow-broker",
        "client-paused",
        "vip-channel",
        "unknown",
    ),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Compare the address in mqadmin clusterList with what the client can reach (telnet ADDRESS 10911).",
        "In containers, and with several network cards, set brokerIP1 in broker.conf to an address that clients reach.",
        "Give the broker's store.log and the client's GC log of the same time.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/409",
        "DefaultMQProducerImpl.sendDefaultImpl, NettyRemotingAbstract.invokeSyncImpl",
    ),
    limits={"lines": 3},
    explained_by=(
        "page-cache-busy",
        "slow-writes",
        "long-safepoints",
        "gc-thrashing",
        "file-descriptors-exhausted",
        "connection-churn",
        "shutdown-requested:broker-stopped",
    ),
    lies_at="any",
    in_chain=say("sends get no answer in time"),
    proven_on=LITERALS,
)

REMEDIES = {
    "wrong-broker-address": (
        say("Set brokerIP1 in broker.conf to an address that the clients can reach, and restart the broker."),
        say(
            "Compare it with mqadmin clusterList: an address of docker (172.17.x.x) or of a private network is wrong."
        ),
    ),
    "broker-unreachable": (
        say("Check that the broker runs and that a firewall lets the client through to its port 10911."),
        RULE.remedy[1],
    ),
    "vip-channel": (
        say("Open port 10909 of the broker, or call setVipChannelEnabled(false) on the producer."),
    ),
    "slow-broker": (
        say("Look at the broker's store.log and watermark.log of the same time: it answered late."),
        RULE.remedy[2],
    ),
    "unknown": (
        say("Look for lines about connections in the client's log of the same time (RocketmqRemoting)."),
        RULE.remedy[0],
        RULE.remedy[2],
    ),
    "client-paused": (say("Look at the pauses of the client's JVM at the same time: its GC log shows them."),),
}


def _facts(kind: str, count: int) -> Facts:
    event = LogEvent(
        kind=kind,
        side="client",
        count=count,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:00:09+08:00",
        subjects=(LogSubject(topic="orders", broker="broker-a", count=count),),
        values={"largest_wait_ms": 3000},
    )
    return Facts(logs=LogsFacts(events=(event,), lines=5000))


def fires() -> Facts:
    """Five sends in a row got no answer in three seconds."""
    return _facts(NO_ANSWER, 5)


def silent() -> Facts:
    """One in a long log."""
    return _facts(NO_ANSWER, 1)


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for all clients: which of them it is the lines do not tell."""
    logs = facts.logs
    assert logs is not None
    found = events(logs, NO_ANSWER, CALL_TIMEOUT, REFUSED)
    if not found and is_excerpt(logs):
        found = events(logs, NOT_CONNECTED)  # of an excerpt this is what somebody asks about
    if not enough(logs, lines_of(found), limits["lines"]):
        return
    cause = _cause(logs, found)
    address = _unusable(logs)
    yield Draft(
        severity=Severity.ERROR
        if cause in ("wrong-broker-address", "broker-unreachable")
        else Severity.WARNING,
        cause=cause,
        confidence=Confidence.MEDIUM,
        confidence_reason=_reason(cause),
        title=_title(cause, sends=any(event.kind != NOT_CONNECTED for event in found)),
        subject=Subject(topic=_only(found, "topic"), broker=_only(found, "broker")),
        evidence={
            "lines": lines_of(found),
            "largest_wait_ms": max((event.values.get("largest_wait_ms", 0) for event in found), default=0)
            or None,
            "never_connected": logs.count(NEVER_MADE),
            "not_connected": logs.count(NOT_CONNECTED, REFUSED),
            **({"address": address} if address is not None else {}),
            **counted(found),
            **most_frequent_counted(*found),
        },
        explanation=tuple(_explained(logs, found)),
        remedy=REMEDIES[cause],
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.4,
    )


def _only(found: list[LogEvent], part: str) -> str | None:
    names = {name for event in found if (name := only(event, part))}
    return names.pop() if len(names) == 1 else None


def _unusable(logs: LogsFacts) -> str | None:
    """An address that failed and that cannot be right for a client on another machine."""
    return next(
        (
            subject.broker
            for event in events(logs, REFUSED, NOT_CONNECTED)
            for subject in event.subjects
            if subject.broker is not None
            and (_ADDRESS.fullmatch(subject.broker) is None or _LOCAL.match(subject.broker) is not None)
            and ":" in subject.broker
        ),
        None,
    )


def _cause(logs: LogsFacts, found: list[LogEvent]) -> str:
    if _unusable(logs) is not None:
        return "wrong-broker-address"
    refused = events(logs, REFUSED, NOT_CONNECTED)
    if any(event.values.get("lines_of_vip_port") for event in refused):
        return "vip-channel"
    if refused or (logs.count(NEVER_MADE) and not logs.count(NO_ANSWER)):
        return "broker-unreachable"
    long = [pause for pause in logs.safepoints if pause.longest_ms >= LONG_PAUSE_MS]
    if any(ranges_apart(ranges_of(found), between(pause.longest_at, None)) is not True for pause in long):
        return "client-paused"
    return "slow-broker" if logs.count(NO_ANSWER) else "unknown"


def _reason(cause: str) -> Text:
    return {
        "wrong-broker-address": say(
            "a broker that runs on the client's own machine has such an address too, and may have stopped"
        ),
        "client-paused": say("the JVM stood still, and the lines do not tell whether it was at the same time"),
        "slow-broker": say("the lines say that no answer came; a network that loses packets looks the same"),
        "vip-channel": say("the port of the VIP channel was not reached; the whole broker may be unreachable"),
        "unknown": say("the lines do not tell whether the broker was slow or out of reach"),
    }.get(cause, say("the lines do not tell whether the broker runs, nor whether its address is right"))


def _title(cause: str, *, sends: bool) -> Text:
    if not sends:
        return say("The client did not reach the address of a broker {lines:count} {lines:time|times}")
    return {
        "wrong-broker-address": say(
            "{lines:count} {lines:send|sends} failed because the broker registered an address that the client cannot"
            " use"
        ),
        "broker-unreachable": say(
            "{lines:count} {lines:send|sends} failed because the client did not reach the broker"
        ),
        "vip-channel": say(
            "{lines:count} {lines:send|sends} failed because port 10909 of the broker cannot be reached"
        ),
        "client-paused": say("{lines:count} {lines:send|sends} timed out while the JVM stood still"),
        "unknown": say("{lines:count} {lines:send|sends} used up the time of the send"),
    }.get(cause, say("{lines:count} {lines:send|sends} got no answer from the broker in time"))


def _explained(logs: LogsFacts, found: list[LogEvent]) -> Iterator[Text]:
    yield from map(counted_lines_about, found)
    if any(event.values.get("largest_wait_ms") for event in found):
        yield say("The client waited for up to {largest_wait_ms:ms}.")
    if logs.count(NEVER_MADE):
        yield say(
            "{never_connected:count} {never_connected:connection|connections} without a remote address"
            " {never_connected:was|were} closed: {never_connected:it was|they were} never made."
        )
    if _unusable(logs) is not None:
        yield say("The name server gave out {address} as the broker's address.")
    if logs.count(NOT_CONNECTED, REFUSED):
        yield say("{not_connected:count} {not_connected:attempt|attempts} to connect failed.")
