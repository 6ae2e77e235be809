"""Fewer, larger files and fewer runs: the rows of evidence of all runs become one partition, in folders of days.

A compaction can be killed at any point, and queries and the next run find each row once:

1. The new partition is written. No row of `incidents` names it, and without a mark the next run removes it.
2. Its mark is written.
3. The files of `incidents` of each run are replaced one by one: `analysed_in` of their rows names the new partition.
   Until then it names the old one, which is still there.
   `history`, which has all runs, likewise.
4. The marks of the runs that are not kept are removed, then their folders, then the old partitions. What a kill
   leaves of these is named by no row, and the next compaction removes it.

The latest run has the history before 1. begins.

Runs of one day that become one: before 3. the last of them gets the rows of `incidents` that only the others have.

Tables that an earlier version of mqdiag wrote, without folders of days, become tables with them on the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pyarrow.compute as pc

from mqdiag import __version__
from mqdiag.fleet.tables.arrow import (
    BATCH,
    ROWS_BYTES,
    file_schema,
    in_order,
    pieces,
    table_bytes,
    table_rows,
)
from mqdiag.fleet.tables.commit import remove_replaced, remove_unmarked
from mqdiag.fleet.tables.earlier import each_once, write_history
from mqdiag.fleet.tables.layout import NAME, CompactionMark, Layout, RunMark, day_in
from mqdiag.fleet.tables.schemas import (
    ALL_TABLES,
    BY_DAY,
    HISTORY,
    INCIDENTS,
    KEPT_FACTS,
    SCHEMA_VERSION,
    UNKNOWN_DAY,
)


@dataclass(frozen=True, kw_only=True)
class Keep:
    """Which runs stay; the latest one always does."""

    runs: int | None = None
    """the latest so many; None for any number"""
    age: timedelta | None = None
    """those that ended no longer ago; None for any age"""
    daily: bool = False
    """whether the runs of a day become the last of them; those of the latest run's day stay"""

    def of(self, marks: list[RunMark], now: datetime) -> list[RunMark]:
        """Those that stay, oldest first.

        Args:
            marks: of all runs, oldest first.
            now: a time with its zone.
        """
        kept = marks if self.runs is None else marks[-self.runs :]
        return [
            mark for mark in kept if self.age is None or now - mark.finished_at <= self.age or mark is marks[-1]
        ]

    def merged(self, kept: list[RunMark]) -> dict[str, str]:
        """The run that each of those which become another one becomes, newest first.

        Args:
            kept: what `of` gave.
        """
        if not self.daily or not kept:
            return {}
        last = {mark.finished_at.date(): mark.run for mark in kept}
        last.pop(kept[-1].finished_at.date())
        days = ((mark.run, last.get(mark.finished_at.date(), mark.run)) for mark in reversed(kept))
        return {run: into for run, into in days if run != into}


EVERYTHING = Keep()


@dataclass(frozen=True, kw_only=True)
class Compacted:
    """What a compaction did."""

    runs_kept: int
    runs_removed: int
    files_before: int
    files_after: int
    bytes_before: int
    bytes_after: int


def compact(layout: Layout, keep: Keep = EVERYTHING) -> Compacted:
    """Merge the partitions of evidence into one, and remove runs; the caller holds the lock of the output.

    Args:
        layout: the output.
        keep: the runs that stay; rows that none of them has are removed.

    Raises:
        UsageError: tables of another schema are there.
    """
    now = datetime.now(UTC)
    marks = layout.runs()
    remove_unmarked(layout)
    kept = keep.of(marks, now)
    before = _sizes(layout)
    merged, listed = keep.merged(kept), kept
    kept = [mark for mark in listed if mark.run not in merged]
    removed = {mark.run for mark in marks} - {mark.run for mark in kept}
    if kept and (removed or not _is_compact(layout)):
        _move_history(layout, marks)
        name = layout.new_name("c")
        wanted = _wanted(layout, listed)
        for table in BY_DAY:
            _merge(layout, table, name, wanted)
        mark = CompactionMark(
            compaction=name, mqdiag=__version__, schema_version=SCHEMA_VERSION, finished_at=now
        )
        layout.mark(mark)
        _take_over(layout, merged, name)
        _point_to(layout, kept, name, wanted, merged)
        _remove_runs(layout, removed)
        _remove_partitions(layout, name)
    if kept:
        _remove_facts(layout, kept)
    after = _sizes(layout)
    return Compacted(
        runs_kept=len(kept),
        runs_removed=len(removed),
        files_before=len(before),
        files_after=len(after),
        bytes_before=sum(before),
        bytes_after=sum(after),
    )


