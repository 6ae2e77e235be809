"""From the row of a statement to what counts its lines: one way for all kinds, or a function of their own."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import Message
from mqdiag.logs.queues import queue_in
from mqdiag.logs.statements import Event, searched
from mqdiag.logs.tally import NOBODY, Subject

Handler = Callable[[Message, LogTally], None]
_THROWN = lazy_pattern(r"(?:Exception|Error)(?:\$\w{1,60})?: ")
"""the end of an exception's class, behind which its text begins"""
SUBJECTS = ("group", "topic", "broker", "member", "service", "account", "queue_id")
"""groups of a pattern that say what a line is about"""


class Counted:
    """Counts the lines of one event as its row says."""

    def __init__(self, event: Event) -> None:
        self._event = event
        self._pattern = re.compile(event.pattern) if event.pattern else None
        self._unless = re.compile(event.unless) if event.unless else None
        self._marks = {name: re.compile(pattern) for name, pattern in event.marks.items()}
        groups = self._pattern.groupindex if self._pattern is not None else {}
        self._about = tuple(name for name in SUBJECTS if name in groups)

    def __call__(self, message: Message, log: LogTally) -> None:
        """Count a line."""
        event, text = self._event, message.text
        found = None if self._pattern is None else self._pattern.search(text)
        if self._pattern is not None and found is None and not event.optional:
            return
        if self._unless is not None and self._unless.search(text) is not None:
            return
        if event.place != "frame" and text.lstrip().startswith("at "):
            return
        numbers = {} if found is None else {name: found[name] for name in (*event.largest, *event.smallest)}
        if any(int(numbers[name] or 0) < least for name, least in event.least.items()):
            return
        weight = int(found[event.sum]) if found is not None and event.sum else None
        told = _from_literal(message) if event.from_literal else ""
        tally = log.add(
            event.kind, message, self._subject(message, found), side=event.side, weight=weight, example=told
        )
        if tally is None:
            return
        for name in event.largest:
            if numbers.get(name) is not None:
                tally.keep_largest(name, int(numbers[name]))
        for name in event.smallest:
            if numbers.get(name) is not None:
                tally.keep_smallest(name, int(numbers[name]))
        for name, pattern in self._marks.items():
            if pattern.search(message.both) is not None:
                tally.keep_largest(name, 1)

    def _subject(self, message: Message, found: re.Match[str] | None) -> Subject:
        subject = queue_in(message.text) if "queue" in self._event.subject else NOBODY
        if "thread" in self._event.subject:
            subject = subject._replace(thread=message.thread())
        if found is None or not self._about:
            return subject
        told: dict[str, Any] = {name: found[name] for name in self._about if found[name] is not None}
        if "queue_id" in told:
            told["queue_id"] = int(told["queue_id"])
        return subject._replace(**told)


def _from_literal(message: Message) -> str:
    """The words of a line from its literal on, or of the exception whose text has it."""
    text = message.text
    at = max(text.find(searched().literals[message.hit.literal].decode()), 0)
    begin = text.rfind("\n", 0, at) + 1
    classes = list(_THROWN.finditer(text, begin, at))
    return text[classes[-1].end() if classes else at :].partition("\n")[0]


@cache
def handler_of(place: int) -> Handler:
    """What counts the lines of an event, by its place among those that are searched for."""
    event = searched().events[place]
    return python_handler(event.handler) if event.handler else Counted(event)


def python_handler(name: str) -> Handler:
    """The function that a row names.

    Raises:
        LookupError: there is none.
    """
    module, _, function = name.partition(".")
    try:
        handler: Handler = getattr(import_module(f"mqdiag.logs.{module}"), function)
    except (ImportError, AttributeError):
        raise LookupError(f"expected a function of mqdiag.logs, such as store.disk, and not {name}") from None
    return handler
