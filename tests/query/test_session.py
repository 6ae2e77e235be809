"""What a query may and may not do, and what it is told."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from mqdiag.errors import UsageError
from mqdiag.graph import Heap, open_heap
from mqdiag.query.meanings import table_meanings
from mqdiag.query.memory_limit import memory_limited
from mqdiag.query.mentioned import mentioned
from mqdiag.query.session import Limits, Session
from mqdiag.query.table import Stream, Table
from mqdiag.query.tables import table_names
from mqdiag.query.times import times_array
from tests.graph.opening import heap_of
from tests.graph.small_dump import small_dump
from tests.layers import CHECK, one_in_each_run
from tests.writers.hprof_records import CHAR, DOUBLE, INT, OBJECT
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import JavaObjects

STUCK = Path(__file__).parents[2] / "fixtures" / "heap" / "stuck-one-4.9.8" / "dump.hprof.gz"


@pytest.fixture(scope="module")
def heap(tmp_path_factory: pytest.TempPathFactory) -> Heap:
    return heap_of(small_dump(), tmp_path_factory.mktemp("small"))


@pytest.fixture
def session(heap: Heap) -> Iterator[Session]:
    with Session(heap) as made:
        yield made


@one_in_each_run(3)
@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELEC 1", r'^no SQL: syntax error at or near "SELEC" \(character 1\)$'),
        (
            "SELECT group FROM queues",
            r"^no SQL: group is a reserved word \(character 8\); the column is consumer_group$",
        ),
        (
            'SELECT max(table) FROM "java.util.HashMap"',
            r'^no SQL: table is a reserved word \(character 12\); as a name it is written "table"$',
        ),
        ("SELECT a FROM dump ORDER BY LIMIT", r'^no SQL: syntax error at or near "LIMIT"'),
        ("", "^one query at a time; this text has 0$"),
        ("SELECT 1; SELECT 2", "^one query at a time; this text has 2$"),
        ("DROP TABLE objects", "^only SELECT is answered: a dump is read, never changed$"),
        ("SET memory_limit = '9GB'", "^only SELECT is answered"),
        ("COPY (SELECT 1) TO '/tmp/example'", "^only SELECT is answered"),
        ("ATTACH '/tmp/example.db'", "^only SELECT is answered"),
        ("SELECT * FROM nope", "^there is no table nope; there are .*objects"),
        ("SELECT * FROM objcts", "^there is no table objcts; did you mean objects"),
        ("SELECT clas FROM objects", r"^there is no column clas; did you mean class"),
        ('SELECT * FROM "app.Holdr"', r"^the dump has no class 'app.Holdr'; did you mean app.Holder\?$"),
        ("SELECT * FROM app.Holder", r'^put the name of a class in quotation marks: "app.Holder"$'),
        ("SELECT id::DATE FROM objects", "."),
        ("SELECT * FROM read_csv('/etc/passwd')", "file system operations are disabled"),
        ("SELECT * FROM read_text('/etc/passwd')", "file system operations are disabled"),
        ("SELECT * FROM glob('/*')", "file system operations are disabled"),
        ("SELECT * FROM '/etc/passwd'", "^there is no table /etc/passwd; "),
        ("SELECT * FROM heap", "has no class|no table"),  # a variable of this test
        ("SELECT * FROM objects WHERE class = $1", "."),
        ("SELECT 1" + " " * 32_761, r"^the SQL has more than 32,768 characters$"),
    ],
)
def test_a_query_that_cannot_be_answered_says_why_in_one_line(sql: str, told: str, session: Session) -> None:
    with pytest.raises(UsageError, match=told) as error:
        list(session.ask(sql).rows())
    assert "\n" not in str(error.value)


def test_no_setting_tells_a_folder_of_the_user(session: Session) -> None:
    settings = [value for (value,) in session.ask("SELECT value FROM duckdb_settings()").rows()]
    folders = (str(Path.home()), str(Path.cwd()))
    assert settings
    assert [value for value in settings if value and any(folder in value for folder in folders)] == []
    for table in ("duckdb_extensions()", "duckdb_secrets()"):
        with pytest.raises(UsageError) as error:
            list(session.ask(f"SELECT * FROM {table}").rows())
        assert not any(folder in str(error.value) for folder in folders)


def test_sql_of_the_greatest_length_is_answered(session: Session) -> None:
    assert list(session.ask("SELECT 1" + " " * 32_760).rows()) == [(1,)]


def test_after_an_error_the_next_query_is_answered(session: Session) -> None:
    with pytest.raises(UsageError):
        session.ask("SELECT nothing FROM objects")
    assert list(session.ask("SELECT count(*) FROM dump").rows()) == [(1,)]


def test_a_query_that_takes_too_long_is_given_up(heap: Heap) -> None:
    forever = "SELECT sum(a.range * b.range) FROM range(10000000) AS a, range(10000000) AS b"
    with (
        Session(heap, limits=Limits(seconds=0.2)) as session,
        pytest.raises(UsageError, match=r"^the query took longer than 0\.20 s; --timeout allows more$"),
    ):
        list(session.ask(forever).rows())


def test_a_query_that_needs_too_much_memory_is_given_up(heap: Heap) -> None:
    large = "SELECT count(DISTINCT range * 7) FROM range(50000000)"
    with (
        Session(heap, limits=Limits(memory_bytes=64 << 20)) as session,
        pytest.raises(
            UsageError, match=r"^the query needs more memory than it may take; --memory allows more$"
        ),
    ):
        list(session.ask(large).rows())


def test_rows_that_python_gets_no_memory_for_are_told_like_that(heap: Heap) -> None:
    with pytest.raises(UsageError, match=r"--memory allows more$"), memory_limited(heap, Limits()):
        raise MemoryError


@one_in_each_run(3)
@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT count(*) FROM objects", ["id"]),
        ("SELECT class, sum(retained) FROM objects GROUP BY 1", ["class", "retained"]),
        ("SELECT o.CLASS FROM objects AS o", ["class"]),
        ("SELECT count(*) FROM objects JOIN arrays USING (id)", ["id"]),
        ("SELECT * FROM dump, objects", list),
        ("SELECT o FROM objects AS o", list),
        ("SELECT objects FROM objects", list),
        ("SELECT COLUMNS('sh.*') FROM objects", list),
        ("SUMMARIZE objects", list),
        ("SELECT class FROM objects NATURAL JOIN arrays", list),
        ("WITH o AS (SELECT distance FROM objects) SELECT * FROM o", list),
    ],
)
def test_only_the_columns_that_a_query_names_are_read(
    sql: str, columns: object, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: dict[tuple[str, int], list[str]] = {}
    begin = Stream.__init__

    def noted(self: Stream, table: Table, names: list[str]) -> None:
        read[next(iter(table.columns)), len(table.columns)] = names
        begin(self, table, names)

    monkeypatch.setattr(Stream, "__init__", noted)
    list(session.ask(sql).rows())
    everything = list(session.columns("objects"))
    assert read["id", len(everything)] == (everything if columns is list else columns)


def test_names_of_a_query_are_found_in_all_its_parts() -> None:
    sql = (
        "WITH own AS (FROM refs) SELECT (SELECT max(x) FROM roots) FROM own"
        " WHERE id IN (SELECT id FROM threads) UNION SELECT 1 FROM a.b.C"
    )
    with duckdb.connect(":memory:") as connection:
        ((serialized,),) = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchall()
    found = mentioned(serialized)
    assert set(found.tables) == {"refs", "roots", "threads", "a.b.C"}
    assert found.unquoted == ("a.b.C",)


def test_a_class_is_a_table_with_its_fields(tmp_path: Path) -> None:
    dump = DumpWriter()
    java = JavaObjects(dump)
    base = dump.java_class("app/Base", fields={"id": INT, "name": OBJECT})
    order = dump.java_class(
        "app/Order",
        fields={"ID": INT, "shallow": INT, "letter": CHAR, "price": DOUBLE, "name": OBJECT},
        superclass=base,
    )
    name = java.string("Größe")
    first = dump.instance(order, ID=7, shallow=3, letter=ord("x"), price=2.5, name=name)
    dump.instance(order)
    with Session(heap_of(dump, tmp_path)) as session:
        answer = session.ask('SELECT * FROM "app.Order" ORDER BY object_id')
        assert answer.columns[:1] == ["object_id"]
        assert answer.columns[3:] == ["ID", "shallow_2", "letter", "price", "name", "id_2"]
        rows = list(answer.rows())
        assert rows[0][0] == first
        assert rows[0][3:8] == (7, 3, "x", 2.5, name)
        assert rows[1][3:8] == (0, 0, "\0", 0.0, None)
        said = session.ask('SELECT text(name), class_of(name) FROM "Order" ORDER BY object_id')
        assert list(said.rows()) == [("Größe", "java.lang.String"), (None, None)]


def test_functions_of_ids_agree_with_the_tables(session: Session) -> None:
    differ = session.ask(
        "SELECT count(*) FROM objects WHERE class_of(id) <> class OR shallow_of(id) <> shallow"
        " OR retained_of(id) <> retained OR dominator_of(id) IS DISTINCT FROM dominator"
    )
    assert list(differ.rows()) == [(0,)]
    assert list(session.ask("SELECT text(1::UBIGINT), retained_of(NULL)").rows()) == [(None, None)]


def test_every_table_answers_with_all_its_columns_over_several_parts(
    heap: Heap, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Session(heap) as session:
        whole = {name: list(session.ask(f"SELECT * FROM {name}").rows()) for name in table_names()}
    monkeypatch.setattr("mqdiag.query.table.PART", 7)
    monkeypatch.setattr("mqdiag.query.tables.refs.PART", 7)
    monkeypatch.setattr("mqdiag.query.tables.strings._AT_ONCE", 2)
    with Session(heap) as session:
        for name, rows in whole.items():
            assert sorted(session.ask(f"SELECT * FROM {name}").rows(), key=str) == sorted(rows, key=str), name
            assert all(session.columns(name)), name
    assert len(whole["objects"]) == heap.count
    assert len(whole["refs"]) == heap.references.edges.size


def test_texts_of_the_application_are_hidden() -> None:
    with Session(open_heap(str(STUCK)), hide=True) as session:
        for sql in (
            "SELECT DISTINCT text FROM strings",
            "SELECT DISTINCT text(id) FROM strings",
            "SELECT DISTINCT keys FROM messages",
            "SELECT DISTINCT msg_id FROM messages",
        ):
            assert list(session.ask(sql).rows()) == [("(hidden)",)], sql
        assert list(session.ask("SELECT count(*) FROM strings WHERE text LIKE 'stuck%'").rows()) == [(0,)]
        names = {name for (name,) in session.ask("SELECT name FROM threads").rows()}
        assert {"main", "(hidden)"} <= names
        ((client,),) = session.ask("SELECT client_id FROM consumers").rows()
        assert client == "client-1"


def test_an_answer_is_an_arrow_table_too(session: Session) -> None:
    found = session.ask("SELECT id, class FROM objects ORDER BY id").arrow(limit=3)
    assert isinstance(found, pa.Table)
    assert found.num_rows == 3
    assert found.column_names == ["id", "class"]


def test_every_column_has_a_meaning_and_no_reserved_name(session: Session) -> None:
    assert set(table_meanings()) == set(table_names())
    for name, words in table_meanings().items():
        table = session._table(name)
        assert list(table.columns) == list(words.columns), name
        assert sorted(table.former) == sorted(words.formerly), name
        assert set(words.formerly.values()) <= set(words.columns)
        session.ask(f"SELECT {', '.join(words.columns)} FROM {name} LIMIT 0")  # none needs quotation marks
        assert [column for column, meaning in words.columns.items() if len(meaning) < 5] == []


@CHECK
def test_former_names_of_columns_are_answered_and_not_shown() -> None:
    with Session(open_heap(str(STUCK))) as session:
        assert "group" not in session.ask("SELECT * FROM queues").columns
        differ = session.ask(
            'SELECT count(*) FROM queues, dump WHERE "group" <> consumer_group'
            " OR captured_ms <> epoch_ms(captured_at)"
        )
        assert list(differ.rows()) == [(0,)]


def test_a_time_that_no_calendar_holds_is_unknown() -> None:
    missing = -(1 << 63)
    given = np.array([0, 1_764_311_100_123, missing, -1, (1 << 63) - 1, 253_402_300_799_999], np.int64)
    assert times_array(given, missing).to_pylist() == [
        datetime(1970, 1, 1),
        datetime(2025, 11, 28, 6, 25, 0, 123000),
        None,
        None,
        None,
        datetime(9999, 12, 31, 23, 59, 59, 999000),
    ]
