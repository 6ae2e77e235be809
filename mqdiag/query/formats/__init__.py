"""How the rows of an answer are written: each module has a function `write(columns, rows)` that yields whole lines.

The rows are taken one by one, so that an answer may be larger than the memory. A table is not: its widths follow from
all rows.

Parquet is no format of rows: `mqdiag.query.parquet` makes it from Arrow.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

Rows = Iterable[Sequence[Any]]


def formats() -> tuple[str, ...]:
    """The names of all formats; the one for a person first."""
    found = {module.name for module in pkgutil.iter_modules(__path__)}
    return tuple(sorted(found, key=lambda name: (name != "table", name)))


def row_writer(name: str) -> Callable[[Sequence[str], Rows], Iterator[str]]:
    """Import a format's function."""
    write: Callable[[Sequence[str], Rows], Iterator[str]] = importlib.import_module(f"{__name__}.{name}").write
    return write
