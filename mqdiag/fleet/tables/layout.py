"""Folders of a fleet's output: where tables, runs and unfinished work lie, and which runs are whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

import msgspec

from mqdiag.errors import UsageError
from mqdiag.fleet.files.storage import Entry, Storage
from mqdiag.fleet.tables.schemas import TABLES
from mqdiag.text import say

STAGING = "_staging"
RUNS = "_runs"
NAME = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,99}")
_SPECIAL = re.compile(r"[\x00-\x1f\x22#%'*/:=?\x5c\x7f{}\[\]^]")


class RunMark(msgspec.Struct, frozen=True, kw_only=True):
    """Written last: a run that has one is whole."""

    run: str
    order: int
    """place among the runs of this output, from 1"""
    mqdiag: str
    schema_version: int
    started_at: str
    finished_at: str
    incidents: int
    analysed: int
    failed: int
    bytes: int


@dataclass(frozen=True)
class Layout:
    """One output folder."""

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
        """The whole runs, oldest first."""
        folder = f"{self.root}/{RUNS}"
        if not self.store.is_folder(folder):
            return []
        marks = [
            msgspec.json.decode(self.store.read(found.path), type=RunMark)
            for found in self.store.walk(folder)
            if isinstance(found, Entry) and found.path.endswith(".json")
        ]
        return sorted(marks, key=lambda mark: mark.order)

    def mark(self, mark: RunMark) -> None:
        """Make a run whole."""
        data = msgspec.json.format(msgspec.json.encode(mark), indent=2)
        self.store.write(f"{self.root}/{RUNS}/{mark.run}.json", data + b"\n")

    def partition(self, table: str, run: str, service: str | None = None) -> str:
        """Folder of a table's rows of a run, or of one service in it."""
        path = f"{self.root}/{table}/run={run}"
        return path if service is None else f"{path}/service={partition_value(service)}"

    def files(self, table: str, runs: set[str]) -> Iterator[tuple[str, dict[str, str]]]:
        """URIs of a table's files with their partition values."""
        for run in sorted(runs):
            folder = self.partition(table, run)
            if not self.store.is_folder(folder):
                continue
            for place in self.store.walk(folder):
                if isinstance(place, str):
                    service = unquote(place.rpartition("/service=")[2])
                    for uri in self._parquet_files(place):
                        yield uri, {"run": run, "service": service}

    def service_files(self, table: str, run: str, service: str) -> Iterator[str]:
        """URIs of a table's files of one service in a run."""
        return self._parquet_files(self.partition(table, run, service))

    def _parquet_files(self, folder: str) -> Iterator[str]:
        for found in self.store.walk(folder):
            if isinstance(found, Entry) and found.path.endswith(".parquet"):
                yield self.store.uri(found.path)

    def partitioned_runs(self) -> set[str]:
        """Runs that any table has rows of, whole or not."""
        found = set()
        for table in TABLES:
            folder = f"{self.root}/{table}"
            if self.store.is_folder(folder):
                names = [place for place in self.store.walk(folder) if isinstance(place, str)]
                found |= {name.rpartition("/run=")[2] for name in names if "/run=" in name}
        return found


def partition_value(value: str) -> str:
    """A value as Hive and Spark write it into a folder's name; every reader turns it back."""
    return _SPECIAL.sub(lambda found: f"%{ord(found[0]):02X}", value) or "unknown"


def check_run_name(name: str) -> str:
    """A run's name goes into folder names and must not look like a number or a date to a reader."""
    if not NAME.fullmatch(name):
        raise UsageError(
            say(
                "--run {name}: begin with a letter; then letters, digits, dots, dashes, underlines",
                name=repr(name),
            )
        )
    return name
