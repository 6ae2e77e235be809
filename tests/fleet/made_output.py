"""Outputs of fleet runs made of rows, without Spark: for tests of what happens to tables after a run."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec

from mqdiag.fleet.files.instances import instance_of
from mqdiag.fleet.tables.arrow import parquet
from mqdiag.fleet.tables.commit import CHUNK, clean_up, write_run
from mqdiag.fleet.tables.earlier import update_history
from mqdiag.fleet.tables.layout import Layout, RunMark, day_of
from mqdiag.fleet.tables.schemas import BY_DAY, INCIDENTS, SCHEMA_VERSION, UNKNOWN_DAY

Row = dict[str, Any]
T = TypeVar("T")


def at(day: int, hour: int = 8) -> datetime:
    """A time in November 2026."""
    return datetime(2026, 11, day, hour, tzinfo=UTC)


class Analysed(msgspec.Struct, frozen=True, kw_only=True):
    """An incident with its result, as a run analyses it."""

    incident: str
    host: str
    window_start: datetime | None
    service: str = "orders"
    checked: tuple[str, ...] = ()
    findings: tuple[Row, ...] = ()
    """columns of their own"""
    consumers: tuple[Row, ...] = ()
    failures: tuple[Row, ...] = ()
    more: Row = {}
    """further columns of the row of `incidents`"""


def finding(rule: str, severity: str = "error", **more: Any) -> Row:
    """Columns of a finding."""
    rank = ("error", "warning", "info").index(severity)
    return {"rule": rule, "cause": "c", "severity": severity, "severity_rank": rank, "title": rule, **more}


def write_output(
    layout: Layout,
    run: str,
    analysed: Sequence[Analysed],
    known: Sequence[Row] = (),
    ended: datetime | None = None,
) -> list[Row]:
    """Write a whole run.

    Args:
        layout: the output, which may have runs.
        run: its name.
        analysed: what it analysed.
        known: rows of `incidents` that it took over.
        ended: when; today by default.

    Returns:
        Its own rows of `incidents`.
    """
    marks = layout.runs()
    order = len(marks) + 1
    ended = ended or at(22, order)
    of_days: dict[str, list[Analysed]] = {}
    for one in analysed:
        start = None if one.window_start is None else int(one.window_start.timestamp() * 1e9)
        of_days.setdefault(day_of(start), []).append(one)
    parts = [(day, some) for day, of_day in of_days.items() for some in _batched(of_day)]
    own: list[Row] = []
    for number, (day, some) in enumerate(parts or [(UNKNOWN_DAY, ())]):
        own += _write_part(layout, run, day, number, some, ended)
    for number, rows in enumerate(_batched([*own, *known])):
        _put(layout, layout.part(INCIDENTS.name, run, "", number), INCIDENTS.name, rows)
    if not own and not known:
        _put(layout, layout.part(INCIDENTS.name, run, "", 0), INCIDENTS.name, [])
    mark = RunMark(
        run=run,
        order=order,
        mqdiag="0",
        schema_version=SCHEMA_VERSION,
        started_at=ended,
        finished_at=ended,
        incidents=len(own) + len(known),
        analysed=len(own),
        failed=0,
        bytes=1,
    )
    update_history(layout, run, marks)
    write_run(layout, mark)
    layout.mark(mark)
    clean_up(layout, run)
    return own


def _write_part(
    layout: Layout, run: str, day: str, number: int, analysed: Sequence[Analysed], ended: datetime
) -> list[Row]:
    """Write one file of each table of evidence, and give the rows of `incidents`."""
    tables: dict[str, list[Row]] = {table: [] for table in BY_DAY}
    own: list[Row] = []
    for one in analysed:
        instance = instance_of(one.host, {})
        leading = {
            "incident": one.incident,
            "environment": "",
            "service": one.service,
            "host": one.host,
            "workload": instance.workload,
            "replica": instance.replica,
            "window_start": one.window_start,
        }
        tables["inputs"].append({**leading, "path": f"/in/{one.incident}"})
        for table in ("findings", "consumers", "failures"):
            tables[table] += [{**leading, **row} for row in getattr(one, table)]
        own.append(
            {
                **leading,
                "analysed_in": run,
                "analysed_at": ended,
                "status": "ok",
                "again": False,
                "listing": f"l-{one.incident}",
                "evidence": f"e-{one.incident}",
                "settings": "s",
                "revision": instance.revision,
                "checked": list(one.checked),
                **one.more,
            }
        )
    for table, rows in tables.items():
        if rows or not number:
            _put(layout, layout.part(table, run, day, number), table, rows)
    return own


def _batched(every: Sequence[T]) -> list[Sequence[T]]:
    """As many as a file of a run has."""
    return [every[start : start + CHUNK] for start in range(0, len(every), CHUNK)]


def _put(layout: Layout, path: str, table: str, rows: Sequence[Row]) -> None:
    layout.store.write(path, parquet(table, rows), durable=False)
