"""SQL over a heap dump: tables that are read from the graph while DuckDB asks for them.

`session.Session` answers queries. A table is a file in `tables`, a way to write the rows a file in `formats`, a ready
query a `.sql` file in `recipes`. DuckDB and pyarrow are an extra: `refuse_without_packages` comes before any import of
`session`.
"""

from __future__ import annotations

from importlib.util import find_spec

from mqdiag.errors import UsageError
from mqdiag.extras import how_to_add

_NEEDED = ("duckdb", "pyarrow")


def refuse_without_packages() -> None:
    """Say how to install what queries need, where it is not there.

    Raises:
        UsageError: a package is missing.
    """
    missing = tuple(name for name in _NEEDED if find_spec(name) is None)
    if missing:
        raise UsageError(how_to_add("query", missing))
