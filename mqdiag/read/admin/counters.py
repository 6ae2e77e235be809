"""What of brokerStatus is more than a number: times, the distribution of write times, the share of the disk.

Source: BrokerStatusSubCommand, AdminBrokerProcessor.prepareRuntimeInfo, StoreStatsService.getRuntimeInfo, 4.3.2 to
5.3.3. putMessageDistributeTime is "null" until a broker of 4.9 or later has run for a minute.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from mqdiag.facts.admin import BrokerStatus

_BUCKET = re.compile(r"\[([^\]]{1,12})\]:(\d{1,15})")
_RUNTIME = re.compile(r"\[ (\d{1,6}) days?, (\d{1,2}) hours?, (\d{1,2}) minutes?, (\d{1,2}) seconds? \]")
_LATEST_MS = 32_503_680_000_000
"""the year 3000: what lies beyond is no time"""


def broker_status(source: str, address: str | None, values: dict[str, str]) -> BrokerStatus:
    """One broker's counters."""
    return BrokerStatus(
        source=source,
        address=address,
        version=values.get("brokerVersionDesc"),
        asked_at=_asked_at(values),
        put_buckets=_buckets(values.get("putMessageDistributeTime", "")),
        disk_ratio=_ratio(values.get("commitLogDiskRatio")),
        values=values,
    )


def _buckets(text: str) -> dict[str, int]:
    found = {name: int(count) for name, count in _BUCKET.findall(text)}
    return found if any(found.values()) else {}


def _ratio(text: str | None) -> float | None:
    """A share; None for the -1 of a path that the broker cannot look at."""
    try:
        ratio = float(text) if text is not None else -1.0
    except ValueError:
        return None
    return ratio if 0 <= ratio <= 1 else None


def _asked_at(values: Mapping[str, str]) -> str | None:
    booted, ran = values.get("bootTimestamp", ""), _RUNTIME.fullmatch(values.get("runtime", "").strip())
    if (
        not (booted.isascii() and booted.isdigit() and len(booted) < 15 and int(booted) < _LATEST_MS)
        or ran is None
    ):
        return None
    days, hours, minutes, seconds = (int(part) for part in ran.groups())
    start = datetime.fromtimestamp(int(booted) / 1000, UTC)
    asked = start + timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    return asked.isoformat(timespec="seconds")
