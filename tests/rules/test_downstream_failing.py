"""Calls of a service that fail, and those that failed and are answered again."""

from __future__ import annotations

import pytest

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogFile, LogsFacts, LogSubject
from mqdiag.rules import downstream_failing
from tests.folded import folded
from tests.rules import checks


def _event(kind: str, last: str, path: str = "app.log", services: tuple[str, ...] = ()) -> LogEvent:
    return LogEvent(
        kind=kind,
        side="client",
        count=100,
        first="2026-11-28T09:00:00",
        last=last,
        files=(path,),
        subjects=tuple(LogSubject(service=one, count=50, last=last) for one in services),
    )


def _file(path: str, last: str) -> LogFile:
    return LogFile(path=path, kind="client", format="plain", bytes=1, lines=5000, event_lines=1, last=last)


FAILED = _event("call-timed-out", "2026-11-28T09:05:00")
REFUSED = _event("breaker-refused", "2026-11-28T09:05:00")
ENDS = (_file("app.log", "2026-11-28T09:10:00"), _file("client.log", "2026-11-28T09:10:00"))
COUNTED = _event("messages-consumed", "2026-11-28T09:10:00", "client.log")


@folded(
    "events, cause",
    [
        pytest.param((REFUSED,), "circuit-breaker-open", id="open"),
        pytest.param((REFUSED, _event("breaker-closed", "2026-11-28T09:05:01")), "recovered", id="closed"),
        pytest.param(
            (REFUSED, _event("breaker-closed", "2026-11-28T09:04:00")), "circuit-breaker-open", id="opened"
        ),
        pytest.param(
            (
                _event("breaker-refused", "2026-11-28T09:05:00", services=("pricing", "stock")),
                _event("breaker-closed", "2026-11-28T09:05:01", services=("pricing",)),
            ),
            "circuit-breaker-open",
            id="one-of-two-closed",
        ),
        pytest.param((FAILED, COUNTED), "calls-time-out", id="not-counted"),
        pytest.param(
            (FAILED, COUNTED, _event("consume-failures", "2026-11-28T09:06:00", "client.log")),
            "recovered",
            id="consumed-since",
        ),
        pytest.param(
            (FAILED, COUNTED, _event("consume-failures", "2026-11-28T09:10:00", "client.log")),
            "calls-time-out",
            id="fail-still",
        ),
    ],
)
def test_what_is_over_is_past(events: tuple[LogEvent, ...], cause: str) -> None:
    """A breaker that is closed, or a client that counts messages and no failure, shows that calls are answered."""
    (finding,) = checks.findings(
        downstream_failing, Facts(logs=LogsFacts(events=events, files=ENDS, lines=5000))
    )
    assert finding.cause == cause
