"""Questions in SQL over the tables of a run: the views of `mqdiag.fleet.views`, and the files beside this one."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from importlib.resources import files

import duckdb
import pyarrow as pa

from mqdiag.errors import MqdiagError, first_line
from mqdiag.fleet.views.script import DUCKDB_FUNCTIONS, VIEWS, view_select
from mqdiag.read.available_memory import available_bytes
from mqdiag.text import say

_MEMORY_SHARE = 4
"""the database takes one part in so many of the memory that is available; what needs more goes to the disk"""
_LEAST_MEMORY_BYTES = 64 << 20
"""below this DuckDB does not even begin to use the disk"""
_USUAL_MEMORY_BYTES = 1 << 30
"""where the system does not tell how much memory is available"""


@contextlib.contextmanager
def comparisons() -> Iterator[duckdb.DuckDBPyConnection]:
    """A database for the tables of runs, which is gone afterwards.

    Raises:
        MqdiagError: DuckDB or Arrow cannot do what it was asked to: a table is damaged, or memory or disk is full.
    """
    try:
        with _database() as base:
            yield base
    except (duckdb.Error, pa.ArrowException) as error:
        raise MqdiagError(
            say("the tables of the fleet could not be read or compared: {reason}", reason=first_line(error))
        ) from error


@contextlib.contextmanager
def _database() -> Iterator[duckdb.DuckDBPyConnection]:
    with tempfile.TemporaryDirectory(prefix="mqdiag-compare-") as folder:
        config: dict[str, str | bool | int | float | list[str]] = {
            # Nothing is fetched.
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "temp_directory": folder,
            "memory_limit": f"{_memory_bytes() >> 10}KiB",
        }
        with duckdb.connect(config=config) as base:
            yield base


def _memory_bytes() -> int:
    available = available_bytes()
    if available is None:
        return _USUAL_MEMORY_BYTES
    return max(available // _MEMORY_SHARE, _LEAST_MEMORY_BYTES)


def run_tables(base: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """A connection in which the names of tables and views are those of one run.

    Args:
        base: what `comparisons` gave; it may have the tables of other runs too.
    """
    connection = base.cursor()
    connection.execute(f"SET TimeZone = 'UTC';\n{DUCKDB_FUNCTIONS}")
    return connection


def select(name: str) -> str:
    """The SELECT of a view, or of a comparison that only reports ask for.

    Args:
        name: of its file.
    """
    if name in VIEWS:
        return view_select(name)
    return files(__package__).joinpath(f"{name}.sql").read_text(encoding="utf-8")
