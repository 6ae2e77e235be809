"""The tables of every dump: each module has a function `table`.

To add a table, add a file, and its words to `mqdiag/knowledge/query_tables.toml`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache

import msgspec

from mqdiag.graph import Heap
from mqdiag.query.table import Table


class KnownTable(msgspec.Struct, frozen=True):
    """A table that every dump has."""

    name: str
    make: Callable[[Heap, bool], Table]
    """the table of a heap; True hides texts of the application"""


@cache
def table_names() -> tuple[str, ...]:
    """The names of all, by which no module is imported."""
    return tuple(module.name for module in pkgutil.iter_modules(__path__))


def known_table(name: str) -> KnownTable | None:
    """The table of a name, whatever its case; None where there is none."""
    if name.lower() not in table_names():
        return None
    loaded = importlib.import_module(f"{__name__}.{name.lower()}")
    return KnownTable(name.lower(), loaded.table)
