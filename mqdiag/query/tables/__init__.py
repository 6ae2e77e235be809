"""The tables of every dump: each module has a `NAME`, an `ABOUT` and a function `table`.

To add a table, add a file; nothing is listed anywhere.
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
    about: str
    make: Callable[[Heap, bool], Table]
    """the table of a heap; True hides texts of the application"""


@cache
def known_tables() -> dict[str, KnownTable]:
    """All of them by name."""
    found = {}
    for module in pkgutil.iter_modules(__path__):
        loaded = importlib.import_module(f"{__name__}.{module.name}")
        found[module.name] = KnownTable(module.name, loaded.ABOUT, loaded.table)
    return found
