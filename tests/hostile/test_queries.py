"""SQL from somebody else: it reads nothing but the dump, and ends."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqdiag.cli import run as mqdiag
from mqdiag.cli.common.output import Target
from mqdiag.errors import UsageError
from mqdiag.graph import Heap, open_heap
from mqdiag.language import english
from mqdiag.query.session import Limits, Session, _Watch
from mqdiag.query.values import distinct_names
from tests.graph.small_dump import small_dump
from tests.hostile.bounded import run as run_alone
from tests.layers import CHECK, NIGHTLY, one_in_each_run, some_later
from tests.waiting import PATIENCE_S, wait_until

REACHES_OUT = (
    "COPY (SELECT 1) TO '{file}'",
    "COPY classes FROM '{file}'",
    "ATTACH '{file}'",
    "DETACH memory",
    "INSTALL httpfs",
    "LOAD httpfs",
    "FORCE INSTALL httpfs FROM 'http://127.0.0.1/x'",
    "EXPORT DATABASE '{file}'",
    "IMPORT DATABASE '{file}'",
    "CREATE TABLE t (i INTEGER)",
    "CREATE SECRET (TYPE s3)",
    "CREATE OR REPLACE MACRO address(id) AS 1",
    "DROP TABLE classes",
    "INSERT INTO classes VALUES (1)",
    "UPDATE classes SET class = 'x'",
    "DELETE FROM classes",
    "PRAGMA memory_limit='100GB'",
    "PRAGMA database_list",
    "SET memory_limit='100GB'",
    "SET enable_external_access=true",
    "RESET memory_limit",
    "CALL pragma_version()",
    "CHECKPOINT",
    "VACUUM",
    "EXPLAIN ANALYZE SELECT 1",
    "SELECT 1; COPY (SELECT 1) TO '{file}'",
    "SELECT * FROM read_csv('{file}')",
    "SELECT * FROM read_csv_auto('http://127.0.0.1/x')",
    "SELECT * FROM read_text('{file}')",
    "SELECT * FROM read_blob('{file}')",
    "SELECT * FROM read_parquet('{file}')",
    "SELECT * FROM read_json('{file}')",
    "SELECT * FROM glob('/*')",
    "SELECT * FROM sniff_csv('{file}')",
    "SELECT * FROM parquet_metadata('{file}')",
    "SELECT * FROM '{file}'",
    "SELECT * FROM 's3://bucket/x.parquet'",
    "FROM query('SELECT * FROM read_text(''{file}'')')",
    "FROM query_table(['{file}'])",
    "SELECT getenv('HOME')",
    "SELECT * FROM sqlite_scan('{file}', 't')",
    "SELECT * FROM postgres_scan('host=127.0.0.1', 'public', 't')",
)
ENDLESS = (
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r",
    "SELECT count(*) FROM range(10000000000) a, range(10000000000) b WHERE a.range + b.range = -1",
)
UNINTERRUPTED = "SELECT levenshtein(repeat('ab', 200000), repeat('ba', 200000))"
"""takes minutes in one step, at whose end DuckDB first looks at an interrupt"""
MUCH_TEXT = (
    "SELECT length(repeat(repeat('x', 30000), 30000)) FROM range(100)",
    "SELECT length(repeat('x', 4000000000))",
    "SELECT damerau_levenshtein(repeat('ab', 8000), repeat('ba', 8000))",
    "SELECT length(string_agg(repeat('x', 1000), '')) FROM range(10000000)",
)
"""takes gigabytes that DuckDB does not count"""
DEEP = {
    "brackets": "SELECT " + "(" * 16_000 + "1" + ")" * 16_000,
    "sums": "SELECT " + "+".join("1" * 16_000),
    "subqueries": "SELECT * FROM " + "(SELECT * FROM " * 1_900 + "classes" + ")" * 1_900,
    "tables": "SELECT 1 FROM " + ",".join(["classes"] * 4_000),
}


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_dump(8).write(tmp_path_factory.mktemp("queries") / "small.hprof")


@pytest.fixture(scope="module")
def heap(dump: Path) -> Heap:
    return open_heap(str(dump))


@pytest.fixture(scope="module")
def session(heap: Heap) -> Iterator[Session]:
    with Session(heap, limits=Limits(seconds=1, memory_bytes=64 << 20)) as opened:
        yield opened


@pytest.mark.parametrize("sql", REACHES_OUT)
def test_sql_reaches_nothing_but_the_dump(sql: str, session: Session, tmp_path: Path) -> None:
    file = tmp_path / "secret.csv"
    file.write_text("the secret\n1\n")
    with pytest.raises(UsageError) as refused:
        list(session.ask(sql.replace("{file}", str(file))).rows())
    assert "the secret" not in str(refused.value)
    assert "\n" not in str(refused.value)
    assert file.read_text() == "the secret\n1\n"
    assert [one.name for one in tmp_path.iterdir()] == ["secret.csv"]


@one_in_each_run(2)
@pytest.mark.parametrize("sql", ENDLESS)
def test_sql_without_an_end_is_given_up(sql: str, session: Session) -> None:
    with pytest.raises(UsageError):
        list(session.ask(sql).rows())


def test_links_with_names_of_the_database_s_own_files_are_not_read(
    heap: Heap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB lets SQL read its database, whose name is that of a file of the working folder too."""
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    evidence = tmp_path / "evidence"
    evidence.mkdir()
    names = [f":memory:{ending}" for ending in ("", ".wal", ".wal.checkpoint", ".wal.recovery")]
    for name in names:
        (evidence / name).symlink_to(secret)
    (evidence / ".tmp").symlink_to(tmp_path)
    monkeypatch.chdir(evidence)
    with Session(heap) as opened:
        for path in (*names, str(secret), ".tmp/secret.txt"):
            with pytest.raises(UsageError, match="file system operations are disabled"):
                list(opened.ask(f"SELECT content FROM read_text('{path}')").rows())


