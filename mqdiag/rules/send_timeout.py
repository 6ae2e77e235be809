"""Sends get no answer in time."""

from __future__ import annotations

import re

from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Subject
from mqdiag.log_events import enough, events, lines_of, only, seconds_between
from mqdiag.log_events.course import quiet_for
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.time_ranges import between, ranges_apart, ranges_of

RULE = Rule("send-timeout")
NO_ANSWER, CALL_TIMEOUT, REFUSED = "send-no-answer", "send-call-timeout", "send-not-connected"
NOT_CONNECTED, NEVER_MADE = "broker-not-connected", "connection-never-made"
LONG_PAUSE_MS = 1000
AWAY_S = 30
CONSUMED = "messages-consumed"
_ADDRESS = re.compile(r"[\w.\-:\[\]]{1,100}:\d{1,5}")
_LOCAL = re.compile(r"(?:127\.\d|localhost|0\.0\.0\.0|\[?::1\]?:|172\.17\.)")
"""addresses that nobody outside of the broker's machine can reach: loopback, and docker's default network"""


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for all clients: which of them it is the lines do not tell."""
    found = events(logs, NO_ANSWER, CALL_TIMEOUT, REFUSED)
    if not found:
        # of an excerpt this is what somebody asks about
        found = [one for one in events(logs, NOT_CONNECTED) if logs.is_excerpt or _lasts(logs, one)]
    if not enough(logs, lines_of(found), limits["lines"]):
        return
    address = _unusable(logs)
    broker, peer = _only(found, "broker"), _peer(logs, found)
    waits = (event.values.get("largest_wait_ms", 0) for event in found)
    yield RULE.case(
        "wrong-broker-address" if address is not None else _case(logs, found),
        subject=Subject(topic=_only(found, "topic"), broker=broker, resource=None if broker else peer),
        events=found,
        evidence={
            "largest_wait_ms": max(waits, default=0) or None,
            "never_connected": logs.count(NEVER_MADE),
            "not_connected": logs.count(NOT_CONNECTED, REFUSED),
            "peer": peer,
            **({"address": address} if address is not None else {}),
        },
        words={"address": address, "sends": any(event.kind != NOT_CONNECTED for event in found)},
    )


def _lasts(logs: LogsFacts, event: LogEvent) -> bool:
    """Whether a client that has no connection still has none where its log ends: a broker that restarts is back."""
    if event.first is None or event.last is None:
        return False
    return seconds_between(event.first, event.last) >= AWAY_S and quiet_for(logs, event) < AWAY_S


def _only(found: list[LogEvent], part: str) -> str | None:
    names = {name for event in found if (name := only(event, part))}
    return names.pop() if len(names) == 1 else None


def _peer(logs: LogsFacts, found: list[LogEvent]) -> str | None:
    """The one address that was not reached, or did not answer; None where lines name several."""
    for kinds in (events(logs, REFUSED, NOT_CONNECTED), found):
        named = {one.broker for event in kinds for one in event.subjects if one.broker is not None}
        if len(named) == 1:
            name = named.pop()
            return name if _ADDRESS.fullmatch(name) else logs.masters.get(name)
    return None


def _unusable(logs: LogsFacts) -> str | None:
    """An address that failed and that cannot be right for a client on another machine."""
    if logs.count(CONSUMED):
        return None  # the client had reached it
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


def _case(logs: LogsFacts, found: list[LogEvent]) -> str:
    refused = events(logs, REFUSED, NOT_CONNECTED)
    if any(event.values.get("lines_of_vip_port") for event in refused):
        return "vip-channel"
    if refused or (logs.count(NEVER_MADE) and not logs.count(NO_ANSWER)):
        return "broker-unreachable"
    long = [pause for pause in logs.safepoints if pause.longest_ms >= LONG_PAUSE_MS]
    if any(ranges_apart(ranges_of(found), between(pause.longest_at, None)) is not True for pause in long):
        return "client-paused"
    return "slow-broker" if logs.count(NO_ANSWER) else "unknown"
