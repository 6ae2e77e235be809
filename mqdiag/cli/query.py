"""`mqdiag query`: questions to a heap dump in SQL."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

import click

from mqdiag.cli.common import commands
from mqdiag.cli.common.cache_options import CACHE, cache_bytes
from mqdiag.cli.common.completion import complete_files, complete_recipes
from mqdiag.cli.common.failures import complain
from mqdiag.cli.common.given_file import given_file
from mqdiag.cli.common.language import reader_language
from mqdiag.cli.common.options import output_option, with_options
from mqdiag.cli.common.output import Target
from mqdiag.cli.common.progress import terminal_progress
from mqdiag.errors import EXIT_USAGE, UsageError
from mqdiag.progress import Progress, Silent
from mqdiag.text import Text, say

if TYPE_CHECKING:
    from mqdiag.query.session import Answer

T = TypeVar("T")
Listed = tuple[tuple[str, ...], list[tuple[str, ...]]]
"""names of columns, rows"""
SHAPES = ("table", "json", "csv", "parquet", "markdown")
TABLE_ROWS = 1000
"""rows of a table where `--limit` says nothing"""
ROWS_AT_A_TIME = 10_000
"""rows after which the run asks whether it is within its budget"""


@commands.command("query", short_help="Ask a heap dump in SQL.")
@commands.argument("dump", required=False, shell_complete=complete_files)
@commands.argument("sql", required=False)
@commands.option(
    "-f", "--file", "file", metavar="FILE", shell_complete=complete_files, help="Read the SQL from FILE."
)
@commands.option(
    "--recipe",
    metavar="NAME",
    shell_complete=complete_recipes,
    help="Run a ready query; --recipe list names all, and needs no DUMP.",
)
@commands.option("--tables", is_flag=True, help="Show all tables, columns and what they mean; needs no DUMP.")
@commands.option(
    "--set", "given", metavar="NAME=VALUE", multiple=True, help="A value for $NAME; may be repeated."
)
@commands.option(
    "--format",
    "shape",
    type=click.Choice(SHAPES),
    default="table",
    show_default=True,
    help="How the rows are written.",
)
@output_option("Write the rows to FILE, whole or not at all; - is standard output.")
@commands.option(
    "--limit",
    type=click.IntRange(1),
    help="Write at most this many rows; by default 1,000 of a table, all of other formats.",
)
@commands.option(
    "--timeout",
    type=click.FloatRange(0.1),
    default=300.0,
    show_default=True,
    help="Seconds after which a query is given up.",
)
@commands.option(
    "--memory",
    type=click.IntRange(64),
    metavar="MIB",
    help="MiB for sorting and joining; a quarter of the machine's.",
)
@commands.option("--redact", is_flag=True, help="Hide texts of strings and names of the application's threads.")
@commands.option("--debug", is_flag=True, help="Show the traceback of an internal fault.")
@with_options(CACHE)
def command(
    dump: str | None,
    sql: str | None,
    file: str | None,
    recipe: str | None,
    tables: bool,
    given: tuple[str, ...],
    shape: str,
    output: str,
    limit: int | None,
    timeout: float,
    memory: int | None,
    redact: bool,
    debug: bool,
    no_cache: bool,
    cache_size: str | None,
) -> int:
    """Ask DUMP, an .hprof or .hprof.gz file, with a SELECT of SQL.

    The tables are classes, objects, refs, statics, roots, threads, frames, strings, arrays, maps, entries, dump, and
    consumers, queues and messages of RocketMQ. A class is a table too: put its name, or the end of it, in quotation
    marks. --tables says what the columns mean, --recipe list names ready queries.

    Without SQL it is read from standard input; a terminal gets a prompt. Nothing is written but the rows: a query can
    neither change the dump nor read another file.
    """
    from mqdiag.query import refuse_without_packages

    target = Target(output, inputs=tuple(each for each in (dump, file) if each is not None))
    if tables or recipe == "list":
        return _list(_tables() if tables else _recipes(), shape, target)
    if dump is None:
        raise UsageError(say("give a heap dump: mqdiag query DUMP; --recipe list and --tables need none"))
    if shape == "parquet" and target.path is None:
        raise UsageError(say("--format parquet needs a file: -o FILE"))
    asked = _asked(dump, sql, file, recipe)
    values = _values(given)
    refuse_without_packages()
    # Here, not above: these imports take numba, numpy and DuckDB with them.
    from mqdiag.cli.common.watchdog import end_process, watched
    from mqdiag.graph import open_heap
    from mqdiag.query.memory_limit import memory_limited
    from mqdiag.query.session import Limits, Session

    limits = Limits(seconds=timeout) if memory is None else Limits(seconds=timeout, memory_bytes=memory << 20)
    with given_file(dump) as path:
        with terminal_progress(reader_language()) as shown, watched(shown, (dump,)) as progress:
            kept = cache_bytes(no_cache, cache_size, dump)
            heap = open_heap(path, name=dump, progress=progress, cache_bytes=kept, task="query")
            heap.stays_open = True
        if heap.problem is not None:
            complain(_part_only(dump, heap.problem))
        when_stuck = partial(end_process, code=EXIT_USAGE)
        with (
            heap,
            Session(heap, hide=redact, limits=limits, when_stuck=when_stuck) as session,
            memory_limited(heap, limits),
        ):
            if asked is None:
                from mqdiag.cli.common.prompt import prompt

                code = prompt(session, heap, lambda found: _shown(found, "table", limit, Silent()))
            else:
                code = 0
                with watched(
                    Silent(), (dump,), more_cpu_s=limits.cpu_s, more_memory_bytes=limits.memory_bytes
                ) as progress:
                    _write(session.ask(asked, values), shape, limit, target, progress)
            heap.finish()
    return code


def _part_only(dump: str, problem: Text) -> Text:
    return say(
        "{path} is cut or damaged: the answer is about the part that could be read ({problem})",
        path=dump,
        problem=problem,
    )


def _asked(dump: str, sql: str | None, file: str | None, recipe: str | None) -> str | None:
    """The SQL; None for a prompt."""
    from mqdiag.query.length import MOST_SQL

    if sum(each is not None for each in (sql, file, recipe)) > 1:
        raise UsageError(say("give SQL, --file or --recipe, one of them"))
    if sql is not None:
        return _not_too_long(sql)
    if recipe is not None:
        from mqdiag.query.recipes import recipe as recipe_named

        return recipe_named(recipe).sql
    if file is not None and file != "-":
        try:
            with open(file, encoding="utf-8") as opened:
                return _not_too_long(opened.read(MOST_SQL + 1))
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "is no UTF-8 text"
            raise UsageError(say("--file {path}: {reason}", path=file, reason=reason)) from None
    if dump == "-":
        raise UsageError(say("standard input is the dump; give the SQL as an argument or with --file"))
    if sys.stdin is None:
        raise UsageError(say("standard input is closed; give the SQL as an argument or with --file"))
    return None if sys.stdin.isatty() else _not_too_long(sys.stdin.read(MOST_SQL + 1))


def _not_too_long(sql: str) -> str:
    """The SQL, if it is not too long: told before the dump is read."""
    from mqdiag.query.length import refuse_too_long

    refuse_too_long(sql)
    return sql


def _values(given: tuple[str, ...]) -> dict[str, str]:
    values = {}
    for each in given:
        name, sign, value = each.partition("=")
        if not sign or not name:
            raise UsageError(say("--set {given} is not NAME=VALUE", given=each))
        values[name] = value
    return values


def _recipes() -> Listed:
    from mqdiag.query.recipes import recipes

    return ("recipe", "answers", "values to set"), [
        (one.name, one.answers, ", ".join(f"${name}" for name in one.parameters)) for one in recipes().values()
    ]


def _tables() -> Listed:
    from mqdiag.query.meanings import column_rows

    return ("table", "column", "meaning"), list(column_rows())


def _list(listed: Listed, shape: str, target: Target) -> int:
    """Write what is known without a dump."""
    if shape == "parquet":
        raise UsageError(say("--format parquet is for the rows of a query"))
    from mqdiag.query.formats import row_writer
    from mqdiag.query.formats.table import listing

    target.write_lines((listing if shape == "table" else row_writer(shape))(*listed))
    return 0


def _write(found: Answer, shape: str, limit: int | None, target: Target, progress: Progress) -> None:
    if shape != "parquet":
        target.write_lines(_shown(found, shape, limit, progress))
        return
    from mqdiag.query.parquet import write_parquet

    with target.whole() as file:
        write_parquet(found.schema, _allowed(found.batches(limit), progress), file)


def _shown(found: Answer, shape: str, limit: int | None, progress: Progress) -> Iterator[str]:
    from mqdiag.query.formats import row_writer

    most = TABLE_ROWS if limit is None and shape == "table" else limit
    rows = _allowed(found.rows(), progress, ROWS_AT_A_TIME)
    yield from row_writer(shape)(found.columns, islice(rows, most))
    if most is not None and next(rows, None) is not None:
        complain(say("there are more rows than the {most:count} shown; --limit shows more", most=most))


def _allowed(parts: Iterator[T], progress: Progress, every: int = 1) -> Iterator[T]:
    """The parts of an answer, as long as the run is within its budget.

    Raises:
        InputError: it is not.
    """
    for number, part in enumerate(parts):
        if number % every == 0:
            progress.advance(0.0)
        yield part
