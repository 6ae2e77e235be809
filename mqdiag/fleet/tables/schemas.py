"""The tables of a fleet run: names, columns, types and meanings, as `mqdiag/knowledge/fleet_tables.toml` has them.

Plain values only, so that the process which makes the rows needs no pyarrow; `arrow` turns them into schemas.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from mqdiag.knowledge import packed

SCHEMA_VERSION = 2
"""written into every file as `mqdiag.schema_version`; raised when a column goes or changes its meaning"""

RUN, DAY = "run", "day"
"""columns in the names of folders: run=r20261122-020000/day=2026-11-21"""
KEPT_FACTS = "_facts"
"""folder of what was read of incidents"""
UNKNOWN_DAY = "unknown"
"""the day of incidents without a time"""


class Column(NamedTuple):
    """One column; every one can be null, which means unknown or not applicable."""

    name: str
    type: str
    """string, int64, double, bool, timestamp, list (of strings) or map (string to string)"""
    meaning: str
    field: str = ""
    """the field of the facts that it holds, if that has another name"""


SPARK_TYPES = {
    "string": "string",
    "int64": "bigint",
    "double": "double",
    "bool": "boolean",
    "timestamp": "timestamp",
    "list": "array<string>",
    "map": "map<string,string>",
}
"""names of the types of columns, as Spark writes them"""


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One table."""

    name: str
    meaning: str
    own: tuple[Column, ...] = msgspec.field(name="columns")
    leading: tuple[Column, ...] = ()
    partitions: tuple[str, ...] = (RUN, DAY)
    """columns in the names of its folders, outermost first"""
    of_run: bool = False
    """whether its rows are of a run as a whole, without the leading columns"""
    like: str = ""
    """name of a table whose own columns it has too"""

    @property
    def columns(self) -> tuple[Column, ...]:
        """The leading columns, then its own."""
        return self.leading + self.own


class _File(msgspec.Struct, forbid_unknown_fields=True):
    leading: tuple[Column, ...]
    table: tuple[Table, ...]


def _all_tables() -> dict[str, Table]:
    file = packed.decode(packed.ROOT, "fleet_tables", _File)
    found: dict[str, Table] = {}
    for table in file.table:
        leading = () if table.of_run else file.leading
        own = (*(found[table.like].own if table.like else ()), *table.own)
        found[table.name] = msgspec.structs.replace(table, leading=leading, own=own)
    return found


ALL_TABLES = _all_tables()
INPUTS, FINDINGS, CONSUMERS, QUEUES, CLASSES, THREADS, PEERS, LOCKS, FAILURES, INCIDENTS, HISTORY, *_, RUNS = (
    ALL_TABLES.values()
)
TABLES = {name: table for name, table in ALL_TABLES.items() if not table.of_run and table is not HISTORY}
"""the tables of incidents"""
BY_DAY = {name: table for name, table in TABLES.items() if DAY in table.partitions}
"""the tables of evidence, whose rows are written once, by the run that analysed them"""
