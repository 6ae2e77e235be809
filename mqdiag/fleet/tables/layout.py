"""Folders of a fleet's output: where tables, runs and unfinished work lie, and which runs are whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

import msgspec
import pyarrow.dataset as ds

from mqdiag.errors import UsageError, first_line
from mqdiag.fleet.files.storage import Entry, Storage
from mqdiag.fleet.tables.arrow import table_rows
from mqdiag.fleet.tables.schemas import BY_DAY, DAY, INPUTS, RUN, SCHEMA_VERSION, UNKNOWN_DAY
from mqdiag.text import say

STAGING = "_staging"
RUNS = "_runs"
COMPACTIONS = "_compactions"
TOTALS = "_totals"
NAME = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,99}")
_MOST_MARK_BYTES = 1 << 16


class RunMark(msgspec.Struct, frozen=True, kw_only=True):
    """Written last: a run that has one is whole."""

    run: str
    order: int
    """place among the runs of this output, from 1"""
    mqdiag: str
    schema_version: int
    started_at: datetime
    finished_at: datetime
    incidents: int
    analysed: int
    failed: int
    bytes: int
    tried_again: int | None = None
    """None in marks of older versions"""
    lost_executors: int | None = None


class CompactionMark(msgspec.Struct, frozen=True, kw_only=True):
    """Written when the partitions of a compaction are whole."""

    compaction: str
    """names its partitions, as a run names its own"""
    mqdiag: str
    schema_version: int
    finished_at: datetime


_Mark = TypeVar("_Mark", RunMark, CompactionMark)


def day_of(time_ns: int | None) -> str:
    """The day, in UTC, that rows of an incident lie under.

    Args:
        time_ns: begin of the incident, in nanoseconds since 1970.
    """
    return UNKNOWN_DAY if time_ns is None else f"{datetime.fromtimestamp(time_ns / 1e9, UTC):%Y-%m-%d}"


@dataclass(frozen=True)
class Layout:
    """One output folder, or the folder of a run's unfinished tables in it."""

    store: Storage
    root: str

    @property
    def uri(self) -> str:
        """As executors find it."""
        return self.store.uri(self.root)

    @property
    def staging(self) -> str:
        """Unfinished work."""
        return f"{self.root}/{STAGING}"

    def runs(self) -> list[RunMark]:
        """The whole runs, oldest first.

        Raises:
            UsageError: tables of another schema are there; rows of both would not fit together. Or a mark is damaged.
        """
        marks = list(self._marks(RUNS, RunMark, lambda mark: mark.run))
        for mark in marks:
            if mark.schema_version != SCHEMA_VERSION:
                raise UsageError(
                    say(
                        "--out {out} has tables of schema {found:count}, this version writes schema {own:count}: name"
                        " another folder, and the evidence is analysed again",
                        out=self.root,
                        found=mark.schema_version,
                        own=SCHEMA_VERSION,
                    )
                )
        return sorted(marks, key=lambda mark: mark.order)

    def compactions(self) -> set[str]:
        """The whole compactions; more than one only where the last was stopped before it had removed the others.

        Raises:
            UsageError: a mark is damaged.
        """
        return {
            mark.compaction for mark in self._marks(COMPACTIONS, CompactionMark, lambda mark: mark.compaction)
        }

    def names(self) -> set[str]:
        """The whole runs and compactions."""
        return {mark.run for mark in self.runs()} | self.compactions()

    def new_name(self, kind: str) -> str:
        """A name with the time of now, which no other run or compaction has.

        Args:
            kind: the letter that it begins with.
        """
        name = f"{kind}{datetime.now(UTC):%Y%m%d-%H%M%S}"
        taken = self.names()
        while name in taken:
            name += kind
        return name

    def mark(self, mark: RunMark | CompactionMark) -> None:
        """Make a run or a compaction whole."""
        if isinstance(mark, RunMark):
            path = f"{self.root}/{RUNS}/{mark.run}.json"
        else:
            path = f"{self.root}/{COMPACTIONS}/{mark.compaction}.json"
        self.store.write(path, msgspec.json.format(msgspec.json.encode(mark), indent=2) + b"\n")

    def forget(self, name: str) -> None:
        """Remove the mark of a run or a compaction: its partitions count for nothing from now on."""
        for folder in (RUNS, COMPACTIONS, TOTALS):
            self.store.remove_file(f"{self.root}/{folder}/{name}.json")

    def _marks(self, folder: str, kind: type[_Mark], name_of: Callable[[_Mark], str]) -> Iterator[_Mark]:
        """The marks of a folder. Folders are removed by their names, so a name must be one and lead nowhere else."""
        for file in self.store.below(f"{self.root}/{folder}"):
            if not file.path.endswith(".json"):
                continue
            try:
                if file.bytes > _MOST_MARK_BYTES:
                    raise msgspec.ValidationError("Too many bytes")
                mark = msgspec.json.decode(self.store.read(file.path), type=kind)
                name = name_of(mark)
                if not NAME.fullmatch(name) or file.path != f"{self.root}/{folder}/{name}.json":
                    raise msgspec.ValidationError("Another name than the file's")
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                raise UsageError(
                    say("{path}: is not a mark of a run: {reason}", path=file.path, reason=first_line(error))
                ) from None
            yield mark

    def partition(self, table: str, run: str) -> str:
        """Folder of a table's rows of a run or a compaction."""
        return f"{self.folder(table)}/{RUN}={run}"

    def part(self, table: str, run: str, day: str, number: int) -> str:
        """Where a part file lies; tables without folders of days ignore the day."""
        of_day = f"/{DAY}={day}" if table in BY_DAY else ""
        return f"{self.partition(table, run)}{of_day}/part-{number:05d}.parquet"

    def files(self, table: str, runs: Collection[str]) -> list[Entry]:
        """A table's files of some runs and compactions, in the order of their paths."""
        found = [file for run in sorted(runs) for file in self.store.below(self.partition(table, run))]
        return [file for file in found if file.path.endswith(".parquet")]

    def rows(self, table: str, runs: Collection[str]) -> ds.Dataset:
        """A table's rows of some runs and compactions."""
        return table_rows(self.store, table, [file.path for file in self.files(table, runs)])

    def folder(self, table: str) -> str:
        """Where the rows of all runs of a table lie."""
        return f"{self.root}/{table}"

    def partitions_of(self, table: str) -> set[str]:
        """Runs and compactions that a table has rows of, whole or not."""
        folder = self.folder(table)
        if not self.store.is_folder(folder):
            return set()
        names = [place for place in self.store.walk(folder) if isinstance(place, str)]
        return {name.rpartition(f"/{RUN}=")[2] for name in names if f"/{RUN}=" in name}

    def is_without_days(self) -> bool:
        """Whether tables of an earlier version of mqdiag are here, which had no folders of days."""
        files = self.files(INPUTS.name, self.partitions_of(INPUTS.name))
        return any(day_in(file.path) is None for file in files)


def day_in(path: str) -> str | None:
    """The day in the path of a file; None where the table has no folders of days."""
    found = re.search(rf"/{DAY}=([^/]+)/[^/]+$", path)
    return None if found is None else found[1]


def check_run_name(name: str) -> None:
    """A run's name goes into folder names and must not look like a number or a date to a reader.

    Raises:
        UsageError: it is no such name.
    """
    if not NAME.fullmatch(name):
        raise UsageError(
            say(
                "--run {name}: begin with a letter; then letters, digits, dots, dashes, underlines",
                name=repr(name),
            )
        )
