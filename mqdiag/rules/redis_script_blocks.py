"""A script holds Redis: every other command waits, or is refused."""

from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.addresses import port_of
from mqdiag.facts.logs import LogEvent
from mqdiag.findings import Confidence, Subject
from mqdiag.log_events import events, files_of, lines_of, seconds_between
from mqdiag.log_events.course import quiet_for
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("redis-script-blocks")
KILL = ("FUNCTION KILL", "SCRIPT KILL")
"""commands that Redis names in its answer and in its log; each ends one of the two alone"""
SCRIPTS = ("EVAL", "EVALSHA", "EVAL_RO", "EVALSHA_RO", "FCALL", "FCALL_RO")
OVER_S = 300
"""for which all logs go on without such a line"""


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Findings:
    """One finding for all lines."""
    logs = facts.logs
    assert logs is not None
    refused, slow = events(logs, "redis-busy"), events(logs, "redis-slow-script")
    if lines_of(slow) < limits["scripts"] and lines_of(refused) < limits["refused"]:
        return
    clients = RULE.names("clients")
    thrown = next((row for row in logs.listener_exceptions if row.exception.startswith(clients)), None)
    server = _server(facts)
    scripts = [one for one in facts.services.slow_commands if one.name in SCRIPTS] if facts.services else []
    few = lines_of(refused) < limits["refused"] and _apart_s(slow) > limits["apart_s"]
    over = few or all(quiet_for(logs, event) >= OVER_S for event in (*slow, *refused))
    yield RULE.case(
        "held-redis" if over else "script-holds-redis",
        subject=Subject(group=None if thrown is None else thrown.group),
        events=[*slow, *refused],
        evidence={
            "server": server,
            "slow_scripts": lines_of(slow) or len(scripts) or None,
            "longest_ms": max(
                [event.values.get("longest_ms", 0) for event in slow] or [round(one.ms) for one in scripts],
                default=0,
            )
            or None,
            "refused": lines_of(refused) or None,
            "frame": None if thrown is None else thrown.frame,
            "held_until": max((event.last for event in (*slow, *refused) if event.last), default=None)
            if over
            else None,
        },
        words={
            "host": None if server is None else server.rpartition(":")[0],
            "port": None if server is None else port_of(server),
            "kill": next(
                (one for one in KILL if any(one in event.example for event in (*slow, *refused))), KILL[-1]
            ),
        },
        confidence=Confidence.HIGH if (slow or scripts) and not over else Confidence.MEDIUM,
        rests_on=files_of([*slow, *refused]),
    )


def _apart_s(slow: list[LogEvent]) -> float:
    """Seconds from one slow script to the next, on average; 0 where their times are unknown."""
    spans = [seconds_between(event.first, event.last) / max(event.count - 1, 1) for event in slow]
    return min(spans, default=0.0)


def _server(facts: Facts) -> str | None:
    """The only Redis that a captured process is connected to, by its usual port."""
    sockets = () if facts.services is None else facts.services.sockets
    ports = RULE.names("ports")
    found = {f"{one.remote}:{one.remote_port}" for one in sockets if str(one.remote_port) in ports}
    return found.pop() if len(found) == 1 else None
