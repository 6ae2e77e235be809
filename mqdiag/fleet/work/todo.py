"""The list of what a run has to do, on the driver's disk: a million incidents must not fill its memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from pyspark.sql import DataFrame

from mqdiag.fleet.work.waves import Todo


class TodoList:
    """Written once, in the order of work; read in that order, and by service for the commit.

    Args:
        folder: of this run; removed by whoever made it.
    """

    def __init__(self, folder: Path) -> None:
        self._base = sqlite3.connect(folder / "todo.sqlite")
        self._base.execute("pragma synchronous = off")
        self._base.execute("create table todo (incident text, service text, bytes integer, item text)")

    def fill(self, planned: DataFrame, limit: int | None) -> None:
        """Take the plan over, the largest first, up to the limit."""
        rows = (planned if limit is None else planned.limit(limit)).toLocalIterator()
        self._base.executemany(
            "insert into todo values (?, ?, ?, ?)",
            ((row["incident"], row["label_service"], row["bytes"], row["item"]) for row in rows),
        )
        self._base.commit()

    def size(self) -> tuple[int, int]:
        """Number of incidents, and their bytes."""
        count, total = self._base.execute("select count(*), coalesce(sum(bytes), 0) from todo").fetchone()
        return count, total

    def items(self) -> Iterator[Todo]:
        """In the order of work."""
        for size, item in self._base.execute("select bytes, item from todo order by rowid"):
            yield Todo(bytes=size, item=item)

    def by_service(self) -> Iterator[tuple[str, str]]:
        """Service and key of each."""
        yield from self._base.execute("select service, incident from todo order by service, incident")

    def close(self) -> None:
        """Let go of the file."""
        self._base.close()
