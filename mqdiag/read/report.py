"""Reports that mqdiag saved as JSON, read back as what they were made from."""

from __future__ import annotations

import gzip
import re
import zlib
from pathlib import Path
from typing import BinaryIO

import msgspec

from mqdiag.errors import InputError
from mqdiag.findings import Report
from mqdiag.read.sniff import HEAD_BYTES, Content, content_of
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
    """Read a saved report, packed by gzip or not.

    Args:
        path: the file.
        name: what the user calls it, where that is not `path`.

    Raises:
        InputError: it is none, or one of a later kind.
    """
    shown = name or path
    try:
        with Path(path).open("rb") as file:
            packed = content_of(file.read(HEAD_BYTES)) is Content.GZIP
            file.seek(0)
            data = _unpacked(file, shown) if packed else file.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(shown, say("cannot be read: {reason}", reason=str(error.strerror or error))) from None
    if len(data) > MOST_BYTES:
        raise InputError(shown, say("has more than 1 GiB, too much for a report"), hint=HINT)
    try:
        report = from_json(data.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        problem = str(error).replace("`", "")
        raise InputError(shown, say("is no report of mqdiag: {problem}", problem=problem), hint=HINT) from None
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


def _unpacked(file: BinaryIO, shown: str) -> bytes:
    """What a gzip file holds; one byte more than a report may have where it holds more.

    Raises:
        InputError: it is cut or damaged.
    """
    try:
        with gzip.GzipFile(fileobj=file) as packed:
            return packed.read(MOST_BYTES + 1)
    except EOFError:
        raise InputError(shown, say("is packed, and its end is missing")) from None
    except (gzip.BadGzipFile, zlib.error):
        raise InputError(shown, say("is packed, and damaged")) from None
