"""Fewer, larger files and fewer runs: the rows of evidence of all runs become one partition, in folders of days.

A compaction can be killed at any point, and queries and the next run find each row once:

1. The new partition is written. No row of `incidents` names it, and without a mark the next run removes it.
2. Its mark is written.
3. The files of `incidents` of each run are replaced one by one: `analysed_in` of their rows names the new partition.
   Until then it names the old one, which is still there.
4. The marks of the runs that are not kept are removed, then their folders, then the old partitions. What a kill
   leaves of these is named by no row, and the next compaction removes it.

Tables that an earlier version of mqdiag wrote, without folders of days, become tables with them on the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pyarrow.compute as pc

from mqdiag import __version__
from mqdiag.fleet.tables.arrow import file_schema, parquet, read_table, table_bytes
from mqdiag.fleet.tables.commit import file_path, in_order, remove_unmarked
from mqdiag.fleet.tables.layout import CompactionMark, Layout, RunMark, TableFile
from mqdiag.fleet.tables.schemas import ALL_TABLES, BY_DAY, INCIDENTS, SCHEMA_VERSION, UNKNOWN_DAY

ROWS_BYTES = 256 << 20
"""rows of one file, in memory; zstd makes a fourth to a tenth of it"""
HELD_BYTES = 2 * ROWS_BYTES
"""rows of several days that wait for others of their day"""


@dataclass(frozen=True, kw_only=True)
class Keep:
    """Which runs stay; the latest one always does."""

    runs: int | None = None
    """the latest so many; None for any number"""
    age: timedelta | None = None
    """those that ended no longer ago; None for any age"""

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
    before = _files_of(layout)
    removed = {mark.run for mark in marks} - {mark.run for mark in kept}
    if kept and (removed or not _is_compact(layout)):
        name = _free_name(layout, now)
        wanted = _wanted(layout, kept)
        for table in BY_DAY:
            _merge(layout, table, name, wanted)
        mark = CompactionMark(
            compaction=name, mqdiag=__version__, schema_version=SCHEMA_VERSION, finished_at=now
        )
        layout.mark_compaction(mark)
        _point_to(layout, kept, name, wanted)
        _remove_runs(layout, removed)
        _remove_partitions(layout, name)
    after = _files_of(layout)
    return Compacted(
        runs_kept=len(kept),
        runs_removed=len(removed),
        files_before=len(before),
        files_after=len(after),
        bytes_before=sum(before),
        bytes_after=sum(after),
    )


def _files_of(layout: Layout) -> list[int]:
    """Sizes of all files of all tables."""
    return [file.bytes for table in ALL_TABLES for file in layout.files(table, layout.partitions_of(table))]


def _is_compact(layout: Layout) -> bool:
    """Whether a compaction would only write again what is there."""
    partitions = set[str]().union(*(layout.partitions_of(table) for table in BY_DAY))
    return len(partitions) <= 1 and partitions <= layout.compactions()


def _free_name(layout: Layout, now: datetime) -> str:
    taken = layout.partitioned_runs()
    name = f"c{now:%Y%m%d-%H%M%S}"
    while name in taken:
        name += "c"
    return name


def _wanted(layout: Layout, kept: list[RunMark]) -> dict[str, _Analysis]:
    """The analysis of each incident of the kept runs; of one that was tried again that of the latest run."""
    found: dict[str, _Analysis] = {}
    for mark in kept:
        for file in layout.files(INCIDENTS.name, {mark.run}):
            found.update(_analyses(read_table(file.uri, INCIDENTS.name, _KEY)))
    return found


_KEY = ("incident", "analysed_in", "analysed_at")


@dataclass(frozen=True)
class _Analysis:
    """One analysis of an incident."""

    partition: str
    """which has its rows; after a compaction that was stopped another one can have them too"""
    at: datetime | None


def _analyses(rows: pa.Table) -> Iterator[tuple[str, _Analysis]]:
    columns = (rows[name].to_pylist() for name in _KEY)
    for incident, partition, at in zip(*columns, strict=True):
        yield incident, _Analysis(partition, at)


def _merge(layout: Layout, table: str, name: str, wanted: dict[str, _Analysis]) -> None:
    """Write the rows of a table that the kept runs have into the new partition."""
    of_partition: dict[str, list[str]] = {}
    for incident, analysis in wanted.items():
        of_partition.setdefault(analysis.partition, []).append(incident)
    files = [file for file in layout.files(table, layout.partitions_of(table)) if file.run in of_partition]
    merged = _Merged(layout, table, name)
    incidents = {partition: pa.array(keys, pa.string()) for partition, keys in of_partition.items()}
    for file in sorted(files, key=lambda file: (file.day or "", file.path)):
        rows = read_table(file.uri, table, file_schema(table).names)
        rows = rows.filter(pc.is_in(rows["incident"], incidents[file.run]))
        for day, of_day in _by_day(file, rows):
            merged.add(day, of_day)
    merged.finish()


def _by_day(file: TableFile, rows: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    if file.day is not None:
        yield file.day, rows
        return
    days = pc.fill_null(pc.strftime(rows["window_start"], format="%Y-%m-%d"), UNKNOWN_DAY)
    for day in pc.unique(days).to_pylist():
        yield day, rows.filter(pc.equal(days, day))


@dataclass
class _Merged:
    """Rows of one table that become larger files, a folder for each day."""

    layout: Layout
    table: str
    name: str
    _held: dict[str, list[pa.Table]] = field(default_factory=dict)
    _held_bytes: dict[str, int] = field(default_factory=dict)
    _written: int = 0

    def add(self, day: str, rows: pa.Table) -> None:
        """Take rows over, and write a day that has enough of them."""
        if not len(rows):
            return
        self._held.setdefault(day, []).append(rows)
        self._held_bytes[day] = self._held_bytes.get(day, 0) + rows.nbytes
        while self._held_bytes and (
            max(self._held_bytes.values()) >= ROWS_BYTES or sum(self._held_bytes.values()) > HELD_BYTES
        ):
            self._write(max(self._held_bytes, key=lambda each: self._held_bytes[each]))

    def finish(self) -> None:
        """Write the rest; a table without any row gets a file too, so that queries find its columns."""
        for day in sorted(self._held):
            self._write(day)
        if not self._written:
            path = file_path(self.layout.root, self.table, self.name, UNKNOWN_DAY, 0)
            self.layout.store.write(path, parquet(self.table, []))

    def _write(self, day: str) -> None:
        rows = in_order(pa.concat_tables(self._held.pop(day)))
        del self._held_bytes[day]
        path = file_path(self.layout.root, self.table, self.name, day, self._written)
        self.layout.store.write(path, table_bytes(rows))
        self._written += 1


def _point_to(layout: Layout, kept: list[RunMark], name: str, wanted: dict[str, _Analysis]) -> None:
    """Let the rows of `incidents` name the new partition; those of an analysis that was repeated have no rows there."""
    schema = file_schema(INCIDENTS.name)
    for mark in kept:
        for file in layout.files(INCIDENTS.name, {mark.run}):
            rows = read_table(file.uri, INCIDENTS.name, schema.names)
            moved = [
                name if wanted[incident].at == analysis.at else analysis.partition
                for incident, analysis in _analyses(rows)
            ]
            column = schema.get_field_index("analysed_in")
            rows = rows.set_column(column, schema.field(column), pa.array(moved, pa.string()))
            layout.store.write(file.path, table_bytes(rows.replace_schema_metadata(schema.metadata)))


def _remove_runs(layout: Layout, runs: set[str]) -> None:
    for run in sorted(runs):
        layout.forget(run)
        for table in reversed(ALL_TABLES):  # first the row of `runs`, by which queries find the others
            layout.store.remove_folder(layout.partition(table, run))


def _remove_partitions(layout: Layout, name: str) -> None:
    """Remove all partitions of evidence but one.

    `inputs` comes last: by its files the next run sees that tables of an earlier version of mqdiag are left.
    """
    for earlier in sorted(layout.compactions() - {name}):
        layout.forget(earlier)
    for table in reversed(BY_DAY):
        for partition in sorted(layout.partitions_of(table) - {name}):
            layout.store.remove_folder(layout.partition(table, partition))