def _move_history(layout: Layout, marks: list[RunMark]) -> None:
    """Let the latest run have the history, as that of a removed run goes with it."""
    latest = marks[-1].run
    histories = layout.partitions_of(HISTORY.name)
    if histories and latest not in histories:
        write_history(layout, latest, marks[:-1])
        remove_replaced(layout, latest)


def _sizes(layout: Layout) -> list[int]:
    """Bytes of all files of all tables."""
    return [file.bytes for table in ALL_TABLES for file in layout.files(table, layout.partitions_of(table))]


def _is_compact(layout: Layout) -> bool:
    """Whether a compaction would only write again what is there."""
    partitions = set[str]().union(*(layout.partitions_of(table) for table in BY_DAY))
    return len(partitions) <= 1 and partitions <= layout.compactions()


_KEY = ["incident", "analysed_in", "analysed_at"]
_Analysis = tuple[str, datetime | None]
"""the partition that has its rows, and its time; after a compaction that was stopped another one can have them too"""


def _wanted(layout: Layout, kept: list[RunMark]) -> dict[str, _Analysis]:
    """The analysis of each incident of the kept runs; of one that was tried again that of the latest run."""
    found: dict[str, _Analysis] = {}
    for mark in kept:
        found.update(_analyses(layout.rows(INCIDENTS.name, {mark.run}).to_table(_KEY)))
    return found


def _analyses(rows: pa.Table) -> Iterator[tuple[str, _Analysis]]:
    for row in rows.to_pylist():
        yield row["incident"], (row["analysed_in"], row["analysed_at"])


def _merge(layout: Layout, table: str, name: str, wanted: dict[str, _Analysis]) -> None:
    """Write the rows of a table that the kept runs have into the new partition."""
    number = 1
    for rows in pieces(_wanted_rows(layout, table, wanted), lambda rows: rows.nbytes, ROWS_BYTES):
        # An earlier version of mqdiag wrote no folders of days.
        days = pc.coalesce(rows["day"], pc.strftime(rows["window_start"], format="%Y-%m-%d"), UNKNOWN_DAY)
        # A folder's name may be anything, a path too.
        days = pc.if_else(
            pc.match_substring_regex(days, rf"^(\d{{4}}-\d\d-\d\d|{UNKNOWN_DAY})$"), days, UNKNOWN_DAY
        )
        for day in pc.unique(days).to_pylist():
            path = layout.part(table, name, day, number)
            _write(layout, path, table, rows.filter(pc.equal(days, day)))
            number += 1
    # As in a run: queries find the columns of a table without rows, and one type of days.
    _write(layout, layout.part(table, name, UNKNOWN_DAY, 0), table, file_schema(table).empty_table())


def _wanted_rows(layout: Layout, table: str, wanted: dict[str, _Analysis]) -> Iterator[pa.Table]:
    """The rows of some incidents, those of a day together."""
    of_partition: dict[str, list[str]] = {}
    for incident, (partition, _) in wanted.items():
        if NAME.fullmatch(partition):  # else it is no run's name, and may lead elsewhere
            of_partition.setdefault(partition, []).append(incident)
    incidents = {partition: pa.array(keys, pa.string()) for partition, keys in of_partition.items()}
    files = sorted(layout.files(table, incidents.keys()), key=lambda file: (day_in(file.path) or "", file.path))
    rows = table_rows(layout.store, table, [file.path for file in files])
    for batch in rows.to_batches(batch_size=BATCH, batch_readahead=1, fragment_readahead=1):
        if len(batch):
            (partition,) = pc.unique(batch["run"]).to_pylist()  # a batch is of one file
            wanted_here = batch.filter(pc.is_in(batch["incident"], incidents[partition]))
            yield pa.Table.from_batches([wanted_here])


