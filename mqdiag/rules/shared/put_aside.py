"""What a listener returns to end the retries of a message, or to get it later; an orderly one has values of its own."""

from __future__ import annotations

from mqdiag.facts.logs import LogsFacts
from mqdiag.knowledge.words import Words
from mqdiag.log_events import by_group
from mqdiag.text import Text

WORDS = Words("put_aside")
_KINDS = {None: "", True: "_orderly", False: "_concurrent"}
_ORDERLY_LINES = ("consume-orderly-suspended",)


def put_aside(*, orderly: bool | None) -> Text:
    """How a listener ends the retries of a message; None where it is not known whether it is orderly."""
    return WORDS.say("put_aside" + _KINDS[orderly])


def try_later(*, orderly: bool | None) -> Text:
    """How a listener has a message delivered again; None where it is not known whether it is orderly."""
    return WORDS.say("try_later" + _KINDS[orderly])


def logged_as_orderly(logs: LogsFacts, group: str | None) -> bool | None:
    """True where lines about the group come from ConsumeMessageOrderlyService; None where none does."""
    if group is None:
        return None
    suspended = any(row.group == group for row in logs.suspended_queues)
    return True if suspended or group in by_group(logs, *_ORDERLY_LINES) else None
