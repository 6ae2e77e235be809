"""Times and durations of a recording as the report has them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST = (datetime(9999, 1, 1, tzinfo=UTC) - _EPOCH).total_seconds() * 1e9
NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000


def instant(ns: float) -> str:
    """RFC 3339 with milliseconds, of nanoseconds since the epoch; a time beyond the calendar is its end."""
    at = _EPOCH + timedelta(microseconds=int(min(max(ns, 0), _LATEST)) // 1000)
    return at.isoformat(timespec="milliseconds")


def ms(ns: float) -> float:
    """Milliseconds, rounded to a microsecond."""
    return round(float(ns) / NS_PER_MS, 3)
