"""Labels of a file: which service, host and environment it is from, and when it was taken."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

import msgspec

from mqdiag.errors import UsageError
from mqdiag.spelling import nearest
from mqdiag.text import say

UNKNOWN = "unknown"
_PARTS = ("service", "host", "environment", "time")
_LABEL = re.compile(r"[a-z][a-z0-9_.-]{0,39}", re.ASCII)
_SLIP = 0.75
"""likeness from which a name is a slip for that of a known part"""
MOST_LABELS = 20
LONGEST_LABEL = 256
"""characters of its value"""
_DATE_TIME = re.compile(
    r"(\d{4})-?(\d\d)-?(\d\d)(?:[T_-]?(\d\d)[:-]?(\d\d)(?:[:-]?(\d\d)(?:[.,]\d+)?)?)?Z?", re.ASCII
)
"""a date, or a date and time, in the spellings of file names"""


class Labels(msgspec.Struct, frozen=True, kw_only=True):
    """What a template or a manifest says about a file."""

    service: str = UNKNOWN
    host: str = UNKNOWN
    environment: str = ""
    time_ns: int | None = None
    """since 1970; None where only the file's own time is known"""
    more: tuple[tuple[str, str], ...] = ()
    """further labels by name, such as build or zone; some of them say what the name of the host does not"""


class Template:
    """A path with named parts, such as `{service}/{host}/{time}.hprof`.

    A name stands for a stretch without "/", `*` for any such stretch and `**` for anything. What follows a dot in the
    last part may carry one more ending: `.hprof` takes `.hprof.gz` too.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        names: list[str] = []
        pattern = ""
        for piece in re.split(r"(\{[^{}]*\}|\*\*|\*)", text.strip("/")):
            if piece == "**":
                pattern += ".*"
            elif piece == "*":
                pattern += "[^/]*"
            elif piece.startswith("{"):
                name = piece[1:-1]
                if name not in _PARTS and not is_label(name):
                    raise UsageError(
                        say(
                            "--template {text}: no part {piece}; there are {parts}, and labels of your own such as"
                            " {{build}}",
                            text=repr(text),
                            piece=piece,
                            parts=tuple(_PARTS),
                        )
                    )
                if name in names:
                    raise UsageError(say("--template {text}: has {piece} twice", text=repr(text), piece=piece))
                names.append(name)
                pattern += f"(?P<{name}>[^/]+?)"
            else:
                pattern += re.escape(piece)
        if not names:
            raise UsageError(
                say(
                    "--template {text} names no part; write {{service}}/{{host}}/{{time}}.hprof",
                    text=repr(text),
                )
            )
        self.names_host = "host" in names
        self._labels = [name for name in names if name not in _PARTS]
        self._pattern = re.compile(pattern + r"(?:\.gz)?", re.DOTALL)

    def labels(self, relative: str) -> Labels | None:
        """The labels of a path below the given folder; None when it does not fit."""
        found = self._pattern.fullmatch(relative)
        if found is None:
            return None
        parts = found.groupdict()
        time_ns = None
        if "time" in parts:
            time_ns = parse_time(parts["time"])
            if time_ns is None:
                return None
        return Labels(
            service=parts.get("service") or UNKNOWN,
            host=parts.get("host") or _stem(relative),
            environment=parts.get("environment") or "",
            time_ns=time_ns,
            more=further({name: parts[name] for name in self._labels}),
        )


def is_label(name: str) -> bool:
    """Whether a label of one's own can have a name: one that is nearly that of a known part is a slip."""
    if _LABEL.fullmatch(name) is None:
        return False
    return not any(known.startswith(name) or name.startswith(known) for known in _PARTS) and not nearest(
        name, _PARTS, alike=_SLIP
    )


def further(named: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Labels beside the known ones, by name, as far as they have a value."""
    told = ((name, value[:LONGEST_LABEL]) for name, value in sorted(named.items())[:MOST_LABELS])
    return tuple((name, value) for name, value in told if value)


def default_labels(relative: str) -> Labels:
    """The labels of a path without a template: service and host are the first two folders.

    With one folder that is the service, and a file without a host's folder is a host of its own: files of unknown
    origin must not be read as one incident.
    """
    folders = relative.split("/")[:-1]
    return Labels(
        service=folders[0] if folders else UNKNOWN,
        host=folders[1] if len(folders) > 1 else _stem(relative),
    )


def parse_time(text: str) -> int | None:
    """Nanoseconds since 1970 of a time as file names have it; without a zone it is UTC.

    Takes ISO 8601 in the usual spellings, and seconds or milliseconds since 1970.
    """
    text = text.strip()
    if re.fullmatch(r"\d{10}", text):
        return int(text) * 10**9
    if re.fullmatch(r"\d{13}", text):
        return int(text) * 10**6
    found = _DATE_TIME.fullmatch(text)
    try:
        if found is not None:
            year, month, day, hour, minute, second = (int(part or 0) for part in found.groups())
            moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
            return int(moment.timestamp()) * 10**9
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time_ns(moment)


def time_ns(moment: datetime) -> int:
    """Nanoseconds since 1970, to the millisecond; without a zone it is UTC."""
    known = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return int(known.timestamp() * 1000) * 10**6


def _stem(relative: str) -> str:
    """The whole path without the file's endings: unique, and a person finds the file by it."""
    folder, slash, name = relative.rpartition("/")
    return f"{folder.partition('/')[2]}{slash if '/' in folder else ''}{name.split('.')[0] or name}"
