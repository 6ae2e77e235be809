"""Times and durations as databases print them."""

from __future__ import annotations

from datetime import datetime, timedelta

from mqdiag.lazy_pattern import lazy_pattern

_CLOCK = lazy_pattern(r"(-?)(\d{1,6}):(\d\d):(\d\d(?:\.\d{1,9})?)$")
_PART = lazy_pattern(r"(-?\d{1,9}(?:\.\d{1,9})?) ?(years?|mons?|days?|hours?|mins?|minutes?|secs?|seconds?)\b")
_UNITS = {"y": 31_557_600.0, "mo": 2_592_000.0, "d": 86_400.0, "h": 3600.0, "mi": 60.0, "s": 1.0}
_ZONE = lazy_pattern(r"([+-]\d\d)$")
_STAMP = lazy_pattern(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?")


def interval_ms(text: str | None) -> float | None:
    """Milliseconds of an interval such as "00:01:05.12", "1 day 02:03:04", "@ 1 min 5 secs" or "65"; else None."""
    if text is None:
        return None
    text = text.strip()
    if text.isascii() and text.isdigit() and len(text) < 12:
        return float(text) * 1000
    seconds, found = 0.0, False
    clock = _CLOCK.search(text)
    if clock:
        sign = -1.0 if clock[1] else 1.0
        seconds += sign * (int(clock[2]) * 3600 + int(clock[3]) * 60 + float(clock[4]))
        text, found = text[: clock.start()], True
    for part in _PART.finditer(text):
        unit = part[2][:2] if part[2][:2] in _UNITS else part[2][:1]
        seconds += float(part[1]) * _UNITS[unit]
        found = True
    return seconds * 1000 if found else None


def moment(text: str | None) -> datetime | None:
    """A time with or without its zone, such as "2026-11-28 01:13:18.281+00"; None for any other text."""
    if not text:
        return None
    text = _ZONE.sub(r"\1:00", text.strip().replace(" UTC", "+00:00").replace("Z", "+00:00"))
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        found = _STAMP.match(text)
        try:
            return datetime.fromisoformat(found[0].replace(",", ".")) if found else None
        except ValueError:
            return None


def age_ms(then: datetime | None, now: datetime | None) -> float | None:
    """Milliseconds between two times of one answer; None where one is missing, or only one has a zone."""
    if then is None or now is None or (then.tzinfo is None) is not (now.tzinfo is None):
        return None
    return max(0.0, (now - then) / timedelta(milliseconds=1))
