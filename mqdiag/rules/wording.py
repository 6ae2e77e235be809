"""Numbers as a tired person reads them."""

from __future__ import annotations

from mqdiag.text import say

MIB = 1024 * 1024


def mib(size: float) -> str:
    """2,246 MiB; small sizes with a decimal or in bytes."""
    if size < MIB / 10:
        return say("{size:count} bytes", size=int(size))
    if size < 10 * MIB:
        return f"{size / MIB:.1f} MiB"
    return f"{int(size // MIB):,} MiB"


def percent(share: float) -> str:
    """87 %, and one decimal below 10."""
    return f"{share:.1%}".replace("%", " %") if abs(share) < 0.0995 else f"{share:.0%}".replace("%", " %")


def duration(milliseconds: float) -> str:
    """850 ms, 42 s, 15 min 3 s, 2 h 5 min."""
    if milliseconds < 1000:
        return f"{int(milliseconds)} ms"
    seconds = int(milliseconds // 1000)
    if seconds < 120:
        return f"{seconds} s"
    minutes, seconds = divmod(seconds, 60)
    if minutes < 120:
        return f"{minutes} min {seconds} s" if seconds else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,} h {minutes} min" if minutes else f"{hours:,} h"
