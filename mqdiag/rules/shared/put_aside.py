"""What a listener returns to put aside a message that always fails; an orderly listener returns another value."""

from __future__ import annotations

from mqdiag.facts.logs import LogsFacts
from mqdiag.rules.shared.log_events import by_group
from mqdiag.text import Text, say

PUT_ASIDE = say(
    "Catch what a retry cannot heal: store the message, and return CONSUME_SUCCESS (ConsumeOrderlyStatus.SUCCESS in an"
    " orderly listener)."
)
"""where it is not known whether the listener is orderly"""
_CONCURRENT = say("Catch what a retry cannot heal: store the message, and return CONSUME_SUCCESS.")
_ORDERLY = say("Catch what a retry cannot heal: store the message, and return ConsumeOrderlyStatus.SUCCESS.")
_ORDERLY_LINES = ("consume-orderly-suspended",)


def put_aside(*, orderly: bool | None) -> Text:
    """How a listener ends the retries of a message."""
    if orderly is None:
        return PUT_ASIDE
    return _ORDERLY if orderly else _CONCURRENT


def logged_as_orderly(logs: LogsFacts, group: str | None) -> bool | None:
    """True where lines about the group come from ConsumeMessageOrderlyService; None where none does."""
    if group is None:
        return None
    suspended = any(row.group == group for row in logs.suspended_queues)
    return True if suspended or group in by_group(logs, *_ORDERLY_LINES) else None
