"""docs/fleet-tables.md, from the tables' own descriptions."""

from __future__ import annotations

from mqdiag.fleet.tables.schemas import ALL_TABLES, FINDINGS, SCHEMA_VERSION, Column
from mqdiag.fleet.views.script import View, told_views, view_select

INTRO = f"""\
# Tables of a fleet

Made from `mqdiag/knowledge/fleet_tables.toml` by `make docs`. `mqdiag fleet` writes them as Parquet under `--out`, one
folder each: `TABLE/run=RUN/day=DAY/part-00000.parquet`, up to 1,000 incidents of a day a file; `incidents`,
`history`, `runs` and the comparisons of a run have no folders of days. [fleet.md](fleet.md) has queries to start from.

- Schema version {SCHEMA_VERSION}. It stands in each file's metadata as `mqdiag.schema_version`, and in the mark of
  each run. Columns may be added; a change of meaning or a removal raises it.
- `run` and `day` are columns too, read from the folders. `day` is the day of the incident in UTC, or `unknown`. Rows of
  a service lie together, so a reader that asks for one skips the others by the statistics of the files.
- Tables of another schema version are never mixed: `mqdiag fleet` refuses an output that has some, and writes the same
  tables into another folder.
- Every column can be null: unknown, or not applicable. Null never stands for 0.
- A row belongs to the run that analysed its incident. `incidents` has a row for each incident of each run, those
  taken over included, and says in `analysed_in` which run's partitions hold its rows. After `mqdiag fleet compact`
  it names the partition that has the rows of all runs.
- `incident` joins the tables of evidence with each other; join `incidents` by `incident` and `analysed_in` = `run`. An
  incident that was analysed again has another key.
"""

VIEWS = """\
## Views

`mqdiag fleet views DIR` prints them; the SQL has these comments too.
"""


def fleet_tables_page() -> str:
    """The page."""
    parts = [INTRO, "## In every table of incidents\n\n" + _columns(FINDINGS.leading)]
    parts += [f"## {table.name}\n\n{table.meaning}.\n\n" + _columns(table.own) for table in ALL_TABLES.values()]
    parts += [VIEWS, *(_view(name, view) for name, view in told_views().items())]
    return "\n".join(parts)


def _view(name: str, view: View) -> str:
    comment = view_select(name).split("\nWITH ")[0].split("\nSELECT ")[0]
    meaning = " ".join(line.removeprefix("--").strip() for line in comment.splitlines())
    like = f"The columns of `{view.like}`, and:\n\n" if view.like else ""
    rows = "\n".join(f"| `{column}` | {text} |" for column, text in view.columns.items())
    return f"### {name}\n\n{meaning}\n\n{like}| column | meaning |\n|---|---|\n{rows}\n"


def _columns(columns: tuple[Column, ...]) -> str:
    rows = "\n".join(f"| `{one.name}` | {one.type} | {one.meaning} |" for one in columns)
    return f"| column | type | meaning |\n|---|---|---|\n{rows}\n"
