"""What earlier runs have left in `incidents`, read piece by piece: the driver never holds a run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from mqdiag.fleet.tables.arrow import BATCH, file_schema
from mqdiag.fleet.tables.layout import Layout, RunMark
from mqdiag.fleet.tables.schemas import INCIDENTS


def known_incidents(
    layout: Layout, marks: Collection[RunMark], *, settings: str, limits: str
) -> Iterator[tuple[str, str, str]]:
    """Incidents of whole runs that have a result which still holds, those of the newest run first.

    Args:
        layout: the output.
        marks: of the runs.
        settings: hash that a result must have been made with.
        limits: limits of this run; a failure by the same limits is not tried again.

    Returns:
        Key and listing of each, and the run that has its row.
    """
    whole = ds.field("analysed_in").isin([*(mark.run for mark in marks), *layout.compactions()])
    same_limits = ds.field("limits").is_null() | (ds.field("limits") == limits)
    holds = (ds.field("settings") == settings) & whole & ~ds.field("again") & same_limits
    for mark in sorted(marks, key=lambda mark: -mark.order):
        rows = layout.rows(INCIDENTS.name, {mark.run})
        for batch in rows.to_batches(columns=["incident", "listing"], filter=holds, batch_size=BATCH):
            for row in batch.to_pylist():
                yield row["incident"], row["listing"], mark.run


def rows_taken_over(
    layout: Layout, runs: Iterable[str], taken_from: Callable[[str, list[str]], set[str]]
) -> Iterator[pa.Table]:
    """Rows of `incidents` that earlier runs have of listed incidents, some at a time.

    Args:
        layout: the output.
        runs: that have any.
        taken_from: of a run and some keys, those that are listed and known from this run.
    """
    schema = file_schema(INCIDENTS.name)
    for run in runs:
        rows = layout.rows(INCIDENTS.name, {run})
        for batch in rows.to_batches(columns=schema.names, batch_size=BATCH):
            taken = taken_from(run, batch["incident"].to_pylist())
            if taken:
                wanted = batch.filter(pc.is_in(batch["incident"], pa.array(taken, pa.string())))
                yield pa.Table.from_batches([wanted]).replace_schema_metadata(schema.metadata)
