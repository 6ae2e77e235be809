"""SQL over a heap dump: tables that are read from the graph while DuckDB asks for them.

`session.Session` answers queries. A table is a file in `tables`, a way to write the rows a file in `formats`, a ready
query a `.sql` file in `recipes`. DuckDB and pyarrow are an extra: `refuse_without_packages` comes before any import of
`session`.
"""

from mqdiag.query.packages import refuse_without_packages

__all__ = ["refuse_without_packages"]