def _write(layout: Layout, path: str, table: str, rows: pa.Table) -> None:
    """Write one file, the rows of a service together."""
    schema = file_schema(table)
    ordered = in_order(rows.select(schema.names).replace_schema_metadata(schema.metadata))
    layout.store.write(path, table_bytes(ordered))


def _take_over(layout: Layout, merged: dict[str, str], name: str) -> None:
    """Give each run the rows of `incidents` that only the runs have which become it."""
    for run in sorted(set(merged.values())):
        others = [other for other, into in merged.items() if into == run]
        sources = ((layout.rows(INCIDENTS.name, {one}), one) for one in (run, *others))
        rows = (some for some, one in each_once(sources, ("incident",)) if one != run)
        for number, piece in enumerate(pieces(rows, lambda some: some.nbytes, ROWS_BYTES)):
            path = f"{layout.partition(INCIDENTS.name, run)}/merged-{name}-{number:05d}.parquet"
            _write(layout, path, INCIDENTS.name, piece)


def _point_to(
    layout: Layout, kept: list[RunMark], name: str, wanted: dict[str, _Analysis], merged: dict[str, str]
) -> None:
    """Let the rows of `incidents` name the new partition; those of an analysis that was repeated have no rows there."""
    runs = {mark.run for mark in kept}
    for table in (INCIDENTS.name, HISTORY.name):
        for file in layout.files(table, runs):
            rows = table_rows(layout.store, table, [file.path]).to_table()
            if table == HISTORY.name:
                now = [merged.get(run, run) for run in rows["listed_in"].to_pylist()]
                rows = _with(rows, "listed_in", now).filter(pa.array((run in runs for run in now), pa.bool_()))
            # A history may name an incident that no table of a run has: it is of a file that somebody changed.
            moved = [
                name if incident in wanted and wanted[incident][1] == at else partition
                for incident, (partition, at) in _analyses(rows.select(_KEY))
            ]
            _write(layout, file.path, table, _with(rows, "analysed_in", moved))


def _with(rows: pa.Table, column: str, values: list[str]) -> pa.Table:
    return rows.set_column(rows.schema.get_field_index(column), column, pa.array(values, pa.string()))


def _remove_runs(layout: Layout, runs: set[str]) -> None:
    for run in sorted(runs):
        layout.forget(run)
        for table in reversed(ALL_TABLES):  # first the row of `runs`, by which queries find the others
            layout.store.remove_folder(layout.partition(table, run))


def _remove_facts(layout: Layout, kept: list[RunMark]) -> None:
    """Remove facts that no incident of the kept runs names."""
    named: set[str] = set()
    for mark in kept:
        named.update(layout.rows(INCIDENTS.name, {mark.run}).to_table(["facts"])["facts"].to_pylist())
    for file in layout.store.below(f"{layout.root}/{KEPT_FACTS}"):
        if file.path.rpartition("/")[2] not in named:
            layout.store.remove_file(file.path)


def _remove_partitions(layout: Layout, name: str) -> None:
    """Remove all partitions of evidence but one.

    `inputs` comes last: by its files the next run sees that tables of an earlier version of mqdiag are left.
    """
    for earlier in sorted(layout.compactions() - {name}):
        layout.forget(earlier)
    for table in reversed(BY_DAY):
        for partition in sorted(layout.partitions_of(table) - {name}):
            layout.store.remove_folder(layout.partition(table, partition))
