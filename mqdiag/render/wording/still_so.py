"""Whether a fault that logs show goes on at their end."""

from __future__ import annotations

from datetime import datetime, timedelta

from mqdiag.causes.one_clock import Clock
from mqdiag.findings import Finding, Report
from mqdiag.text import NOTHING, Text, say

_AT_THE_END = timedelta(seconds=15)
"""between the last line of a fault that goes on and the end of its logs"""


def still_so(finding: Finding, report: Report) -> Text:
    """When its logs end, where its last line stands there; nothing where it does not, or where no times compare.

    Args:
        finding: what logs alone show.
        report: that it is from.
    """
    if finding.seen_in != ("logs",) or not finding.when or report.logs is None or report.logs.is_excerpt:
        return NOTHING
    clock = Clock(report)
    files = [file for file in report.logs.files if file.path in finding.rests_on]
    ends = _times([file.last for file in files], clock)
    lasts = _times([period.last for period in finding.when], clock)
    if not ends or not lasts or len({time.tzinfo is None for time in (*ends, *lasts)}) != 1:
        return NOTHING
    end = max(ends)
    if end - max(lasts) > _AT_THE_END:
        return NOTHING
    return say("Still logged at the end of these logs, {end:time}.", end=end.isoformat())


def _times(texts: list[str | None], clock: Clock) -> list[datetime]:
    """Those that can be read, in one zone; none where one cannot."""
    try:
        return [clock.at(datetime.fromisoformat(text)) for text in texts if text is not None]
    except (ValueError, OverflowError):
        return []
