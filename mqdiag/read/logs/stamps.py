"""The time of a line: dates as loggers, collectors and the JVM print them."""

from __future__ import annotations

import re
from calendar import timegm
from functools import lru_cache

import msgspec

from mqdiag.lazy_pattern import lazy_pattern

HEAD = 400
"""bytes of a line in which its time stands"""
LINES_BACK = 40
FRAMES_BACK = 300
"""frames of a stack that are passed over besides: proxies and interceptors make it deep"""
_FRAME = (b"\tat ", b"    at ")
FURTHEST_MINUTES = 14 * 60
"""no zone is further from UTC"""
_MONTHS = (b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec")

_ISO = lazy_pattern(
    rb"(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?( ?(?:Z\b|[+-]\d\d:?\d\d\b))?"
)
TO_MINUTE = rb"(\d{4}-\d\d-\d\d[T ](?:[01]\d|2[0-3]):[0-5]\d)"
_LEADING = lazy_pattern(TO_MINUTE + rb":(\d\d)(?:[.,](\d{3}))? (?![+-]\d|Z\b)")
"""a line that begins with a time without a zone, as nearly all lines of logs do"""
_LEADING_BYTES = 26
"""bytes of a line that decide whether this pattern fits, and what it finds"""
_MOST_LEADING = 64
_LEADING_WITH_ZONE = lazy_pattern(rb"\[?" + TO_MINUTE + rb":(\d\d)[.,](\d{3})([+-]\d{4})(?:\]|: )")
"""a line of the JVM's collections"""
_TWO_DIGIT_YEAR = lazy_pattern(
    rb"(?<![\d-])(\d\d)-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?( ?(?:Z\b|[+-]\d\d:?\d\d\b))?"
)
"""the default of 3.x clients, "16-06-21 12:57:28" """
_DAY_FIRST = lazy_pattern(
    rb"(?P<day>\d\d)[-/ ](?P<month>[A-Z][a-z]{2})[-/ ](?P<year>\d{4})[ :]"
    rb"(?P<clock>\d\d:\d\d:\d\d)(?:[.,](?P<fraction>\d{1,9}))?(?P<zone> [+-]\d{4}\b)?"
)
_YEAR_FIRST = lazy_pattern(
    rb"(?P<year>\d{4})-(?P<month>[A-Z][a-z]{2})-(?P<day>\d\d)[T ]"
    rb"(?P<clock>\d\d:\d\d:\d\d)(?:[.,](?P<fraction>\d{1,9}))?(?P<zone> [+-]\d{4}\b)?"
)
"""C++ clients, "2020-Jun-30 15:51:22.863803" """
_MONTH_FIRST = lazy_pattern(
    rb"(?P<month>[A-Z][a-z]{2}) (?P<day>\d{1,2}), (?P<year>\d{4}) (?:@ )?"
    rb"(?P<clock>\d\d:\d\d:\d\d)(?:[.,](?P<fraction>\d{1,9}))?(?P<zone> [+-]\d{4}\b)?"
)
"""Kibana, "Nov 21, 2026 @ 20:00:00.123" """
_NAMED_MONTHS = (_DAY_FIRST, _YEAR_FIRST, _MONTH_FIRST)
_EPOCH = lazy_pattern(rb'"(?:@?timestamp|time|ts|timeMillis|epochMillis)"\s*:\s*"?(\d{13})\b')
_END_OF_CLOCK = lazy_pattern(rb":\d\d:\d\d")
"""minutes and seconds, which all forms but epochs have; it begins with one byte, for which the search is quick"""
_CLOCK = lazy_pattern(rb"\b\d\d:\d\d:\d\d\b")


class Stamp(msgspec.Struct, frozen=True):
    """A time as printed."""

    wall_ms: int
    """milliseconds since 1970 as if the printed time were UTC"""
    offset_minutes: int | None = None
    """the zone that stands beside it"""
    fraction: bool = False
    """it has digits below the second"""


class StampReader:
    """Reads times; the last ones are kept, for lines of one second are many."""

    def __init__(self) -> None:
        self._text = b""
        self._stamp: Stamp | None = None
        self._leading: dict[bytes, Stamp] = {}

    def of_line(self, line: bytes) -> Stamp | None:
        """The time of one line; an instant with a zone goes before a local time on the same line."""
        head = line[:_LEADING_BYTES]
        known = self._leading.get(head)
        if known is not None:
            return known
        leading = _LEADING.match(line)
        if leading is not None:
            minute, second, fraction = leading.groups()
            minute_ms = _minute_ms(minute)
            if minute_ms is not None:
                wall_ms = minute_ms + min(int(second), 60) * 1000 + int(fraction or 0)
                told = Stamp(wall_ms, None, fraction is not None)
                if len(self._leading) >= _MOST_LEADING:
                    self._leading.clear()
                self._leading[head] = told
                return told
        leading = _LEADING_WITH_ZONE.match(line)
        if leading is not None:
            stamp = stamp_with_zone(*leading.groups())
            if stamp is not None:
                return stamp
        if _END_OF_CLOCK.search(line, 0, HEAD) is None:
            # such as a frame of a stack, which each of the other patterns would search to its end
            return _epoch(line)
        found = _ISO.search(line, 0, HEAD)
        if found is None:
            return _epoch(line) or _two_digit_year(line) or _named_month(line)
        text = found[0]
        wrapped = line[:1] == b"{"
        if text == self._text and not wrapped:
            return self._stamp
        stamp = _iso(found)
        if wrapped and stamp is not None and not found[8]:
            return _instant(line) or stamp
        self._text, self._stamp = text, stamp
        return stamp

    def of_record(self, block: bytes, start: int) -> tuple[Stamp | None, int]:
        """(time of the nearest line above that has one, where that line begins)."""
        end = start - 1
        lines = frames = 0
        while end > 0 and lines < LINES_BACK and frames < FRAMES_BACK:
            begin = block.rfind(b"\n", 0, end) + 1
            if block.startswith(_FRAME, begin):
                frames += 1
            else:
                lines += 1
                stamp = self.of_line(block[begin:end])
                if stamp is not None:
                    return stamp, begin
            end = begin - 1
        return None, start


def has_clock(head: bytes) -> bool:
    """Whether any line has a time of day, as a log has."""
    return _CLOCK.search(head) is not None


def stamp_with_zone(minute: bytes, second: bytes, milliseconds: bytes, zone: bytes) -> Stamp | None:
    """A time by its parts as printed, the first of the form `TO_MINUTE`; None if there is no such day."""
    minute_ms = _minute_ms(minute)
    if minute_ms is None:
        return None
    return Stamp(minute_ms + min(int(second), 60) * 1000 + int(milliseconds), _minutes(zone), True)


@lru_cache(maxsize=64)
def _minute_ms(text: bytes) -> int | None:
    """When a minute begins, in milliseconds since 1970; None if there is no such day."""
    found = _ISO.match(text + b":00")
    stamp = None if found is None else _iso(found)
    return None if stamp is None else stamp.wall_ms


def _iso(found: re.Match[bytes]) -> Stamp | None:
    year, month, day, hour, minute, second, fraction, zone = found.groups()
    return _stamp((int(year), int(month), int(day), int(hour), int(minute), int(second)), fraction, zone)


def _instant(line: bytes) -> Stamp | None:
    """Docker's json-file driver puts its own UTC time at the end of the line."""
    for found in _ISO.finditer(line, max(0, len(line) - HEAD)):
        if found[8]:
            return _iso(found)
    return None


def _two_digit_year(line: bytes) -> Stamp | None:
    found = _TWO_DIGIT_YEAR.search(line, 0, HEAD)
    if found is None:
        return None
    year, month, day, hour, minute, second, fraction, zone = found.groups()
    return _stamp((2000 + int(year), int(month), int(day), int(hour), int(minute), int(second)), fraction, zone)


def _named_month(line: bytes) -> Stamp | None:
    for pattern in _NAMED_MONTHS:
        found = pattern.search(line, 0, HEAD)
        if found is None or found["month"].lower() not in _MONTHS:
            continue
        month = _MONTHS.index(found["month"].lower()) + 1
        hour, minute, second = (int(part) for part in found["clock"].split(b":"))
        return _stamp(
            (int(found["year"]), month, int(found["day"]), hour, minute, second),
            found["fraction"],
            found["zone"],
        )
    return None


def _epoch(line: bytes) -> Stamp | None:
    found = _EPOCH.search(line)
    return None if found is None else Stamp(int(found[1]), 0, True)


def _stamp(
    parts: tuple[int, int, int, int, int, int], fraction: bytes | None, zone: bytes | None
) -> Stamp | None:
    year, month, day, hour, minute, second = parts
    if not (1990 <= year <= 2100 and 1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60):
        return None
    wall = (_day_s(year, month, day) + hour * 3600 + minute * 60 + min(second, 60)) * 1000
    if fraction:
        wall += int(fraction[:3].ljust(3, b"0"))
    return Stamp(wall, _minutes(zone), fraction is not None)


@lru_cache(maxsize=64)
def _day_s(year: int, month: int, day: int) -> int:
    """When a day begins, in seconds since 1970; a log has few days and many times."""
    return timegm((year, month, day, 0, 0, 0))


@lru_cache(maxsize=64)
def _minutes(zone: bytes | None) -> int | None:
    if not zone:
        return None
    text = zone.strip().replace(b":", b"")
    if text == b"Z":
        return 0
    minutes = int(text[1:3]) * 60 + int(text[3:5])
    if minutes > FURTHEST_MINUTES:
        return None
    return -minutes if text.startswith(b"-") else minutes
