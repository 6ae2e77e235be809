"""A script of Redis that is over, and the command that ends a function."""

from __future__ import annotations

import pytest

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogFile, LogsFacts
from mqdiag.language import english
from mqdiag.rules import redis_script_blocks
from tests.rules import checks


@pytest.mark.parametrize(
    ("end", "named", "cause", "severity", "command"),
    [
        ("09:01:00", "SCRIPT KILL", "script-holds-redis", "error", "redis-cli -h HOST -p 6379 SCRIPT KILL"),
        ("09:01:00", "FUNCTION KILL", "script-holds-redis", "error", "redis-cli -h HOST -p 6379 FUNCTION KILL"),
        ("12:00:00", "SCRIPT KILL", "held-redis", "warning", "redis-cli -h HOST -p 6379 SLOWLOG GET 10"),
    ],
)
def test_what_ends_a_script(end: str, named: str, cause: str, severity: str, command: str) -> None:
    busy = LogEvent(
        kind="redis-busy",
        side="client",
        count=30,
        last="2026-11-28T09:00:12",
        files=("app.log",),
        example=f"BUSY Redis is busy running a script. You can only call {named} or SHUTDOWN NOSAVE.",
    )
    file = LogFile(
        path="app.log",
        kind="application",
        format="plain",
        bytes=1,
        lines=900,
        event_lines=1,
        last=f"2026-11-28T{end}",
    )
    (finding,) = checks.findings(
        redis_script_blocks, Facts(logs=LogsFacts(events=(busy,), files=(file,), lines=900))
    )
    assert (finding.cause, finding.severity) == (cause, severity)
    assert finding.now[0].command is not None
    assert english()(finding.now[0].command) == command
    assert ("until" in english()(finding.title)) is (severity == "warning")


@pytest.mark.parametrize(
    ("last", "severity"), [("2026-11-28T09:00:30", "error"), ("2026-11-28T15:00:30", "warning")]
)
def test_two_scripts_far_apart_hold_nothing_now(last: str, severity: str) -> None:
    slow = LogEvent(
        kind="redis-slow-script",
        count=2,
        first="2026-11-28T09:00:00",
        last=last,
        values={"longest_ms": 5009},
    )
    (finding,) = checks.findings(redis_script_blocks, Facts(logs=LogsFacts(events=(slow,), lines=900)))
    assert finding.severity == severity
