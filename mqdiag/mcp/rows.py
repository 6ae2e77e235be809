"""The rows of one query, computed in a process of its own.

DuckDB looks at interrupts between two steps of a query, and one step can take minutes. A process can be ended at any
time, and the server goes on.
"""

from __future__ import annotations

import os
from itertools import islice

import msgspec

from mqdiag.errors import EXIT_USAGE, InputError, MqdiagError, UsageError
from mqdiag.graph import open_heap
from mqdiag.progress import Steps
from mqdiag.query.memory_limit import memory_limited
from mqdiag.query.session import Limits, Session
from mqdiag.query.values import distinct_names, plain
from mqdiag.text import Text, say
from mqdiag.workers import Died, Step, called_in_worker

EXIT_STUCK = EXIT_USAGE
"""how the process ends where DuckDB does not end the query"""


class RowsRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A query of a dump."""

    path: str
    sql: str
    values: dict[str, str] = {}
    """values of its parameters, by name"""
    limit: int
    """rows at most"""
    hide: bool
    """put placeholders for texts of the application"""
    limits: Limits
    cache_bytes: int | None
    """see `open_heap`"""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """Its answer."""

    columns: list[str]
    rows: list[dict[str, object]]
    more: bool
    """there are further rows"""
    problem: str | None
    """what is wrong with the dump"""


def rows_of(asked: RowsRequest, check: Step) -> Found:
    """The answer of another process.

    Args:
        asked: the query.
        check: raises InputError if the budget of the run is used up; the process is then ended.

    Raises:
        MqdiagError: the query is none, failed, took too long, or its process ended.
    """
    try:
        found = called_in_worker(f"{__name__}.compute", (asked,), check)
    except OSError as error:
        reason = error.strerror or str(error)
        raise MqdiagError(say("no process can be started for the query: {reason}", reason=reason)) from error
    if isinstance(found, Found):
        return found
    if isinstance(found, MqdiagError):
        raise found
    if isinstance(found, Died) and found.code == EXIT_STUCK:
        raise UsageError(
            say("the query took longer than {seconds:decimal} s and was ended", seconds=asked.limits.seconds)
        )
    if isinstance(found, Died):
        raise MqdiagError(_end_of_process(found.code))
    raise MqdiagError(say("the query failed inside of mqdiag; mqdiag query --debug shows where"))


def compute(asked: RowsRequest, step: Step) -> Found | MqdiagError:
    """The answer, in this process."""
    progress = Steps(step)
    try:
        with open_heap(asked.path, progress=progress, cache_bytes=asked.cache_bytes, task="query") as heap:
            with (
                Session(heap, hide=asked.hide, limits=asked.limits, when_stuck=_end) as session,
                memory_limited(heap, asked.limits),
            ):
                answer = session.ask(asked.sql, asked.values)
                rows = answer.rows()
                columns = distinct_names(answer.columns)
                taken: list[dict[str, object]] = []
                for row in islice(rows, asked.limit):
                    step()
                    taken.append({name: plain(value) for name, value in zip(columns, row, strict=True)})
                more = next(rows, None) is not None
            heap.finish()
    except MqdiagError as error:
        return error
    problem = None if heap.problem is None else str(InputError(asked.path, heap.problem))
    return Found(columns=columns, rows=taken, more=more, problem=problem)


def _end_of_process(code: int) -> Text:
    if code < 0:
        return say("the process of the query was ended by signal {signal}", signal=-code)
    return say("the process of the query ended with code {code}", code=code)


def _end(why: Text) -> None:
    os._exit(EXIT_STUCK)
