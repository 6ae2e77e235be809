"""The report as JSON, for programs: the public contract, described in `docs/report.md`."""

from __future__ import annotations

from typing import Any

import msgspec

from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.wording.ci_commands import Syntax
from mqdiag.report_json import to_values

SYNTAX = Syntax.JSON


def render(report: Report, view: View) -> str:
    """One JSON document; keys stand in the order of the types, so that two reports can be compared by eye."""
    try:
        data = msgspec.json.encode(to_values(report))
    except UnicodeEncodeError:
        # A path or a name from evidence holds half a surrogate pair, which UTF-8 has no bytes for.
        data = msgspec.json.encode(_without_surrogates(to_values(report)))
    return msgspec.json.format(data, indent=2).decode() + "\n"


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", errors="backslashreplace").decode()
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(inner) for inner in value]
    return value
