"""The tables as one run sees them: its own rows, and those of incidents that earlier runs had done."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import duckdb
import pyarrow as pa

from mqdiag.facts.fleet import FleetTotals, LeftOut
from mqdiag.fleet.analysis.database import comparison_error, memory_limit, run_tables, schema_of, select
from mqdiag.fleet.tables.arrow import BATCH, file_schema, full_schema, table_rows
from mqdiag.fleet.tables.layout import Layout
from mqdiag.fleet.tables.schemas import Table
from mqdiag.fleet.views.script import DUCKDB_TYPES

EARLIER = {
    "earlier_faults": "service_faults",
    "earlier_checked_rules": "checked_rules",
    "earlier_findings": "unrefuted_findings",
    "earlier_builds": "builds",
}
"""names that comparisons have for tables of an earlier run"""
ROWS_AT_ONCE = 100
"""rows of a long answer that Python holds"""
ROWS_READ = 200
"""rows of a file that Arrow gives at once: a row can have kilobytes, and parsing its JSON takes ten times as much"""
TOLD = """json_extract_string(document, ['$.evidence.frame', '$.evidence.holder_class', '$.evidence.holder_field',
    '$.evidence.key', '$.evidence.address', '$.evidence.library']) AS told,
    json_extract_string(document, '$.evidence.peers[*]') AS peers"""
"""evidence of a finding that hosts may share, for `shared_traits`"""


class Picture:
    """Tables of one run, copied to the disk of this machine: no comparison has all of them in memory.

    Args:
        base: the database for comparisons.
        layout: the output.
        run: a whole run, or the one that is just being made.
    """

    def __init__(self, base: duckdb.DuckDBPyConnection, layout: Layout, run: str) -> None:
        self.run = run
        self._layout = layout
        self._tables = run_tables(base, run)
        self._documents = run_tables(base, run)
        self._before: Picture | None = None
        self._copy("incidents", {run}, "FROM incidents")
        (self._counts,) = self.rows("run_counts")

    def totals(self, left_out: LeftOut) -> FleetTotals:
        """What the run counts over its incidents."""
        counts = {name: count for name, count in self._counts.items() if name != "runs"}
        return FleetTotals(**counts, known=counts["incidents"] - counts["analysed"], left_out=left_out)

    def find_faults(self, before: Picture | None = None) -> None:
        """Copy the findings, and tell which of them are open.

        Args:
            before: an earlier run, whose incidents tell which pods are gone even if they are no longer listed.
        """
        earlier = "FROM current_incidents"
        if before is not None:
            own = f"{schema_of(before.run)}.current_incidents"
            earlier += f" UNION ALL FROM {own} ANTI JOIN current_incidents USING (incident)"
        self._tables.execute(f"CREATE VIEW known_incidents AS {earlier}")
        gone = select("gone_hosts").replace("FROM current_incidents", "FROM known_incidents")
        self._tables.execute(f"CREATE TABLE gone_hosts AS {gone}")
        number = "nextval('copied.main.finding_numbers') AS finding"
        self._copy(
            "findings",
            self._counts["runs"],
            f"SELECT {number}, {TOLD}, * FROM (\n{select('current_findings')}\n)",
        )
        # Documents are most of the bytes; rows of answers get those that they need.
        self._define("TABLE", "unrefuted_findings", "* EXCLUDE (document, title)")
        self._define("TABLE", "service_faults")
        self._define("TABLE", "checked_rules")
        self._define("TABLE", "lowered_rules")
        self._define("TABLE", "builds")

    def prepare(self, before: Picture | None, limits: Mapping[str, float]) -> None:
        """Define what all comparisons share.

        Args:
            before: the run to compare with; None where there is none.
            limits: of the rules for fleets, each as `rule.limit`.
        """
        self._tables.execute(f"SET memory_limit = '{memory_limit(self._counts['incidents'])}'")
        for name, value in {"is_compared": before is not None, **limits}.items():
            self._tables.execute(f'SET VARIABLE "{name}" = {value}')
        self._before = before
        if before is not None:
            before.find_faults()
        self.find_faults(before)
        for name, table in EARLIER.items():
            rows = f"{table} LIMIT 0" if before is None else f"{schema_of(before.run)}.{table}"
            self._tables.execute(f"CREATE VIEW {name} AS FROM {rows}")
        for table in ("consumers", "failures"):
            self._copy(table, self._counts["runs"], select(f"current_{table}"))
        self._define("TABLE", "latest_consumers")
        for name in (
            "changes",
            "host_versions",
            "telling_versions",
            "shared_traits",
            "common_traits",
            "told_changes",
        ):
            self._define("TABLE", name)
        for name in ("workload_state", "current_state", "freshness", "drift", "drifts", "outliers", "capacity"):
            self._define("VIEW", name)

    def rows(self, name: str, limit: int | None = None) -> Iterator[dict[str, Any]]:
        """The rows of a comparison, to be taken before the next one is asked.

        Args:
            name: of its file.
            limit: the first so many; None for all.
        """
        ending = "" if limit is None else f"LIMIT {limit}"
        for batch in self._tables.sql(f"{select(name)}\n{ending}").to_arrow_reader(ROWS_AT_ONCE):
            yield from self._with_documents(batch.to_pylist())

    def as_table(self, name: str, table: Table) -> Iterator[pa.Table]:
        """The rows of a comparison that `prepare` has defined, with the columns and types of a table."""
        columns = ", ".join(
            f"CAST({one.field or one.name} AS {DUCKDB_TYPES[one.type]}) AS {one.name}" for one in table.columns
        )
        schema = file_schema(table.name)
        for batch in self._tables.sql(f"SELECT {columns} FROM {name} ORDER BY ALL").to_arrow_reader(BATCH):
            yield pa.Table.from_batches([batch]).cast(schema).replace_schema_metadata(schema.metadata)

    def count(self, name: str) -> int:
        """How many rows a comparison has."""
        ((count,),) = self._tables.sql(f"SELECT count(*) FROM (\n{select(name)}\n)").fetchall()
        return int(count)

    def service_pages(self, services: Collection[tuple[str, str]]) -> list[dict[str, Any]]:
        """What the own reports of some services list, ordered by environment and service.

        Args:
            services: environment and name of each; the documents of all their findings come into memory.
        """
        environments, names = zip(*services, strict=True)
        self._tables.register("asked", pa.table({"environment": environments, "service": names}))
        found: list[dict[str, Any]] = self._tables.sql(select("service_pages")).to_arrow_table().to_pylist()
        self._with_documents(
            [one for row in found for part in ("faults", "changes") for one in row[part] or ()]
        )
        return found

    def _with_documents(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Give each row that names a finding the finding's document."""
        wanted = {row["finding"] for row in rows if "finding" in row}
        documents: dict[int, str] = {}
        for picture in (self, self._before):
            if picture is not None and wanted - documents.keys():
                numbers = ", ".join(map(str, wanted))
                query = f"SELECT finding, document FROM current_findings WHERE finding IN ({numbers})"
                documents.update(picture._documents.sql(query).fetchall())
        for row in rows:
            if "finding" in row:
                row["document"] = documents[row["finding"]]
        return rows

    def _copy(self, table: str, runs: Collection[str], query: str) -> None:
        """Make the table `current_TABLE` of what a query selects from a table of the output, which it reads once."""
        trouble: list[Exception] = []

        def batches() -> Iterator[pa.RecordBatch]:
            try:
                # Arrow would read many files of a dataset ahead.
                for file in self._layout.files(table, runs):
                    rows = table_rows(self._layout.store, table, [file.path])
                    yield from rows.to_batches(
                        batch_size=ROWS_READ,
                        batch_readahead=1,
                        fragment_readahead=1,
                        memory_pool=pa.system_memory_pool(),  # the usual one keeps what was freed
                    )
            except Exception as error:
                trouble.append(error)
                raise

        self._tables.register(table, pa.RecordBatchReader.from_batches(full_schema(table), batches()))
        # DuckDB cannot know how many rows come, takes them for few, and would hold all of them to join them.
        self._tables.execute("SET disabled_optimizers = 'join_order,build_side_probe_side'")
        try:
            self._tables.execute(f"CREATE TABLE current_{table} AS {query}")
        except duckdb.Error:
            if trouble:
                raise comparison_error(trouble[0]) from trouble[0]
            raise
        self._tables.execute("RESET disabled_optimizers")
        self._tables.unregister(table)

    def _define(self, kind: str, name: str, columns: str = "*") -> None:
        self._tables.execute(f"CREATE {kind} {name} AS SELECT {columns} FROM (\n{select(name)}\n)")
