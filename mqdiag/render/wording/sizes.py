"""Numbers as people read them."""

from __future__ import annotations

import math

from mqdiag.text import say

_UNITS = ("KiB", "MiB", "GiB", "TiB")


def size(count: int | float | None) -> str:
    """Bytes with three digits: 512 B, 41.3 KiB, 2,246 MiB."""
    if count is None:
        return "?"
    if abs(count) < 1024:
        return f"{count:,.0f} B"
    value, unit = float(count), ""
    for unit in _UNITS:
        value /= 1024
        # Up to 9,999 MiB stay MiB: heaps are spoken of in them.
        if abs(value) < (10_000 if unit == "MiB" else 1024):
            break
    # Cut, not rounded: 2,246.6 MiB are "2,246 MiB", as the arithmetic in the findings has it.
    if abs(value) >= 100:
        return f"{math.trunc(value):,} {unit}"
    return f"{math.trunc(value * 10) / 10:.1f} {unit}"


def number(count: int | None) -> str:
    """A count with thousands apart, or ? when it is not known."""
    return "?" if count is None else f"{count:,}"


def share(part: float | None, whole: float | None) -> str:
    """Per cent without decimals; small but real shares are not shown as 0."""
    if part is None or not whole:
        return "?"
    ratio = part / whole
    return "<1 %" if 0 < ratio < 0.01 else f"{100 * ratio:.0f} %"


def duration(ms: int | None) -> str:
    """Milliseconds as a person says them: 340 ms, 12 s, 17 min, 3.2 h, 2.1 days."""
    if ms is None:
        return "?"
    for limit, divisor, unit, digits in (
        (1_000, 1, "ms", 0),
        (120_000, 1_000, "s", 0),
        (7_200_000, 60_000, "min", 0),
        (172_800_000, 3_600_000, "h", 1),
    ):
        if abs(ms) < limit:
            return f"{ms / divisor:,.{digits}f} {unit}"
    return say("{days:decimal} days", days=ms / 86_400_000)


def per_second(rate: float) -> str:
    """A rate with three digits: 1,234 a second, 12.3 a second, 0.50 a second."""
    digits = 0 if rate >= 100 else 1 if rate >= 10 else 2
    return say("{rate} a second", rate=f"{rate:,.{digits}f}")
