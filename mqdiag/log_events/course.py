"""How the lines of an event lie over time."""

from __future__ import annotations

from datetime import datetime, timedelta

from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.log_events import seconds_between


def goes_on(event: LogEvent, seconds: float) -> bool:
    """Whether there was a line in each minute for so long; connections that were idle end now and then."""
    width = event.step_minutes * 60
    before, run = None, 0
    for point in event.series:
        if point.count < event.step_minutes:
            before, run = None, 0
            continue
        run = run + 1 if before is not None and seconds_between(before, point.at) == width else 1
        # of the first step and the last any part may be without lines
        if (run - 2) * width >= seconds:
            return True
        before = point.at
    return False


def lines_after(starts: list[LogEvent], event: LogEvent, within: timedelta) -> int:
    """Lines soon after one of the starts, by the minute; all of them where their clock is an unknown one."""
    begun = [
        time for start in starts for text in (start.first, start.last) if (time := _time(text)) is not None
    ]
    times = [_time(point.at) for point in event.series] or [_time(event.first)]
    counts = [point.count for point in event.series] or [event.count]
    step = timedelta(minutes=event.step_minutes)
    return sum(
        count
        for time, count in zip(times, counts, strict=True)
        if time is None
        or not begun
        or any(
            (start.tzinfo is None) is not (time.tzinfo is None) or -step < time - start <= within
            for start in begun
        )
    )


def quiet_for(logs: LogsFacts, event: LogEvent) -> float:
    """Seconds for which each of its logs goes on without such a line; 0 where that is not known."""
    ends = [file.last for file in logs.files if file.path in event.files and file.last is not None]
    return min((seconds_between(event.last, end) for end in ends), default=0.0)


def _time(shown: str | None) -> datetime | None:
    try:
        return None if shown is None else datetime.fromisoformat(shown)
    except ValueError:
        return None
