"""What a listener returns to end the retries of a message, or to get it later; an orderly one has values of its own."""

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
TRY_LATER = say(
    "Let the listener return RECONSUME_LATER (SUSPEND_CURRENT_QUEUE_A_MOMENT in an orderly listener) where such a call"
    " fails, and give the call a timeout."
)
"""where it is not known whether the listener is orderly"""
_LATER_CONCURRENT = say(
    "Let the listener return RECONSUME_LATER where such a call fails, and give the call a timeout."
)
_LATER_ORDERLY = say(
    "Let the listener return SUSPEND_CURRENT_QUEUE_A_MOMENT where such a call fails, and give the call a timeout."
)
_ORDERLY_LINES = ("consume-orderly-suspended",)


def put_aside(*, orderly: bool | None) -> Text:
    """How a listener ends the retries of a message."""
    if orderly is None:
        return PUT_ASIDE
    return _ORDERLY if orderly else _CONCURRENT


def try_later(*, orderly: bool | None) -> Text:
    """How a listener has a message delivered again."""
    if orderly is None:
        return TRY_LATER
    return _LATER_ORDERLY if orderly else _LATER_CONCURRENT


def logged_as_orderly(logs: LogsFacts, group: str | None) -> bool | None:
    """True where lines about the group come from ConsumeMessageOrderlyService; None where none does."""
    if group is None:
        return None
    suspended = any(row.group == group for row in logs.suspended_queues)
    return True if suspended or group in by_group(logs, *_ORDERLY_LINES) else None
