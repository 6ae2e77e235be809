"""Questions in SQL over the tables of a run: the views of `mqdiag.fleet.views`, and the files beside this one."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from importlib.resources import files

import duckdb

from mqdiag.fleet.views.script import DUCKDB_FUNCTIONS, VIEWS, view_select

MEMORY = "25%"
"""of the machine's or the container's memory; what needs more goes to the disk"""


@contextlib.contextmanager
def comparisons() -> Iterator[duckdb.DuckDBPyConnection]:
    """A database for the tables of runs, which is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="mqdiag-compare-") as folder:
        config: dict[str, str | bool | int | float | list[str]] = {
            # Nothing is fetched.
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "temp_directory": folder,
        }
        with duckdb.connect(config=config) as base:
            base.execute(f"SET memory_limit = '{MEMORY}'")
            yield base


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
