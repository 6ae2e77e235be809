"""Rows as a JSON list of objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from mqdiag.query.formats import Rows
from mqdiag.query.values import distinct_names, plain
from mqdiag.render.wording.ci_commands import Syntax, without_commands


def write(columns: Sequence[str], rows: Rows) -> Iterator[str]:
    """An object for each row, one a line."""
    names = distinct_names(columns)
    before, after = "[\n", "[]\n"
    for row in rows:
        values = {name: plain(value) for name, value in zip(names, row, strict=True)}
        yield before + without_commands(msgspec.json.encode(values).decode(), Syntax.JSON)
        before, after = ",\n", "\n]\n"
    yield after
