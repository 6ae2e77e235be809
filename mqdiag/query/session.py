"""Asks a heap in SQL: DuckDB plans and computes, the tables are read from the graph."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from functools import partial
from typing import Any

import duckdb
import msgspec
import pyarrow as pa

from mqdiag.errors import UsageError
from mqdiag.graph import Heap
from mqdiag.query.class_view import class_view
from mqdiag.query.functions import FUNCTIONS, callables
from mqdiag.query.length import refuse_too_long
from mqdiag.query.meanings import table_meanings
from mqdiag.query.mentioned import Mentioned, SyntaxFault, mentioned
from mqdiag.query.reserved_words import reserved_name
from mqdiag.query.table import Stream, Table
from mqdiag.query.tables import known_table, table_names
from mqdiag.show.target import find_class
from mqdiag.spelling import did_you_mean, nearest
from mqdiag.text import Text, say

_COLUMN = re.compile(r'[Cc]olumn (?:with name )?"([^"]+)"')
_QUOTED = re.compile(r'"([^"]+)"')
_SIZES = {"shallow": "bytes of the object itself", "retained": "retained bytes; 0 for an unreachable object"}
_BATCH = 10_000
GRACE_S = 5.0
"""in which DuckDB usually ends a query that was interrupted"""
_LEAST_MEMORY = 512 << 20
TOO_MUCH_MEMORY = say("the query needs more memory than it may take; --memory allows more")


def _quarter_of_memory() -> int:
    return max(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4, _LEAST_MEMORY)


class Limits(msgspec.Struct, frozen=True):
    """What a query may take."""

    seconds: float = 300.0
    memory_bytes: int = msgspec.field(default_factory=_quarter_of_memory)
    """memory of DuckDB: for grouping, sorting and joining; nothing is written to a disk"""

    @property
    def cpu_s(self) -> float:
        """CPU time that a query can take: each processor may be busy with it until its time is up."""
        return self.seconds * len(os.sched_getaffinity(0))


class Answer:
    """What a query found; its rows are computed while they are taken."""

    def __init__(self, watch: Callable[[], _Watch], batches: pa.RecordBatchReader) -> None:
        self._watch, self._batches = watch, batches
        self.columns: list[str] = batches.schema.names

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The rows, once.

        Raises:
            UsageError: the query failed while it ran, took too long, or has a value that Python has not.
        """
        # Closed at once where a value cannot be: or its timer goes on, and interrupts another query.
        with closing(self._record_batches()) as batches:
            for batch in batches:
                yield from zip(*map(_values, self.columns, batch.columns), strict=True)

    def arrow(self, limit: int | None = None) -> pa.Table:
        """All rows as one Arrow table, instead of `rows`.

        Args:
            limit: take so many at most.
        """
        return pa.Table.from_batches(list(self.batches(limit)), self.schema)

    @property
    def schema(self) -> pa.Schema:
        """Names and types of the columns, for Arrow."""
        return self._batches.schema

    def batches(self, limit: int | None = None) -> Iterator[pa.RecordBatch]:
        """The rows some thousands at a time, instead of `rows`.

        Args:
            limit: take so many rows at most.
        """
        taken = 0
        with closing(self._record_batches()) as batches:
            for batch in batches:
                part = batch if limit is None else batch.slice(0, limit - taken)
                yield part
                taken += part.num_rows
                if taken == limit:
                    break

    def _record_batches(self) -> Generator[pa.RecordBatch, None, None]:
        with self._watch():
            yield from self._batches


