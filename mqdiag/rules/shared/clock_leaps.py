"""Clocks of brokers' hosts that were put forward, by the timers of brokers."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.log_events import events, seconds_between

LEAPT, EXPIRED = "registrations-leapt", "heartbeat-expired"
AFTER_S = 95
"""after the end of heartbeats, which are looked for every 10 seconds: the second registration that comes"""


class Leap(NamedTuple):
    """A gap between registrations that a broker made up for by none, at whose end all clients seemed silent."""

    event: LogEvent
    leap_ms: int
    begin: str
    end: str


def leaps(logs: LogsFacts) -> Iterator[Leap]:
    """Lines that somebody cut out of a log leave a gap too, but not with the end of heartbeats just behind it."""
    expired = [at for one in events(logs, EXPIRED) for at in (one.first, one.last) if at is not None]
    for event in events(logs, LEAPT):
        near = [at for at in expired if 0 <= seconds_between(at, event.first) <= AFTER_S]
        if near:
            leap_ms, end = event.values["largest_leap_ms"], min(near)
            begin = datetime.fromisoformat(end) - timedelta(milliseconds=leap_ms)
            yield Leap(event, leap_ms, begin.isoformat(), end)
