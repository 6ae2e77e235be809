"""What a run's report compares, as tables: all rows, where the report has the first of them."""

from __future__ import annotations

import contextlib

from mqdiag.fleet.analysis.picture import Picture
from mqdiag.fleet.tables.arrow import ROWS_BYTES, parquet, pieces, table_bytes
from mqdiag.fleet.tables.layout import Layout
from mqdiag.fleet.tables.schemas import ALL_TABLES

COMPARISONS = {
    "state": "workload_state",
    "changes": "told_changes",
    "common_causes": "common_traits",
    "outliers": "outliers",
    "differences": "drift",
}
"""tables, and the comparison that each is"""


def write_comparisons(picture: Picture, layout: Layout) -> None:
    """Write the tables of a run, which is whole without them: on a full disk its report matters more.

    Args:
        picture: of the run, after `prepare`.
        layout: the output.
    """
    with contextlib.suppress(OSError):
        for table, comparison in COMPARISONS.items():
            number = -1
            rows = picture.as_table(comparison, ALL_TABLES[table])
            for number, piece in enumerate(pieces(rows, lambda some: some.nbytes, ROWS_BYTES)):
                layout.store.write(layout.part(table, picture.run, "", number), table_bytes(piece))
            if number < 0:
                layout.store.write(layout.part(table, picture.run, "", 0), parquet(table, []))
