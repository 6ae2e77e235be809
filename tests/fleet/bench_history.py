"""What a long history costs: plan, state and views of an output of many runs, made of rows.

python -m tests.fleet.bench_history FOLDER [--runs 200] [--incidents 20000] [--new 1000]

Each run lists so many incidents, of which so many are new; one of five has a finding.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pyarrow as pa

from mqdiag.fleet.files.storage import storage
from mqdiag.fleet.tables.arrow import file_schema, parquet, table_bytes
from mqdiag.fleet.tables.commit import clean_up, write_run
from mqdiag.fleet.tables.earlier import known_incidents, write_history
from mqdiag.fleet.tables.layout import Layout, RunMark
from mqdiag.fleet.tables.schemas import BY_DAY, HISTORY, INCIDENTS, SCHEMA_VERSION
from mqdiag.fleet.views.script import views_script

HOSTS = 2_000
BEGIN = datetime(2026, 1, 1, 2, tzinfo=UTC)


def made(table: str, numbers: range, run: Callable[[int], str], per_night: int) -> pa.Table:
    """Rows of a table, one for each of some incidents."""
    each = list(numbers)
    start = [BEGIN + timedelta(days=number // per_night) for number in each]
    host = [number % HOSTS for number in each]
    columns = {
        "incident": [f"{number:016x}" for number in each],
        "environment": [""] * len(each),
        "service": [f"service-{one % 80}" for one in host],
        "host": [f"host-{one}" for one in host],
        "replica": [f"host-{one}" for one in host],
        "window_start": start,
        "analysed_in": [run(number) for number in each],
        "analysed_at": start,
        "status": ["ok"] * len(each),
        "again": [False] * len(each),
        "listing": [f"l{number:016x}" for number in each],
        "evidence": [f"e{number:016x}" for number in each],
        "settings": ["s"] * len(each),
        "checked": [["r"]] * len(each),
        "refutes": [["r"]] * len(each),
        "heads": [[f"h{number:016x}"] for number in each],
        "rule": ["r"] * len(each),
        "cause": ["c"] * len(each),
        "severity": ["error"] * len(each),
        "severity_rank": [0] * len(each),
        "title": ["a fault"] * len(each),
        "position": [0] * len(each),
        "shown_by": [["r"]] * len(each),
    }
    schema = file_schema(table)
    own = [
        pa.array(columns[field.name], field.type) if field.name in columns else pa.nulls(len(each), field.type)
        for field in schema
    ]
    return pa.Table.from_arrays(own, schema=schema)


def write(layout: Layout, runs: int, incidents: int, new: int) -> None:
    """The whole output."""

    def run_of(number: int) -> str:
        return f"r{max(0, (number - incidents) // new + 1):04d}"

    for night in range(runs):
        run = f"r{night:04d}"
        listed = range(night * new, night * new + incidents)
        own = listed if not night else range(listed.stop - new, listed.stop)
        day = f"{BEGIN + timedelta(days=listed.stop // new):%Y-%m-%d}"
        rows = made(INCIDENTS.name, listed, run_of, new)
        layout.store.write(layout.part(INCIDENTS.name, run, "", 0), table_bytes(rows), durable=False)
        for table in BY_DAY:
            found = made(table, range(own.start, own.stop, 5), run_of, new) if table == "findings" else None
            if found is not None or not night:
                data = parquet(table, []) if found is None else table_bytes(found)
                layout.store.write(layout.part(table, run, day, 0), data, durable=False)
        moment = BEGIN + timedelta(days=listed.stop // new)
        mark = RunMark(
            run=run,
            order=night + 1,
            mqdiag="0",
            schema_version=SCHEMA_VERSION,
            started_at=moment,
            finished_at=moment,
            incidents=len(listed),
            analysed=len(own),
            failed=0,
            bytes=1,
        )
        write_run(layout, mark)
        layout.mark(mark)


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Print seconds of the clock and of the processors, and the peak of memory so far."""
    wall, used = time.monotonic(), time.process_time()
    yield
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(
        f"{what}: {time.monotonic() - wall:.2f} s, {time.process_time() - used:.2f} s of CPU, peak {peak} MiB"
    )


def main() -> None:
    """Make what is not there, and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    for name, value in {"runs": 200, "incidents": 20_000, "new": 1_000}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    asked = parser.parse_args()
    layout = Layout(*storage(str(asked.folder)))
    if not layout.runs():
        with timed("made"):
            write(layout, asked.runs, asked.incidents, asked.new)
    with timed("plan: what is known"):
        known = sum(1 for _ in known_incidents(layout, layout.runs(), settings="s", limits=""))
    print(f"{known} rows")
    if not layout.partitions_of(HISTORY.name):
        with timed("the first history, of all runs"):
            write_history(layout, layout.runs()[-2].run, layout.runs()[:-2])
    with timed("the history of a run"):
        write_history(layout, layout.runs()[-1].run, layout.runs()[:-1])
        clean_up(layout, layout.runs()[-1].run)
    with timed("plan: what is known, by the history"):
        known = sum(1 for _ in known_incidents(layout, layout.runs(), settings="s", limits=""))
    print(f"{known} rows")
    base = duckdb.connect(config={"threads": 2})
    _ask(base, layout)
    marks = layout.runs()
    old = len(marks) - 1 - known // (2 * asked.incidents)
    layout.store.remove_folder(layout.partition(HISTORY.name, marks[-1].run))
    write_history(layout, marks[old].run, marks[:old])
    print(f"with the history of {len(marks) - 1 - old} runs ago, the oldest that there is:")
    with timed("plan"):
        known = sum(1 for _ in known_incidents(layout, marks, settings="s", limits=""))
    print(f"{known} rows")
    _ask(base, layout)


def _ask(base: duckdb.DuckDBPyConnection, layout: Layout) -> None:
    base.execute(views_script(layout.root, "duckdb"))
    for view in ("current_incidents", "evidence_history", "fault_times", "open_findings", "trend"):
        with timed(view):
            ((count,),) = base.sql(f"SELECT count(*) FROM (SELECT md5(v::VARCHAR) FROM {view} v)").fetchall()
        print(f"{count} rows")


if __name__ == "__main__":
    main()
