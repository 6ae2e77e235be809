"""docs/query.md, from the tables, functions and recipes themselves."""

from __future__ import annotations

from collections.abc import Iterable

from mqdiag.query.functions import FUNCTIONS
from mqdiag.query.meanings import table_meanings
from mqdiag.query.recipes import recipes

INTRO = """\
# Questions to a heap in SQL

`mqdiag query DUMP "SELECT ..."` answers what no report says. DuckDB plans and computes; the tables are read from the
graph of the dump while it asks for them, and only the columns that a query names. `pip install '.[query]'` in the clone
brings DuckDB and pyarrow. `make docs` writes this page.

    mqdiag query --recipe list
    mqdiag query --tables
    mqdiag query dump.hprof.gz "SELECT class, instances, retained FROM classes ORDER BY retained DESC LIMIT 10"
    mqdiag query dump.hprof.gz --recipe byte-arrays-by-holder
    mqdiag query dump.hprof.gz --recipe who-refers-to --set id=0xfeb4e7f0
    mqdiag query dump.hprof.gz -f heap.sql --format csv -o rows.csv
    mqdiag query dump.hprof.gz

The first two need no dump: ready queries, and all tables with the meaning of each column. The last one opens a prompt,
in which Tab completes tables, columns and classes. Where standard input is no terminal, the SQL is read from it.
`--format` is table, json, csv, parquet or markdown. A table shows 80 characters of a text, and 1,000 rows unless
`--limit` says otherwise; the other formats have everything.
"""
DETAILS = """\
## Classes as tables

A class is a table too: `"com.acme.Order"` in quotation marks, or the end of its name where it is clear, has a row for
each object of exactly this class. Its columns are `object_id`, `shallow`, `retained` and the fields, inherited ones
included. A field with the name of an earlier column, whatever the case, gets a number: `shallow_2`. A reference field
has the id of the object, so that it can be joined or asked with `text(name)`.

```sql
SELECT text(o.name), m.size FROM "com.acme.Order" AS o JOIN maps AS m ON m.id = o.lines
```

## Limits

- A query reads. Only SELECT is answered, DuckDB can open no file and no connection, and its settings are locked.
- `--timeout` (300 s) and `--memory` (a quarter of the machine's) end a query that takes more. DuckDB writes
  nothing to a disk. A step that DuckDB does not interrupt, such as one very long text, is given 5 s more; then the
  process ends with the same message. Both are about what DuckDB does; reading the dump comes before. Rows of more than
  16 MiB that go to a pipe wait in a temporary file (`$TMPDIR`) until the query has ended, so that a query that fails
  writes nothing.
- SQL knows no case: of two classes whose names differ by case alone, ask for one at a time.
- Times are timestamps in UTC; `epoch_ms(time)` gives milliseconds, `epoch_ms(number)` the time. Null stands for one
  outside of the years 1970 to 9999.
- A field of a class may have the name of a reserved word: `"table"` in quotation marks.
- An id is a number in SQL and holds for its dump only. `address(id)` writes it as `mqdiag show` takes it, and
  `'0xfeb4e7f0'::UBIGINT` reads it.
- Contents of arrays of primitive values are in no table.
- Over a dump that was cut each query says so on standard error: sums are about the part that could be read.
- `--redact` hides texts of strings, names of the application's threads, and what reports hide of RocketMQ.
"""


def query_page() -> str:
    """The page: ready queries first, as most questions need no SQL of one's own."""
    parts = [INTRO, "## Recipes\n\n`--recipe NAME` runs one.\n"]
    for recipe in recipes().values():
        values = "".join(f"\n`--set {name}=...`: {meaning}\n" for name, meaning in recipe.parameters.items())
        parts.append(f"### {recipe.name}\n\n{recipe.answers}\n{values}\n```sql\n{recipe.sql}```\n")
    parts += [DETAILS, "## Tables\n"]
    for name, table in table_meanings().items():
        parts.append(f"### {name}\n\n{table.holds}\n\n" + _table(("column", "meaning"), table.columns.items()))
        if table.formerly:
            former = ", ".join(f"`{old}` is `{new}` now" for old, new in table.formerly.items())
            parts.append(f"Queries may still use former names: {former}.\n")
    functions = [(f"{name}(id)", one.about) for name, one in FUNCTIONS.items()]
    parts.append(
        "## Functions\n\n" + _table(("function", "result"), [*functions, ("address(id)", "as `0xfeb4e7f0`")])
    )
    return "\n".join(parts)


def _table(heads: tuple[str, str], rows: Iterable[tuple[str, str]]) -> str:
    lines = [f"| {heads[0]} | {heads[1]} |", "|---|---|"]
    lines += [f"| `{name}` | {meaning} |" for name, meaning in rows]
    return "\n".join(lines) + "\n"