class Session:
    """SQL over one heap; `close` it.

    Args:
        heap: the graph.
        hide: put placeholders for texts of the application, as `--redact` does.
        limits: what a query may take.
        when_stuck: called with the reason, in another thread, if a query goes on `GRACE_S` after its time was up and
            it was interrupted: DuckDB looks at interrupts between two steps, and one step can take minutes. It is to
            end the process. Without it the caller waits.

    A session answers one query at a time.
    """

    def __init__(
        self,
        heap: Heap,
        *,
        hide: bool = False,
        limits: Limits | None = None,
        when_stuck: Callable[[Text], None] | None = None,
    ) -> None:
        self._heap, self._hide, self._limits = heap, hide, limits or Limits()
        self._when_stuck = when_stuck
        self._made: dict[str, Table] = {}
        self._connection: Any = duckdb.connect(
            ":memory:",
            config={
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
                # Nothing is read there. The defaults would tell the user's home folder to whoever asks for settings.
                "extension_directory": "none",
                "secret_directory": "none",
                "memory_limit": f"{self._limits.memory_bytes // 1024}KiB",
                "temp_directory": "",
            },
        )
        # The stubs of duckdb want members of an enum that older versions keep elsewhere; the texts fit all versions.
        create_function: Any = self._connection.create_function
        for name, call in callables(heap, hide).items():
            create_function(
                name, call, ["UBIGINT"], FUNCTIONS[name].result, type="arrow", null_handling="special"
            )
        self._connection.execute("CREATE MACRO address(id) AS format('0x{:x}', id)")
        # Not in `config`: there DuckDB 2 takes ":memory:" for a file of the working folder, and allows to read it.
        self._connection.execute("SET enable_external_access = false")
        # A name that is no table must not become a variable of this program.
        self._connection.execute("SET python_enable_replacements = false")
        self._connection.execute("SET lock_configuration = true")

    def close(self) -> None:
        """Close the connection to DuckDB."""
        self._connection.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def ask(self, sql: str, parameters: Mapping[str, str] | None = None) -> Answer:
        """Run one query.

        Args:
            sql: a SELECT.
            parameters: values of `$name` in it, as texts.

        Raises:
            UsageError: it is no query, is too long, names what is not there, or fails; the message has one line.
        """
        refuse_too_long(sql)
        serialized = self._serialized(sql)
        try:
            names = mentioned(serialized)
        except SyntaxFault as fault:
            raise UsageError(self._reserved(sql, fault.place) or fault.text) from None
        self._refuse_unquoted(names)
        tables = {name: self._table(name) for name in names.tables}
        _refuse_alike(tables)
        # Of its own, so that an answer of which not all rows were taken is in nobody's way.
        connection = self._connection.cursor()
        watch = partial(_Watch, connection, self._limits.seconds, self._when_stuck)
        try:
            with watch():
                for name, table in tables.items():
                    connection.register(name, Stream(table, _wanted(table, names)))
                found = connection.sql(sql, params=dict(parameters) if parameters else None)
                return Answer(watch, found.to_arrow_reader(_BATCH))
        except UsageError as error:
            raise UsageError(_with_columns(error.text, tables.values())) from None

    def tables(self) -> dict[str, str]:
        """The tables that every dump has, with what they hold."""
        return {name: words.holds for name, words in table_meanings().items()}

    def columns(self, table: str) -> dict[str, str]:
        """The columns of a table or class, with what they mean.

        Raises:
            UsageError: there is no such table.
        """
        known = table_meanings().get(table.lower())
        if known is not None:
            return known.columns
        own = {"object_id": "id of the object", **_SIZES}
        return {name: own.get(name, "field of its class") for name in self._table(table).columns}

    def _refuse_unquoted(self, names: Mentioned) -> None:
        for name in names.unquoted:
            if self._heap.classes.indices_named(name):
                raise UsageError(say("put the name of a class in quotation marks: {name}", name=f'"{name}"'))

    def _serialized(self, sql: str) -> str:
        try:
            ((found,),) = self._connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchall()
        except duckdb.Error as error:
            raise UsageError(say("no SQL: {message}", message=_message(error))) from None
        return str(found)

    def _reserved(self, sql: str, place: int | None) -> Text | None:
        rows = self._connection.execute(
            "SELECT lower(keyword_name) FROM duckdb_keywords() WHERE keyword_category IN ('reserved', 'type_function')"
        ).fetchall()
        fields: dict[str, str] = {}
        for name in _QUOTED.findall(sql):
            with suppress(UsageError):
                fields.update((each.lower(), each) for each in self._table(name).columns)
        return reserved_name(sql, place, frozenset(word for (word,) in rows), fields)

    def _table(self, name: str) -> Table:
        known = known_table(name)
        key = name if known is None else known.name
        if key not in self._made:
            self._made[key] = (
                class_view(self._heap, self._class(name), self._hide)
                if known is None
                else known.make(self._heap, self._hide)
            )
        return self._made[key]

    def _class(self, name: str) -> str:
        try:
            return find_class(self._heap, name)
        except UsageError as error:
            meant = nearest(name, table_names())
            if meant:
                raise UsageError(did_you_mean(say("there is no table {name}", name=name), meant)) from None
            if name.islower() and "." not in name:
                # written as tables are; classes of an application have a package or a capital letter
                raise UsageError(
                    say(
                        "there is no table {name}; there are {tables:and}",
                        name=name,
                        tables=tuple(table_names()),
                    )
                ) from None
            raise error from None


