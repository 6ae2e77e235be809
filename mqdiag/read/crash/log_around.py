"""The log that the head of a report stands in: whether its program went on, and whether users write there."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from mqdiag.read.stacks.pasted import stamp_of

LEAST_RESTART_MS = 1_000
"""between the last line of a process that crashed and the first line of the next one"""
LEAST_RECORDS = 20
"""records of an application above a head, without which its log is no place where users write"""
LONGEST_END_MS = 10_000
"""for which other threads of a process may go on while one of them writes the report"""


class LogAround(msgspec.Struct):
    """The lines of a log around the head of a report: a process that crashed writes no more."""

    is_record: Callable[[str], bool]
    records: int = 0
    is_message: bool = False
    """whether the head may be a part of a message of an application"""
    last_ms: int | None = None
    """time of the last line"""
    since_ms: int | None = None
    """time of the last line before the head"""
    goes_on: bool | None = None
    """whether lines follow without a pause, for as long as no crashed process has them"""

    def begin(self) -> None:
        """A head begins."""
        self.since_ms, self.goes_on = self.last_ms, None
        self.is_message = self.records >= LEAST_RECORDS

    def take(self, line: str) -> None:
        """Take one line."""
        self.records += self.records < LEAST_RECORDS and self.is_record(line)
        stamp = stamp_of(line) if ":" in line[:60] else None
        if stamp is None:
            return
        if self.since_ms is not None and self.last_ms is not None and self.goes_on is None:
            if not 0 <= stamp.wall_ms - self.last_ms < LEAST_RESTART_MS:
                self.goes_on = False
            elif stamp.wall_ms - self.since_ms >= LONGEST_END_MS:
                self.goes_on = True
        self.last_ms = stamp.wall_ms
