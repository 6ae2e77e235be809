"""The views as one script for an engine, with the places of an output's tables filled in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.resources import files
from typing import Literal

import msgspec

from mqdiag.fleet.tables.schemas import ALL_TABLES, SPARK_TYPES, Table
from mqdiag.knowledge import packed

Engine = Literal["duckdb", "spark"]

VIEWS = (
    "current_incidents",
    "current_findings",
    "current_consumers",
    "current_failures",
    "gone_hosts",
    "latest_consumers",
    "unrefuted_findings",
    "evidence_history",
    "gone_history",
    "fault_checks",
    "fault_episodes",
    "fault_times",
    "open_findings",
    "recovered",
    "repair_times",
    "freshness",
    "workload_state",
    "current_state",
    "trend",
    "drift",
    "capacity",
)
"""each after those that it asks"""

DUCKDB_FUNCTIONS = """\
-- Functions under the names that Spark has for them.
CREATE OR REPLACE TEMP MACRO explode(list) AS unnest(list);
CREATE OR REPLACE TEMP MACRO collect_set(each) AS list(DISTINCT each);
CREATE OR REPLACE TEMP MACRO slice(list, begin_at, length) AS list_slice(list, begin_at, begin_at + length - 1);
CREATE OR REPLACE TEMP MACRO array_join(list, separator) AS array_to_string(list, separator);
CREATE OR REPLACE TEMP MACRO size(list) AS len(list);
CREATE OR REPLACE TEMP MACRO unix_micros(moment) AS epoch_us(moment);
CREATE OR REPLACE TEMP MACRO arrays_overlap(one, other) AS list_has_any(one, other);
"""


DUCKDB_TYPES = {
    "string": "VARCHAR",
    "int64": "BIGINT",
    "double": "DOUBLE",
    "bool": "BOOLEAN",
    "timestamp": "TIMESTAMPTZ",
    "list": "VARCHAR[]",
    "map": "MAP(VARCHAR, VARCHAR)",
}
"""names of the types of columns, as DuckDB writes them"""


class View(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of a view that people ask."""

    columns: dict[str, str]
    """meaning of each, in their order"""
    like: str = ""
    """name of a table whose columns it has before its own"""
    unique: tuple[str, ...] = ()
    """columns that no two rows have the same"""
    not_null: tuple[str, ...] = ()
    values: dict[str, tuple[str, ...]] = {}
    """the only ones of a column"""


def told_views() -> dict[str, View]:
    """The views that people ask, by name."""
    return packed.decode(packed.ROOT, "fleet_views", dict[str, View])


def view_select(name: str) -> str:
    """The SELECT of a view, with the comment that says what it is."""
    if name == "gone_history":
        return view_select("gone_hosts").replace("FROM current_incidents", "FROM evidence_history")
    return files(__package__).joinpath(f"{name}.sql").read_text(encoding="utf-8")


def views_script(out: str, engine: Engine) -> str:
    """All views, and the tables below them.

    Args:
        out: path or URI of the output, as the engine finds it. A table that a folder lacks, as those of
            older versions do, is empty.
        engine: whose SQL it is.
    """
    write = {"duckdb": _duckdb_table, "spark": _spark_table}[engine]

    def table(out: str, one: Table) -> str:
        lacks = os.path.isdir(out) and not os.path.isdir(f"{out}/{one.name}")
        return _empty_table(one, engine) if lacks else write(out, one)

    zone = {"duckdb": "SET TimeZone = 'UTC';\n", "spark": "SET TIME ZONE 'UTC';\n"}[engine]
    parts = [zone + "".join(table(out, one) for one in ALL_TABLES.values())]
    parts += [DUCKDB_FUNCTIONS] if engine == "duckdb" else []
    told = told_views()
    for name in VIEWS:
        view = told.get(name, View({}))
        columns = _spark_columns(view) if engine == "spark" else ""
        parts.append(f"CREATE OR REPLACE TEMP VIEW {name}{columns} AS\n{view_select(name).rstrip()};\n")
        if engine == "duckdb" and view.columns:
            parts.append("".join(_duckdb_comments(name, view)))
    return "\n".join(parts)


def _duckdb_comments(name: str, view: View) -> Iterator[str]:
    for column, meaning in view.columns.items():
        yield f"COMMENT ON COLUMN {name}.{column} IS '{_quoted(meaning)}';\n"


def _spark_columns(view: View) -> str:
    """A comment needs a name for every column, and only the session knows those of a table."""
    if view.like or not view.columns:
        return ""
    listed = ", ".join(f"{column} COMMENT '{_escaped(meaning)}'" for column, meaning in view.columns.items())
    return f" ({listed})"


def _quoted(text: str) -> str:
    return text.replace("'", "''")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")


def _empty_table(table: Table, engine: Engine) -> str:
    types = {"duckdb": DUCKDB_TYPES, "spark": SPARK_TYPES}[engine]
    kinds = {**{one.name: one.type for one in table.columns}, **dict.fromkeys(table.partitions, "string")}
    columns = ", ".join(f"CAST(NULL AS {types[kind]}) AS {name}" for name, kind in kinds.items())
    return f"CREATE OR REPLACE TEMP VIEW {table.name} AS SELECT {columns} WHERE false;\n"


def _duckdb_table(out: str, table: Table) -> str:
    """Columns from folders stay text: a day of `unknown` would make the type depend on the data."""
    types = ", ".join(f"{name}: VARCHAR" for name in table.partitions)
    place = _quoted(f"{out}/{table.name}/**/*.parquet")
    return (
        f"CREATE OR REPLACE TEMP VIEW {table.name} AS SELECT * FROM read_parquet(\n"
        f"    '{place}', hive_partitioning = true, hive_types = {{{types}}}, union_by_name = true);\n"
    )


def _spark_table(out: str, table: Table) -> str:
    place = _escaped(f"{out}/{table.name}")
    columns = ", ".join(f"`{one.name}` {SPARK_TYPES[one.type]}" for one in table.columns)
    partitions = ", ".join(f"`{name}` string" for name in table.partitions)
    return (
        f"CREATE OR REPLACE TEMP VIEW {table.name} ({columns}, {partitions})\n"
        f"USING parquet OPTIONS (path '{place}');\n"
    )
