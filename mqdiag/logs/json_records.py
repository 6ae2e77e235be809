"""A line that a collector or a logger put into JSON: its text, its level, its logger."""

from __future__ import annotations

import msgspec

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.logs.heads import NO_HEAD, Head, level_of
from mqdiag.read.logs.levels import begins_record

_TEXT_KEYS = ("log", "message", "msg", "MESSAGE", "textPayload", "@message", "short_message")
STACK_KEYS = (
    "stack_trace",
    "stack",
    "exception",
    "error.stack_trace",
    "throwable",
    "error",
    "err",
    "stacktrace",
)
"""keys of records in JSON under which loggers put an exception with its stack"""
_THREAD_KEYS = ("thread", "thread_name", "threadName")
LONGEST_BEFORE_JSON = 200
"""bytes before the JSON of a collector"""
_CRI = lazy_pattern(rb"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d) (?:stdout|stderr) [PF] ")
_COLOUR = lazy_pattern(rb"\x1b\[[\d;]*[A-Za-z]")
_decode = msgspec.json.Decoder().decode
_JSON_LEVEL = lazy_pattern(rb'"(?:level|severity|log\.level|levelname)" ?: ?"?(\w+)')
_HEAD_WORDS = (b"level", b"severity", b"ogger")
_MARK, _ESCAPE = b'"\x1b'
"""bytes without which a line has no key, and no colour: few lines have them, and a byte is found at once"""
_LEVELS_OF_GELF = ("ERROR", "ERROR", "ERROR", "ERROR", "WARN", "INFO", "INFO", "DEBUG")
"""by their numbers, which are those of syslog"""
_DIGITS_OF_GELF = frozenset(str(number) for number in range(len(_LEVELS_OF_GELF)))
_JSON_LOGGER = lazy_pattern(rb'"(?:_?(?:[lL]ogger(?:_?[nN]ame)?|log_logger)|log\.logger)" ?: ?"([^"]{1,200})"')
_OF_A_LOGGER = lazy_pattern(
    rb'"(?:message|msg|short_message|text|event|level|severity|log\.level|levelname)" ?: ?"?\w'
)
"""a key that loggers write and collectors of bare lines do not: these have log, MESSAGE and others"""
_RECORD_IN_RECORD = lazy_pattern(
    rb'^.{0,200}?"(?:log|message|msg|MESSAGE|textPayload|@message)" ?: ?"\s*\{(?=\\")'
)
"""the value of a collector's key that is a record itself; in one that only holds braces, they are somebody's text"""
OF_STACK = lazy_pattern(
    r"at \S|\.\.\. \d|(?:Caused by|Suppressed): \S|(?:[a-z]\w{0,60}\.){1,12}[A-Z][\w$]{0,100}(?::|$)"
)
"""how a line of a stack, or of its exception, begins"""


def unwrapped(line: bytes) -> tuple[str, str | None]:
    """(the text without a collector's wrapper, the thread if the wrapper names it)."""
    if line[10:11] == b"T":
        found = _CRI.match(line)
        if found is not None:
            line = line[found.end() :]
    if _ESCAPE in line:
        line = _COLOUR.sub(b"", line)
    if line.endswith((b"}", b"\r", b" ", b"\t")) and line.rstrip().endswith(b"}"):
        brace = line.find(b"{", 0, LONGEST_BEFORE_JSON)
        if brace >= 0 and b'":' in line:
            return _of_json(line[brace:]) or (line.decode(errors="replace"), None)
    return line.decode("utf-8", "replace"), None


def collector_of(line: bytes) -> bytes:
    """What containerd put before a line; nothing without it."""
    found = _CRI.match(line) if line[10:11] == b"T" else None
    return b"" if found is None else found[0]


def _of_json(line: bytes, *, within: bool = False) -> tuple[str, str | None] | None:
    try:
        entry = _decode(line)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    if isinstance(entry, dict) and isinstance(entry.get("_source"), dict):
        # an export out of Elasticsearch
        entry = entry["_source"]
    if not isinstance(entry, dict):
        return None
    text = _first_text(entry, _TEXT_KEYS)
    if text is None:
        if "" not in map(entry.get, _TEXT_KEYS):
            return None
        text = ""  # a blank line
    if not within and text[:1] == "{" and text.rstrip().endswith("}"):
        # a record in JSON, as a container printed it
        inner = _of_json(text.encode(), within=True)
        if inner is not None:
            return inner
    stack = _first_text(entry, STACK_KEYS)
    return f"{text}\n{stack}" if stack else text, _first_text(entry, _THREAD_KEYS)


def wrapped_head(line: bytes) -> Head:
    """Level and logger of a record in JSON, as far as its keys tell."""
    if _MARK not in line or not any(word in line for word in _HEAD_WORDS):
        return NO_HEAD
    line = _with_record_inside(line)
    level, logger = _JSON_LEVEL.search(line), _JSON_LOGGER.search(line)
    word = None if level is None else level[1].decode()
    return Head(
        None if word is None else _LEVELS_OF_GELF[int(word)] if _is_of_gelf(word, line) else level_of(word),
        None if logger is None else logger[1].decode(errors="replace"),
    )


def _is_of_gelf(level: str, line: bytes) -> bool:
    return level in _DIGITS_OF_GELF and b'"short_message"' in line


def is_in_json(line: bytes) -> bool:
    """Whether a line is a record in JSON that names its level or its logger."""
    return line.rstrip().endswith(b"}") and wrapped_head(line) != NO_HEAD


def is_nameless_record(line: bytes, text: str) -> bool:
    """Whether a line is a record in JSON that names neither, and no line of a program that a collector put into JSON.

    Args:
        line: as it stands in the log.
        text: the same without a collector's wrapper.
    """
    return (
        b"{" in line[:LONGEST_BEFORE_JSON]
        and line.rstrip().endswith(b"}")
        and wrapped_head(line) == NO_HEAD
        and _OF_A_LOGGER.search(_with_record_inside(line)) is not None
        and not (begins_record(text) or OF_STACK.match(text.lstrip()))
    )


def _with_record_inside(line: bytes) -> bytes:
    """A line with the record in it as if it stood there by itself."""
    inner = _RECORD_IN_RECORD.search(line) if b'\\"' in line else None
    return line if inner is None else line[: inner.end()] + line[inner.end() :].replace(b'\\"', b'"')


def _first_text(entry: dict[str, object], keys: tuple[str, ...]) -> str | None:
    for key in keys:
        value = entry.get(key)
        if isinstance(value, str) and value:
            return value
    return None