class _Watch:
    """Interrupts DuckDB when the time is up, and tells its errors in a line."""

    def __init__(
        self, connection: Any, seconds: float, when_stuck: Callable[[Text], None] | None = None
    ) -> None:
        self._connection, self._seconds, self._when_stuck = connection, seconds, when_stuck
        self._late = False
        self._timer = threading.Timer(seconds, self._stop)
        self._timer.daemon = True

    def _stop(self) -> None:
        self._late = True
        self._connection.interrupt()
        if self._when_stuck is not None and not self._timer.finished.wait(GRACE_S):
            self._when_stuck(self._too_late())

    def _too_late(self) -> Text:
        return say(
            "the query took longer than {seconds:decimal} s; --timeout allows more", seconds=self._seconds
        )

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self._timer.cancel()
        if self._late and error is not None:
            raise UsageError(self._too_late()) from None
        # What fails while rows are taken comes by way of Arrow, as an OSError with DuckDB's message.
        if isinstance(error, duckdb.OutOfMemoryException | MemoryError) or "Out of Memory Error" in str(error):
            raise UsageError(TOO_MUCH_MEMORY) from None
        if isinstance(error, duckdb.Error | pa.ArrowException | OSError):
            raise UsageError(say("{message}", message=_message(error))) from None


def _values(name: str, column: pa.Array) -> list[Any]:
    """A column as Python's values; sums of whole numbers are decimals for DuckDB and whole numbers here."""
    try:
        found: list[Any] = column.to_pylist()
    except (OverflowError, ValueError, pa.ArrowException):
        # Such as the timestamp 'infinity': Python's times end with the year 9999.
        raise UsageError(
            say("column {name} has a value that cannot be written; cast it to VARCHAR", name=name)
        ) from None
    if pa.types.is_decimal(column.type) and column.type.scale == 0:
        return [None if value is None else int(value) for value in found]
    return found


def _message(error: Exception) -> str:
    """DuckDB's message without its picture of the query."""
    return str(error).split("\nLINE ")[0].replace("\n", " ").strip()


def _wanted(table: Table, names: Mentioned) -> list[str]:
    """The columns that a query may mean; one at least, since a table without columns has no rows either."""
    former = [name for name in table.former if name in names.words]
    if names.everything:
        return [*table.columns, *former]
    found = [name for name in table.columns if name.lower() in names.words] + former
    return found or list(table.columns)[:1]


def _refuse_alike(tables: Mapping[str, Table]) -> None:
    """SQL knows no case: two classes whose names differ by it alone cannot be told apart in one query."""
    seen: dict[str, str] = {}
    for name in tables:
        other = seen.setdefault(name.lower(), name)
        if other != name and tables[other] is not tables[name]:
            raise UsageError(
                say(
                    "{one} and {other} differ by case alone; ask for one of them at a time",
                    one=name,
                    other=other,
                )
            )


def _with_columns(message: Text, tables: Iterable[Table]) -> Text:
    """A message about a column that is not there, with the names that may be meant."""
    found = _COLUMN.search(str(message.values.get("message", "")))
    if found is None:
        return message
    known = {name for table in tables for name in table.columns}
    return did_you_mean(say("there is no column {name}", name=found[1]), nearest(found[1], known))
