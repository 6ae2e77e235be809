"""The answers that a busy broker gives to senders, in the words of its own code."""

from __future__ import annotations

from mqdiag.facts.logs import LogEvent
from mqdiag.knowledge.words import Words
from mqdiag.log_events import when
from mqdiag.text import Text

WORDS = Words("busy_answers")

BUSY_TEXTS = {
    "busy-reject": "[REJECTREQUEST]",
    "busy-overload": "[OVERLOAD]",
    "busy-pc-synchronized": "[PC_SYNCHRONIZED]",
    "busy-pc-clean": "[PCBUSY_CLEAN_QUEUE]",
    "busy-timeout-clean": "[TIMEOUT_CLEAN_QUEUE]",
}
"""what the answer says, by the event's kind"""
REJECT = "busy-reject"
"""a busy page cache and a pool without buffers give this answer"""
ONLY_PAGE_CACHE = ("busy-pc-synchronized", "busy-pc-clean")
"""only a busy page cache gives these"""


def answer_lines(found: list[LogEvent]) -> tuple[Text, ...]:
    """One sentence for each kind of answer; their numbers are those of `log_events.counted`."""
    return tuple(
        WORDS.say(
            "answer-lines",
            logged_by=WORDS.say("senders" if event.side == "client" else "broker"),
            lines=event.count,
            answer=BUSY_TEXTS.get(event.kind, event.kind),
            when=when(event),
        )
        for event in found
    )
