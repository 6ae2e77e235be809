"""Times that readers compare, by one clock: logs with local times beside thread dumps of a host whose zone is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, tzinfo

import msgspec

from mqdiag.facts import LogsFacts, StacksFacts
from mqdiag.findings import Action, Finding, Report
from mqdiag.log_events import by_clock
from mqdiag.text import Text

NEAR = timedelta(minutes=25)
"""between the end of a log and the dumps of its host, where both are taken together: less than between two zones"""


class Clock:
    """In which zone the times of a report are told."""

    def __init__(self, report: Report) -> None:
        """Find the zone.

        Args:
            report: with all evidence.
        """
        self.local = _zone_of_local_logs(report)
        """in which the logs' local times are; None where nothing tells it"""
        self.zone = _zone_of_logs(report.logs) or self.local
        """in which all times are told; None where no log has one"""

    def told(self, time: str) -> str:
        """A time as this clock shows it; one that cannot be converted stays as it is."""
        try:
            return self.at(datetime.fromisoformat(time)).isoformat()
        except (ValueError, OverflowError):
            return time

    def at(self, time: datetime) -> datetime:
        """The same for a moment.

        Raises:
            OverflowError: it has no place in another zone.
        """
        if time.tzinfo is None and self.local is not None:
            time = time.replace(tzinfo=self.local)
        return time if self.zone is None or time.tzinfo is None else time.astimezone(self.zone)


def by_one_clock(report: Report) -> Report:
    """The report with all times of its findings in one zone, where the zone of its local times is known."""
    clock = Clock(report)
    if clock.local is None:
        return report
    return msgspec.structs.replace(
        report, findings=tuple(_of_finding(found, clock.told) for found in report.findings)
    )


def _of_finding(found: Finding, told: Callable[[str], str]) -> Finding:
    def texts(several: tuple[Text, ...]) -> tuple[Text, ...]:
        return tuple(by_clock(one, told) for one in several)

    def actions(several: tuple[Action, ...]) -> tuple[Action, ...]:
        return tuple(
            msgspec.structs.replace(one, text=by_clock(one.text, told), risk=by_clock(one.risk, told))
            for one in several
        )

    return msgspec.structs.replace(
        found,
        title=by_clock(found.title, told),
        in_chain=by_clock(found.in_chain, told),
        explanation=texts(found.explanation),
        remedy=texts(found.remedy),
        now=actions(found.now),
        then=actions(found.then),
        confidence_reason=by_clock(found.confidence_reason, told),
        consequence=by_clock(found.consequence, told),
    )


def _zone_of_local_logs(report: Report) -> tzinfo | None:
    """The zone of all dumps whose own clock is known, where each log with local times ends near them by it."""
    known = [*_known_dumps(report)]
    zones = {at.utcoffset() for at in known}
    ends = [*_local_ends(report.logs)]
    if len(zones) != 1 or not ends:
        return None
    zone = known[0].tzinfo
    first, last = min(known) - NEAR, max(known) + NEAR
    return zone if all(first <= end.replace(tzinfo=zone) <= last for end in ends) else None


def _known_dumps(report: Report) -> Iterator[datetime]:
    """When thread dumps were taken that print local times, by the word of a capture."""
    every: tuple[StacksFacts | None, ...] = (report.stacks, *(one.stacks for one in report.other_processes))
    for stacks in every:
        for sample in () if stacks is None else stacks.series:
            if sample.captured_at is not None and sample.captured_local is not None:
                at = _read(sample.captured_at)
                if at is not None and at.tzinfo is not None:
                    yield at


def _local_ends(logs: LogsFacts | None) -> Iterator[datetime]:
    for file in () if logs is None else logs.files:
        end = _read(file.last)
        if end is not None and end.tzinfo is None:
            yield end


def _zone_of_logs(logs: LogsFacts | None) -> tzinfo | None:
    """The zone of the newest log that states one."""
    ends = [end for file in (() if logs is None else logs.files) if (end := _read(file.last)) is not None]
    known = [end for end in ends if end.tzinfo is not None]
    return max(known).tzinfo if known else None


def _read(time: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(time or "")
    except ValueError:
        return None
