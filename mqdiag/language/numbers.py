"""Numbers as people read them: the only formats that a report, a page or a message uses."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime
from typing import Any

from mqdiag.text import Text, say

Write = Callable[[Text], str]
"""a writer of texts in the reader's language"""

_BYTE_UNITS = ("KiB", "MiB", "GiB", "TiB")
NO_TIMESTAMP = "TIMESTAMP"
"""stands in a command for a time that the evidence does not tell"""
_DAYS = say("{days:decimal} days")


def _plain(value: float, _: Write) -> str:
    """As settings and ids are written: 100000, 0.75, true."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else f"{value:g}"


def _count(value: float, _: Write) -> str:
    """1,234."""
    return f"{value:,.0f}"


def _decimal(value: float, _: Write) -> str:
    """Three digits: 1,234, 12.3, 0.52, 5."""
    size = abs(value)
    if not math.isfinite(value):
        return str(value)
    if value == int(value):
        return f"{value:,.0f}"
    return f"{value:,.{0 if size >= 100 else 1 if size >= 10 else 2}f}"


def _bytes(value: float, _: Write) -> str:
    """Three digits, rounded: 512 B, 41.3 KiB, 2,246 MiB. Up to 9,999 MiB stay MiB, as heaps are spoken of in them."""
    if abs(value) < 1023.5:
        return f"{value:,.0f} B"
    amount, unit = float(value), ""
    for unit in _BYTE_UNITS:
        amount /= 1024
        if abs(amount) < (9_999.5 if unit == "MiB" else 1023.5):
            break
    text = f"{amount:,.0f}" if abs(amount) >= 99.95 else f"{amount:.1f}".removesuffix(".0")
    return f"{text} {unit}"


def _percent(value: float, _: Write) -> str:
    """75 %, one decimal below 10; a small share is not shown as 0, one that is not whole not as 100."""
    if 0 < value < 0.0005:
        return "<0.1 %"
    if 0.995 <= value < 1:
        return ">99 %"
    digits = 0 if abs(value) >= 0.0995 or value == 0 else 1
    return f"{100 * value:.{digits}f} %"


def _ms(value: float, write: Write) -> str:
    """0.4 ms, 340 ms, 9.9 s, 42 s, 15 min 3 s, 2 h 5 min, 3.2 days."""
    if 0 < abs(value) < 10 and value != int(value):
        return f"{value:.1f} ms"
    if abs(value) < 999.5:
        return f"{value:.0f} ms"
    if abs(value) < 9_950:
        return f"{value / 1000:.1f}".removesuffix(".0") + " s"
    seconds = round(value / 1000)
    if abs(seconds) < 120:
        return f"{seconds} s"
    if abs(seconds) < 7200:
        return _two(seconds, 60, "min", "s")
    if abs(seconds) < 172_800:
        return _two(round(seconds / 60), 60, "h", "min")
    return write(_DAYS.filled({"days": seconds / 86_400}))


def _two(amount: int, per: int, large: str, small: str) -> str:
    whole, rest = divmod(amount, per)
    return f"{whole:,} {large} {rest} {small}" if rest else f"{whole:,} {large}"


def _seconds(value: float, write: Write) -> str:
    return _ms(value * 1000, write)


def _time(value: str, _: Write) -> str:
    """2026-11-22 03:34:12 +08:00; what is no time stays as it is."""
    try:
        at = datetime.fromisoformat(value)
    except (ValueError, TypeError):
        return str(value)
    zone = "" if at.tzinfo is None else f" {at:%z}"[:4] + ":" + f"{at:%z}"[3:5]
    return f"{at:%Y-%m-%d %H:%M:%S}{zone}"


def _clock(value: str, _: Write) -> str:
    """03:34:12; what is no time stays as it is."""
    try:
        return f"{datetime.fromisoformat(value):%H:%M:%S}"
    except (ValueError, TypeError):
        return str(value)


def _rate(value: float, write: Write) -> str:
    """12.3/s."""
    return f"{_decimal(value, write)}/s"


NUMBERS: dict[str, Callable[[Any, Write], str]] = {
    "": _plain,
    "count": _count,
    "decimal": _decimal,
    "bytes": _bytes,
    "percent": _percent,
    "ms": _ms,
    "seconds": _seconds,
    "time": _time,
    "clock": _clock,
    "rate": _rate,
}
"""by kind of placeholder"""
TIMES = frozenset(("time", "clock"))
"""the kinds whose values are strings"""


def timestamp(value: object) -> str:
    """1763726401000: a time as mqadmin takes it; one without a zone is of its host: 2025-11-21#22:26:41:000."""
    try:
        at = datetime.fromisoformat(str(value))
    except ValueError:
        return NO_TIMESTAMP
    if at.tzinfo is None:
        return f"{at:%Y-%m-%d#%H:%M:%S}:{at.microsecond // 1000:03d}"
    return str(round(at.timestamp() * 1000))
