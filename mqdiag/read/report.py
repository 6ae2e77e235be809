"""Reports that mqdiag saved as JSON, read back as what they were made from."""

from __future__ import annotations

import re

import msgspec

from mqdiag.errors import InputError
from mqdiag.findings import Report
from mqdiag.read.open.door import members
from mqdiag.report_json import from_json
from mqdiag.text import say

MOST_BYTES = 1 << 30
HINT = say("give what --format json wrote")
_START = re.compile(rb'\s*\{\s*"schema_version"\s*:\s*\d+\s*,\s*"mqdiag"\s*:')
VERSION = 1


def is_report(head: bytes) -> bool:
    """Whether a file begins as a saved report does."""
    return _START.match(head.removeprefix(b"\xef\xbb\xbf")) is not None


def read_report(path: str, name: str | None = None) -> Report:
    """Read a saved report, packed in any way.

    Args:
        path: the file.
        name: what the user calls it, where that is not `path`.

    Raises:
        InputError: it is none, or one of a later kind.
    """
    shown = name or path
    data = _content(path, shown)
    if len(data) > MOST_BYTES:
        raise InputError(shown, say("has more than 1 GiB, too much for a report"), hint=HINT)
    try:
        report = from_json(data.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        problem = str(error).replace("`", "")
        raise InputError(
            shown, say("is not a report of mqdiag: {problem}", problem=problem), hint=HINT
        ) from None
    if report.schema_version > VERSION:
        raise InputError(
            shown,
            say(
                "is a report of schema version {schema_version}; this mqdiag reads up to {newest}",
                schema_version=report.schema_version,
                newest=VERSION,
            ),
        )
    return report


def _content(path: str, shown: str) -> bytes:
    """What a file holds; more than a report may have where it holds more."""
    data = bytearray()
    try:
        for _, chunks in members(path):
            for chunk in chunks:
                data += chunk
                if len(data) > MOST_BYTES:
                    return bytes(data)
            break
    except InputError as error:
        raise error.of(shown) from None
    return bytes(data)
