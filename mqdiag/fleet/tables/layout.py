"""Folders of a fleet's output: where tables, runs and unfinished work lie, and which runs are whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import msgspec

from mqdiag.errors import UsageError
from mqdiag.fleet.files.storage import Entry, Storage
from mqdiag.fleet.tables.schemas import ALL_TABLES, SCHEMA_VERSION
from mqdiag.text import say

STAGING = "_staging"
RUNS = "_runs"
NAME = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,99}")


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
        """The whole runs, oldest first.

        Raises:
            UsageError: tables of another schema are there; rows of both would not fit together.
        """
        folder = f"{self.root}/{RUNS}"
        if not self.store.is_folder(folder):
            return []
        marks = [
            msgspec.json.decode(self.store.read(found.path), type=RunMark)
            for found in self.store.walk(folder)
            if isinstance(found, Entry) and found.path.endswith(".json")
        ]
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

    def mark(self, mark: RunMark) -> None:
        """Make a run whole."""
        data = msgspec.json.format(msgspec.json.encode(mark), indent=2)
        self.store.write(f"{self.root}/{RUNS}/{mark.run}.json", data + b"\n")

    def partition(self, table: str, run: str) -> str:
        """Folder of a table's rows of a run."""
        return f"{self.root}/{table}/run={run}"

    def files(self, table: str, runs: set[str]) -> Iterator[tuple[str, str]]:
        """URIs of a table's files, each with its run."""
        for run in sorted(runs):
            folder = self.partition(table, run)
            if not self.store.is_folder(folder):
                continue
            for found in self.store.walk(folder):
                if isinstance(found, Entry) and found.path.endswith(".parquet"):
                    yield self.store.uri(found.path), run

    def partitioned_runs(self) -> set[str]:
        """Runs that any table has rows of, whole or not."""
        found = set()
        for table in ALL_TABLES:
            folder = f"{self.root}/{table}"
            if self.store.is_folder(folder):
                names = [place for place in self.store.walk(folder) if isinstance(place, str)]
                found |= {name.rpartition("/run=")[2] for name in names if "/run=" in name}
        return found


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
