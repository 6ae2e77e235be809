"""Few sends that waited too long at the broker, and were taken when the client sent again."""

from __future__ import annotations

import pytest

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogFile, LogsFacts
from mqdiag.rules import send_busy
from tests.folded import folded
from tests.rules import checks

LAST = "2026-11-28T18:03:48+08:00"
GOES_ON = "2026-11-28T18:06:00+08:00"
GIVEN_UP = LogEvent(kind="send-given-up", side="client", count=1, first=LAST, last=LAST)


def _waited(count: int, kind: str = "busy-timeout-clean", sync: int = 1) -> LogEvent:
    return LogEvent(
        kind=kind,
        side="client",
        count=count,
        first=LAST,
        last=LAST,
        files=("client.log",),
        values={"smallest_of_sync_sends": sync},
    )


def _made(version: int) -> LogEvent:
    values = {"smallest_version": version}
    return LogEvent(kind="client-made", side="client", count=1, files=("client.log",), values=values)


@folded(
    "events, end, causes",
    [
        pytest.param((_waited(2), _made(50300)), GOES_ON, ["busy-for-a-moment"], id="passed"),
        pytest.param((_waited(2), _made(50200)), GOES_ON, ["not-sent-again"], id="before-5.3.0"),
        pytest.param((_waited(2),), GOES_ON, ["not-sent-again"], id="any-version"),
        pytest.param((_waited(2, sync=0), _made(50300)), GOES_ON, ["not-sent-again"], id="asynchronous"),
        pytest.param((_waited(2),), "2026-11-28T18:04:00+08:00", [], id="just-now"),
        pytest.param((_waited(2), GIVEN_UP), GOES_ON, [], id="given-up"),
        pytest.param((_waited(2, "busy-pc-clean"),), GOES_ON, [], id="page-cache"),
        pytest.param((_waited(10),), GOES_ON, ["broker-busy"], id="many"),
    ],
)
def test_few_waits_that_are_over_mean_no_fault(
    events: tuple[LogEvent, ...], end: str, causes: list[str]
) -> None:
    store = LogFile(path="store.log", kind="store", format="plain", bytes=1, lines=9, event_lines=1, last=end)
    facts = Facts(logs=LogsFacts(events=events, files=(store,), lines=5000))
    assert [one.cause for one in checks.findings(send_busy, facts)] == causes
