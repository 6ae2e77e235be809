"""The tables as one run sees them: its own rows, and those of incidents that earlier runs had done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import duckdb

from mqdiag.facts.fleet import FleetTotals, LeftOut
from mqdiag.fleet.analysis.database import run_tables, select
from mqdiag.fleet.tables.layout import Layout

EVIDENCE = ("findings", "consumers", "failures")
"""tables that the comparisons ask"""
EARLIER = {"earlier_faults": "service_faults", "earlier_checked_rules": "checked_rules"}
"""names that comparisons have for tables of an earlier run"""
ROWS_AT_ONCE = 100
"""of a long answer that Python holds; one row can be all that a service's page lists"""


class Picture:
    """Tables of one run.

    Args:
        base: the database for comparisons.
        layout: the output.
        run: a whole run, or the one that is just being made.
    """

    def __init__(self, base: duckdb.DuckDBPyConnection, layout: Layout, run: str) -> None:
        self.run = run
        self._tables = run_tables(base)
        self._tables.register("current_incidents", layout.rows("incidents", {run}))
        (self._counts,) = self.rows("run_counts")
        for table in EVIDENCE:
            self._tables.register(table, layout.rows(table, self._counts["runs"]))
        self._define("VIEW", "current_findings")
        # What many comparisons ask is computed once.
        self._define("TABLE", "unrefuted_findings", "service_faults", "checked_rules")

    def totals(self, left_out: LeftOut) -> FleetTotals:
        """What the run counts over its incidents.

        Args:
            left_out: what the listing left out.
        """
        counts = {name: count for name, count in self._counts.items() if name != "runs"}
        return FleetTotals(**counts, known=counts["incidents"] - counts["analysed"], left_out=left_out)

    def prepare(self, before: Picture | None, limits: Mapping[str, float]) -> None:
        """Define what all comparisons share.

        Args:
            before: the run to compare with; None where there is none.
            limits: of the rules for fleets, each as `rule.limit`.
        """
        for name, value in {"is_compared": before is not None, **limits}.items():
            self._tables.execute(f'SET VARIABLE "{name}" = {value}')
        for name, table in EARLIER.items():
            if before is None:
                self._tables.execute(f"CREATE TEMP VIEW {name} AS FROM {table} LIMIT 0")
            else:
                self._tables.register(name, before._tables.table(table).to_arrow_table())
        self._define("VIEW", "current_consumers")
        self._define("TABLE", "current_failures", "latest_consumers", "changes")
        self._define("VIEW", "current_state", "drift", "capacity")

    def rows(self, name: str, limit: int | None = None) -> Iterator[dict[str, Any]]:
        """The rows of a comparison, to be taken before the next one is asked.

        Args:
            name: of its file.
            limit: the first so many; None for all.
        """
        ending = "" if limit is None else f"LIMIT {limit}"
        for batch in self._tables.sql(f"{select(name)}\n{ending}").to_arrow_reader(ROWS_AT_ONCE):
            yield from batch.to_pylist()

    def count(self, name: str) -> int:
        """How many rows a comparison has.

        Args:
            name: of its file.
        """
        ((count,),) = self._tables.sql(f"SELECT count(*) FROM (\n{select(name)}\n)").fetchall()
        return int(count)

    def _define(self, kind: str, *names: str) -> None:
        for name in names:
            self._tables.execute(f"CREATE TEMP {kind} {name} AS\n{select(name)}")
