"""What the tables of every dump hold and what their columns mean, from `mqdiag/knowledge/query_tables.toml`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import msgspec

from mqdiag.knowledge import packed


class TableMeaning(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words of one table."""

    holds: str
    columns: dict[str, str]
    """what each means, by name, in the order of the table"""
    formerly: dict[str, str] = {}
    """names of today by names of older versions, which queries may still use"""


@cache
def table_meanings() -> dict[str, TableMeaning]:
    """All by the name of the table."""
    return packed.decode(packed.ROOT, "query_tables", dict[str, TableMeaning])


def column_rows() -> Iterator[tuple[str, str, str]]:
    """(table, column, meaning) of all columns, after a row of each table that says what it holds."""
    for name, table in table_meanings().items():
        yield name, "", table.holds
        for column, meaning in table.columns.items():
            yield name, column, meaning
