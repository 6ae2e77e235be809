"""Logs from text, for tests."""

from __future__ import annotations

from mqdiag.facts import LogsFacts
from mqdiag.facts.logs import LogEvent
from mqdiag.logs.build import logs_facts
from mqdiag.logs.reader import LogsReader, ReadLog

BROKER = "2026-11-21 20:00:{second:02d} {level} {thread} - {text}\n"
CLIENT_4 = "2026-11-21 12:00:{second:02d},0{second:02d} {level} RocketmqClient - {text}\n"
CLIENT_5 = "2026-11-21 20:00:{second:02d}.123 {level}  [1234] [{thread}] [o.a.r.c.i.c.X#y:1] - {text}\n"


def read(text: str | bytes, name: str = "some.log", chunk: int = 1 << 20) -> ReadLog:
    """One log, in chunks of so many bytes."""
    data = text if isinstance(text, bytes) else text.encode()
    return LogsReader().read(name, (data[at : at + chunk] for at in range(0, len(data), chunk)))


def facts(*texts: str | bytes, names: tuple[str, ...] = (), utc_offset_minutes: int | None = None) -> LogsFacts:
    """Facts of one log for each text."""
    names = names or tuple(f"host{number}/some.log" for number in range(len(texts)))
    return logs_facts([read(text, name) for text, name in zip(texts, names, strict=True)], utc_offset_minutes)


def line(text: str, form: str = BROKER, *, second: int = 1, thread: str = "main", level: str = "WARN") -> str:
    """One line of a log."""
    return form.format(second=second, thread=thread, text=text, level=level)


def only_event(logs: LogsFacts) -> LogEvent:
    """The one event that there is."""
    (event,) = logs.events
    return event
