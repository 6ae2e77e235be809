"""A value as the text of a cell, made so that no spreadsheet takes it for a formula."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

import msgspec

from mqdiag.language import Writer
from mqdiag.render.wording.safe import safe
from mqdiag.report_json import encoded
from mqdiag.text import Text

# What starts a formula in Excel, LibreOffice and Google Sheets, the full-width forms included. Where the decimal sign
# is a comma, spreadsheets take the semicolon for the separator.
_FORMULA = re.compile(r"(^|;)(?=[\s\"']*[=+\-@＝＋－＠])")


def cell(value: Any, write: Writer) -> str:
    """Empty for what is unknown; numbers as they are; texts with an apostrophe before what could be a formula."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, date):
        return value.isoformat()
    text = write(value) if isinstance(value, str | Text) else _compact(value)
    return _FORMULA.sub(r"\1'", safe(text, limit=None))


def _compact(value: Any) -> str:
    """A list of texts line by line would break rows apart in simple readers, so lists and tables are JSON."""
    return msgspec.json.encode(_plain(msgspec.to_builtins(value, enc_hook=encoded))).decode()


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return safe(value, limit=None)
    if isinstance(value, dict):
        return {_plain(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value
