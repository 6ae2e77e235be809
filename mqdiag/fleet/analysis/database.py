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

_LEAST_MEMORY_BYTES = 64 << 20
"""below this DuckDB does not even begin to use the disk"""
_MEMORY_SHARE = 4
"""the database takes no more than one part in so many of the memory that is available"""
_MEMORY_BYTES = 256 << 20
"""what needs more goes to the disk: up to the bound DuckDB would keep everything in memory"""
_USUAL_INCIDENTS = 100_000
_INCIDENT_BYTES = 1 << 10
"""more for each further incident: lists of hosts and joins need it, and cannot go to the disk as a whole"""
_THREADS = 2
"""each needs memory of its own"""
_GROUP_ROWS = 8_192
"""rows that are in memory together before they are compressed"""


@contextlib.contextmanager
def comparisons() -> Iterator[duckdb.DuckDBPyConnection]:
    """A database for the tables of runs, which is gone afterwards.

    Raises:
        MqdiagError: DuckDB or Arrow cannot do what it was asked to: a table is damaged, or memory or disk is full.
    """
    try:
        with _database() as base:
            yield base
    except (MemoryError, duckdb.Error, pa.ArrowException) as error:
        raise comparison_error(error) from error


def comparison_error(error: Exception) -> MqdiagError:
    """What a user is told when the comparison fails.

    Args:
        error: of DuckDB, of Arrow or of the storage.
    """
    if isinstance(error, MemoryError | duckdb.OutOfMemoryException):
        text = say(
            "the comparison of the instances needs more memory or disk than there is: {reason}; the tables of finished"
            " runs are kept",
            reason=first_line(error),
        )
    else:
        text = say("the tables of the fleet could not be read or compared: {reason}", reason=first_line(error))
    return MqdiagError(text)


@contextlib.contextmanager
def _database() -> Iterator[duckdb.DuckDBPyConnection]:
    with tempfile.TemporaryDirectory(prefix="mqdiag-compare-") as folder:
        config: dict[str, str | bool | int | float | list[str]] = {
            # Nothing is fetched.
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "temp_directory": folder,
            "memory_limit": memory_limit(_USUAL_INCIDENTS),
            "threads": _THREADS,
            # Every answer that has an order says so.
            "preserve_insertion_order": "false",
        }
        with duckdb.connect(config=config) as base:
            file = f"{folder}/tables.duckdb".replace("'", "''")
            base.execute(f"ATTACH '{file}' AS copied (ROW_GROUP_SIZE {_GROUP_ROWS})")
            base.execute("CREATE SEQUENCE copied.finding_numbers")
            yield base


def memory_limit(incidents: int) -> str:
    """What DuckDB may take for a run, as it writes sizes."""
    wanted = _MEMORY_BYTES + _INCIDENT_BYTES * max(0, incidents - _USUAL_INCIDENTS)
    available = available_bytes()
    if available is not None:
        wanted = min(wanted, max(available // _MEMORY_SHARE, _LEAST_MEMORY_BYTES))
    return f"{wanted >> 10}KiB"


def run_tables(base: duckdb.DuckDBPyConnection, run: str) -> duckdb.DuckDBPyConnection:
    """A connection in which the names of tables and views are those of one run.

    Args:
        base: what `comparisons` gave; it may have the tables of other runs too.
        run: its name.
    """
    connection = base.cursor()
    place = schema_of(run)
    connection.execute(
        f"SET TimeZone = 'UTC'; CREATE SCHEMA IF NOT EXISTS {place}; USE {place};\n{DUCKDB_FUNCTIONS}"
    )
    return connection


def schema_of(run: str) -> str:
    """Where the tables of a run are in the database, for which "Night" and "night" are one name."""
    return f"copied.run_{run.encode().hex()}"


def select(name: str) -> str:
    """The SELECT of a view, or of a comparison that only reports ask for."""
    if name in VIEWS:
        return view_select(name)
    return files(__package__).joinpath(f"{name}.sql").read_text(encoding="utf-8")
