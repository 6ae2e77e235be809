"""Rows as a JSON list of objects."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from mqdiag.query.formats import Rows
from mqdiag.query.values import distinct_names, plain
from mqdiag.render.wording.ci_commands import without_commands


def write(columns: Sequence[str], rows: Rows) -> str:
    """An object for each row, one a line."""
    names = distinct_names(columns)
    lines = [
        msgspec.json.encode({name: plain(value) for name, value in zip(names, row, strict=True)}).decode()
        for row in rows
    ]
    return without_commands("[\n" + ",\n".join(lines) + "\n]\n" if lines else "[]\n", "json")
