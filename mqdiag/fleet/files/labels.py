"""Labels of a file: which service, host and environment it is from, and when it was taken."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import msgspec

from mqdiag.errors import UsageError
from mqdiag.text import say

UNKNOWN = "unknown"
_PARTS = ("service", "host", "environment", "time")
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
                if name not in _PARTS:
                    raise UsageError(
                        say(
                            "--template {text}: no part {piece}; there are {parts}",
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
        )


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