OUT_OF_RANGE = (
    "SELECT timestamp 'infinity'",
    "SELECT date '294247-01-10'",
    "SELECT timestamp_s '290000-01-01'",
    "SELECT [timestamptz '290000-01-01 00:00:00+00']",
)
"""values that Python's types do not hold"""


@pytest.mark.parametrize("sql", OUT_OF_RANGE)
def test_a_value_that_python_has_not_ends_with_a_line(sql: str, session: Session) -> None:
    with pytest.raises(UsageError, match="has a value that cannot be written; cast it to VARCHAR") as kept:
        list(session.ask(sql).rows())
    assert kept.traceback
    waiting = [one for one in threading.enumerate() if isinstance(one, threading.Timer)]
    assert all(one.finished.is_set() for one in waiting), "the time of a query that has ended goes on"


@pytest.mark.parametrize("sql", ["SELECT interval '1 year'", "SELECT union_value(a := 1)"])
def test_a_type_that_parquet_has_not_ends_with_a_line(
    sql: str, dump: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    rows = tmp_path / "rows.parquet"
    assert mqdiag(["query", str(dump), sql, "--format", "parquet", "-o", str(rows)]) == 2
    assert b"Parquet cannot hold a column" in capfdbinary.readouterr().err
    assert list(tmp_path.iterdir()) == []


class Deaf:
    """A connection that hears no interrupt."""

    def interrupt(self) -> None:
        pass


def test_a_query_that_goes_on_after_its_interruption_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mqdiag.query.session.GRACE_S", 0.1)
    told: list[str] = []
    with _Watch(Deaf(), 0.1, lambda why: told.append(english()(why))):
        wait_until(lambda: told, "a word")
    assert told == ["the query took longer than 0.10 s; --timeout allows more"]


def test_of_a_query_that_ended_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mqdiag.query.session.GRACE_S", PATIENCE_S)
    told: list[str] = []
    interrupted = threading.Event()

    class Hears:
        def interrupt(self) -> None:
            interrupted.set()

    watch = _Watch(Hears(), 0.01, lambda why: told.append(english()(why)))
    with watch:
        assert interrupted.wait(PATIENCE_S)
    watch._timer.join(PATIENCE_S)
    assert told == []


@pytest.mark.parametrize(
    "sql",
    some_later(MUCH_TEXT, lambda sql: sql != MUCH_TEXT[1]),
)
def test_texts_that_duckdb_does_not_count_are_limited_too(
    sql: str, dump: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    assert mqdiag(["query", str(dump), sql, "--memory", "64"]) == 2
    said = capfdbinary.readouterr()
    assert said.out == b""
    assert b"the query needs more memory than it may take" in said.err
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


@NIGHTLY
def test_a_query_that_nothing_interrupts_ends_at_its_timeout(dump: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    done = run_alone(
        "query", dump, UNINTERRUPTED, "--timeout", "1", "--format", "csv", "-o", rows, most_cpu_s=60
    )
    done.check(2)
    assert done.err == "mqdiag: the query took longer than 1 s; --timeout allows more\n"
    assert list(tmp_path.iterdir()) == []


def test_thousands_of_columns_alike_get_names_in_time() -> None:
    begun = time.process_time()
    names = distinct_names(["1"] * 16_000)
    assert len(set(names)) == 16_000
    assert names[:3] == ["1", "1_2", "1_3"]
    assert time.process_time() - begun < 1


@NIGHTLY
@pytest.mark.parametrize("name", DEEP)
def test_deep_sql_ends_with_an_answer_or_a_line(name: str, dump: Path, tmp_path: Path) -> None:
    (tmp_path / "deep.sql").write_text(DEEP[name])
    run_alone("query", dump, "-f", tmp_path / "deep.sql", most_cpu_s=30).check(0, 2)


def test_sql_that_never_ends_is_not_read(dump: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert mqdiag(["query", str(dump), "-f", "/dev/zero"]) == 2
    assert "the SQL has more than 32,768 characters" in capsys.readouterr().err


@NIGHTLY
@pytest.mark.parametrize("shape", ["csv", "json", "markdown"])
def test_an_answer_larger_than_the_memory_is_written(shape: str, dump: Path) -> None:
    """800 MB of rows in a process that needs 150 MB."""
    sql = "SELECT range, repeat('x', 1000) FROM range(800000)"
    done = subprocess.run(
        [sys.executable, "-c", PEAK, "query", str(dump), sql, "--format", shape, "--timeout", "600"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=True,
    )
    assert int(done.stderr) >> 10 < 300


# VmHWM, not ru_maxrss: that one has the memory of the process that started this one too.
PEAK = """
import sys
from mqdiag.cli import run
code = run(sys.argv[1:])
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(status["VmHWM"].split()[0], file=sys.stderr)
sys.exit(code)
"""


@one_in_each_run(4)
@pytest.mark.parametrize("shape", ["csv", "json", "markdown", "table"])
def test_a_query_that_fails_in_the_middle_writes_nothing(
    shape: str, dump: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    sql = "SELECT CASE WHEN range = 50000 THEN error('the end') ELSE range END FROM range(60000)"
    arguments = ["query", str(dump), sql, "--format", shape, "--limit", "60000"]
    assert mqdiag(arguments) == 2
    said = capfdbinary.readouterr()
    assert said.out == b""
    assert b"the end" in said.err
    assert mqdiag([*arguments, "-o", str(tmp_path / "rows")]) == 2
    assert list(tmp_path.iterdir()) == []


@CHECK
def test_a_query_over_its_budget_ends_with_a_line(
    dump: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setenv("MQDIAG_MOST_CPU_S", "1")
    sql = "SELECT range, sha256(range::VARCHAR) FROM range(100000000)"
    assert mqdiag(["query", str(dump), sql, "--format", "json"]) == 3
    said = capfdbinary.readouterr()
    assert said.out == b""
    assert b"of CPU time, the budget of a run" in said.err


def test_lines_reach_a_file_whole(tmp_path: Path) -> None:
    Target(str(tmp_path / "rows.json")).write_lines(["[\n", "1\n", "]\n"])
    assert json.loads((tmp_path / "rows.json").read_text()) == [1]
