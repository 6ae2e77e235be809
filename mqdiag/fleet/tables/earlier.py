"""What earlier runs have left in `incidents`, read piece by piece: the driver never holds a run."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from mqdiag.fleet.tables.arrow import BATCH, ROWS_BYTES, file_schema, in_order, parquet, pieces, table_bytes
from mqdiag.fleet.tables.layout import Layout, RunMark
from mqdiag.fleet.tables.schemas import HISTORY, INCIDENTS


def known_incidents(
    layout: Layout, marks: Sequence[RunMark], *, settings: str, limits: str
) -> Iterator[tuple[str, str, str]]:
    """Incidents of whole runs that have a result which still holds, those of the newest run first.

    Args:
        layout: the output.
        marks: of the runs, oldest first.
        settings: hash that a result must have been made with.
        limits: limits of this run; a failure by the same limits is not tried again.

    Returns:
        Key and listing of each, and the run that has its row.
    """
    whole = ds.field("analysed_in").isin([*(mark.run for mark in marks), *layout.compactions()])
    same_limits = ds.field("limits").is_null() | (ds.field("limits") == limits)
    holds = (ds.field("settings") == settings) & whole & ~ds.field("again") & same_limits
    runs = {mark.run for mark in marks}
    for rows, run in _latest_first(layout, marks):
        columns = ["incident", "listing", *(() if run else ("listed_in",))]
        for batch in rows.to_batches(columns=columns, filter=holds, batch_size=BATCH):
            for row in batch.to_pylist():
                if (listed_in := run or row["listed_in"]) in runs:
                    yield row["incident"], row["listing"], listed_in


def _latest_first(layout: Layout, marks: Sequence[RunMark]) -> Iterator[tuple[ds.Dataset, str | None]]:
    """What all runs have listed: the history of the latest run that has one, after the runs that ended later.

    Returns:
        Rows, and the run that listed them; of the history None, as its rows name their own.
    """
    with_history = layout.partitions_of(HISTORY.name)
    for mark in reversed(marks):
        if mark.run in with_history:
            yield layout.rows(HISTORY.name, {mark.run}), None
            return
        yield layout.rows(INCIDENTS.name, {mark.run}), mark.run


def update_history(layout: Layout, run: str, marks: Sequence[RunMark]) -> None:
    """Write the history of a run if those that ended after the latest one, with it, have listed half as many rows.

    So what runs write follows what they list, however long the history is, and readers take half as many rows more.

    Args:
        layout: the output.
        run: whose rows of `incidents` are in their place.
        marks: of the runs before it, oldest first.
    """
    with_history = layout.partitions_of(HISTORY.name)
    later = [
        run,
        *itertools.takewhile(lambda one: one not in with_history, (mark.run for mark in reversed(marks))),
    ]
    rows = layout.rows(INCIDENTS.name, set(later)).count_rows()
    latest = next((mark.run for mark in reversed(marks) if mark.run in with_history), None)
    if latest is None or 2 * rows >= layout.rows(HISTORY.name, {latest}).count_rows():
        write_history(layout, run, marks)


def write_history(layout: Layout, run: str, marks: Sequence[RunMark]) -> None:
    """Write what a run knows of all runs, so that nobody has to read them all: each incident once.

    An incident that was tried again has a row for each of its outcomes, as either can be the one that holds.

    Args:
        layout: the output.
        run: whose rows of `incidents` are in their place.
        marks: of the runs before it, oldest first.
    """
    schema = file_schema(HISTORY.name)
    rows = itertools.chain([(layout.rows(INCIDENTS.name, {run}), run)], _latest_first(layout, marks))
    named = (
        some if one is None else some.append_column("listed_in", pa.array([one] * len(some), pa.string()))
        for some, one in each_once(rows, ("incident", "again", "limits"))
    )
    number = -1
    for number, piece in enumerate(pieces(named, lambda some: some.nbytes, ROWS_BYTES)):
        ordered = in_order(piece.select(schema.names).replace_schema_metadata(schema.metadata))
        layout.store.write(layout.part(HISTORY.name, run, "", number), table_bytes(ordered))
    if number < 0:
        layout.store.write(layout.part(HISTORY.name, run, "", 0), parquet(HISTORY.name, []))


def each_once(
    sources: Iterable[tuple[ds.Dataset, str | None]], key: Sequence[str]
) -> Iterator[tuple[pa.Table, str | None]]:
    """The rows of some runs whose key none before has. The keys of all runs are in memory, 100 bytes each.

    Args:
        sources: rows of `incidents` of each run, and its name; None for rows of `history`, which come last.
        key: columns that make it.
    """
    seen: set[tuple[Any, ...]] = set()
    for rows, run in sources:
        own: set[tuple[Any, ...]] = set()
        for batch in rows.to_batches(batch_size=BATCH, batch_readahead=1, fragment_readahead=1):
            keys = list(zip(*(batch[name].to_pylist() for name in key), strict=True))
            yield (
                pa.Table.from_batches([batch]).filter(pa.array((one not in seen for one in keys), pa.bool_())),
                run,
            )
            if run is not None:
                own.update(keys)
        seen |= own


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
