"""The lists of a run on the driver's disk: a million files must not fill its memory.

A database answers what the plan asks of them: which files are of one host, which incidents are known, what comes first.
It takes seconds for what a cluster would need to be asked about in a dozen small jobs.
"""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from mqdiag.fleet.files.incidents import incidents
from mqdiag.fleet.files.listing import EvidenceFile
from mqdiag.fleet.tables.layout import day_of
from mqdiag.fleet.work.item import WorkItem

_TABLES = """
create table files (environment text, service text, host text, file text);
create table known (incident text primary key, listing text, run text, taken integer default 0);
create index known_listing on known (listing);
create table fresh (incident text);
create table todo (incident text primary key, environment text, service text, host text, day text, bytes integer,
 listing text, item text);
create index todo_order on todo (bytes desc, incident);
"""


_ORDER = "day, service, environment, host, incident"
"""order of rows in the tables: a folder a day; a reader that asks for a service skips the rest by the files'
statistics"""


class WorkList:
    """Listed files, known incidents, and what is left to do; to be closed.

    Args:
        folder: of this run; removed by whoever made it.
    """

    def __init__(self, folder: Path) -> None:
        self._base = sqlite3.connect(folder / "work.sqlite")
        # Nothing in it outlives the run, so no power failure can harm it.
        self._base.executescript(f"pragma synchronous = off; pragma journal_mode = off; {_TABLES}")

    def add_files(self, files: Iterable[EvidenceFile]) -> None:
        """Take the listing over."""
        rows = (
            (file.labels.environment, file.labels.service, file.labels.host, msgspec.json.encode(file).decode())
            for file in files
        )
        self._base.executemany("insert into files values (?, ?, ?, ?)", rows)

    def add_known(self, known: Iterable[tuple[str, str, str]]) -> None:
        """Take over what `known_incidents` tells; of an incident's rows the first counts."""
        self._base.executemany("insert or ignore into known (incident, listing, run) values (?, ?, ?)", known)

    def group(self, window_s: float) -> None:
        """Group the files to incidents, and set those aside that their listing shows to be known."""
        order = "environment, service, host"
        rows = self._base.execute(f"select {order}, file from files order by {order}")
        for _, of_host in itertools.groupby(rows, key=lambda row: row[:3]):
            files = (msgspec.json.decode(row[3], type=EvidenceFile) for row in of_host)
            for one in incidents(files, window_s):
                known = self._base.execute(
                    "update known set taken = 1 where rowid ="
                    " (select rowid from known where listing = ? order by rowid limit 1)",
                    (one.listing,),
                )
                if not known.rowcount:
                    self._base.execute("insert into fresh values (?)", (msgspec.json.encode(one).decode(),))

    def fresh(self, size: int) -> Iterator[list[str]]:
        """Incidents (as JSON) that only their content can tell from known ones, in batches."""
        rows = self._base.execute("select incident from fresh order by rowid")
        while batch := rows.fetchmany(size):
            yield [incident for (incident,) in batch]

    def add(self, items: Iterable[WorkItem]) -> None:
        """Take over incidents with their keys; the same content on the same host is one incident."""
        for item in items:
            known = self._base.execute("update known set taken = 1 where incident = ?", (item.incident,))
            if not known.rowcount:
                self._base.execute(
                    "insert into todo values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (incident) do update"
                    " set listing = excluded.listing, item = excluded.item where excluded.listing < listing",
                    (
                        item.incident,
                        item.environment,
                        item.service,
                        item.host,
                        day_of(item.window_start_ns),
                        item.bytes,
                        item.listing,
                        msgspec.json.encode(item).decode(),
                    ),
                )

    def keep_largest(self, limit: int) -> None:
        """Leave the rest to a later run."""
        self._base.execute(
            "delete from todo where incident not in"
            " (select incident from todo order by bytes desc, incident limit ?)",
            (limit,),
        )

    def size(self) -> tuple[int, int]:
        """Number of incidents that are to be done, and their bytes."""
        count, total = self._base.execute("select count(*), coalesce(sum(bytes), 0) from todo").fetchone()
        return count, total

    def services(self) -> int:
        """Number of services for which something is to be done."""
        (count,) = self._base.execute("select count(distinct service) from todo").fetchone()
        return int(count)

    def items(self) -> Iterator[tuple[int, str]]:
        """Bytes of each incident and its WorkItem as JSON, in the order of work: the largest first."""
        return iter(self._base.execute("select bytes, item from todo order by bytes desc, incident"))

    def in_order(self) -> Iterator[tuple[str, str]]:
        """Day and key of each that is to be done, those of a day together, in it those of a service and host."""
        return iter(self._base.execute(f"select day, incident from todo order by {_ORDER}"))

    def known_count(self) -> int:
        """Number of listed incidents that an earlier run has done."""
        (count,) = self._base.execute("select count(*) from known where taken").fetchone()
        return int(count)

    def known_runs(self) -> list[str]:
        """Runs that have the rows of listed incidents that are known."""
        return [row[0] for row in self._base.execute("select distinct run from known where taken order by run")]

    def taken_from(self, run: str, incidents: list[str]) -> set[str]:
        """Those of some incidents (a few thousand at most) that are listed, and known from a run."""
        places = ", ".join("?" * len(incidents))
        query = f"select incident from known where taken and run = ? and incident in ({places})"
        return {row[0] for row in self._base.execute(query, (run, *incidents))}

    def close(self) -> None:
        """Let go of the database."""
        self._base.close()
