"""`mqdiag query`: formats, exit codes, where the SQL comes from, and what a terminal must not obey."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from mqdiag.cli import run
from mqdiag.cli.common.prompt import Offered, prompt
from mqdiag.query.formats import row_writer
from mqdiag.query.session import Answer, Session
from tests.graph.opening import heap_of
from tests.graph.small_dump import small_dump
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import JavaObjects

NASTY = ["=1+1", "\x1b[31mred", "a|b\nc", "::error::x", "\u202eright"]
ASKED = "SELECT text, length FROM strings ORDER BY id"


@pytest.fixture
def dump(tmp_path: Path) -> str:
    written = DumpWriter()
    java = JavaObjects(written)
    for text in NASTY:
        java.string(text)
    return str(written.write(tmp_path / "nasty.hprof"))


def out(capfdbinary: pytest.CaptureFixture[bytes]) -> str:
    return capfdbinary.readouterr().out.decode()


def test_formats_carry_the_rows(dump: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["query", dump, ASKED, "--format", "json"]) == 0
    assert json.loads(out(capfdbinary)) == [{"text": text, "length": len(text)} for text in NASTY]
    assert run(["query", dump, ASKED, "--format", "csv"]) == 0
    rows = list(csv.reader(io.StringIO(out(capfdbinary))))
    assert rows[0] == ["text", "length"]
    assert rows[1] == ["'=1+1", "4"]
    assert rows[2] == [r"\x1b[31mred", "8"]
    assert run(["query", dump, ASKED, "--format", "parquet", "-o", str(tmp_path / "rows.parquet")]) == 0
    assert pq.read_table(tmp_path / "rows.parquet").column("text").to_pylist() == NASTY
    assert run(["query", dump, ASKED, "--format", "markdown"]) == 0
    table = out(capfdbinary).splitlines()
    assert table[:2] == ["| text | length |", "| --- | --- |"]
    assert table[4] == r"| a\|b\\nc | 5 |"
    assert run(["query", dump, ASKED]) == 0
    lines = out(capfdbinary).splitlines()
    assert lines[1].split() == ["-" * len(r"\x1b[31mred"), "------"]
    assert lines[3].split() == [r"\x1b[31mred", "8"]


@pytest.mark.parametrize("shape", ["table", "csv", "markdown", "json"])
def test_no_text_of_a_dump_is_obeyed(shape: str, dump: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["query", dump, ASKED, "--format", shape]) == 0
    text = out(capfdbinary)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())


def test_wrong_sql_ends_with_2_and_one_line(dump: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["query", dump, "SELECT * FROM strngs"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == "mqdiag: there is no table strngs; did you mean strings?\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["SELECT 1", "--recipe", "unreachable"], "give SQL, --file or --recipe, one of them"),
        (
            ["--recipe", "unreachble"],
            "there is no recipe unreachble (--recipe list shows all); did you mean unreachable?",
        ),
        (["SELECT 1", "--set", "x"], "--set x is not NAME=VALUE"),
        (["SELECT 1", "--format", "parquet"], "--format parquet needs a file: -o FILE"),
        (["-f", "/no/such.sql"], "--file /no/such.sql: No such file or directory"),
    ],
)
def test_wrong_usage_is_told_before_the_dump_is_read(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["query", "no-such.hprof", *arguments]) == 2
    assert capsys.readouterr().err == f"mqdiag: {told}\n"


def test_a_dump_that_is_not_there_ends_with_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["query", "no-such.hprof", "SELECT 1"]) == 3


def test_sql_comes_from_a_file_or_standard_input(
    dump: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    file = tmp_path / "asked.sql"
    file.write_text("SELECT count(*) AS strings FROM strings;\n")
    assert run(["query", dump, "-f", str(file), "--format", "json"]) == 0
    monkeypatch.setattr("sys.stdin", io.StringIO(file.read_text()))
    assert run(["query", dump, "--format", "json"]) == 0
    assert out(capfdbinary) == '[\n{"strings":5}\n]\n' * 2


def test_recipes_take_values(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    path = str(small_dump().write(tmp_path / "small.hprof"))
    asked = [
        "query",
        path,
        "--recipe",
        "who-refers-to-class",
        "--set",
        "class=java.util.HashMap",
        "--format",
        "json",
    ]
    assert run(asked) == 0
    assert json.loads(out(capfdbinary)) == [{"holder": "app.Holder", "field": "map", "refs": 1, "objects": 1}]
    assert run(["query", path, "--recipe", "who-refers-to-class"]) == 2
    assert run(["query", "-", "--recipe", "list"]) == 0
    assert "who-refers-to-class" in out(capfdbinary)


def test_a_table_says_when_there_are_more_rows(dump: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["query", dump, ASKED, "--limit", "2"]) == 0
    shown = capfd.readouterr()
    assert len(shown.out.splitlines()) == 4
    assert shown.err == "mqdiag: there are more rows than the 2 shown; --limit shows more\n"
    assert run(["query", dump, ASKED, "--limit", "5"]) == 0
    assert capfd.readouterr().err == ""


def test_each_answer_over_a_cut_dump_says_so(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    whole = small_dump().to_bytes()
    cut = tmp_path / "cut.hprof.gz"
    cut.write_bytes(gzip.compress(whole[: len(whole) - 200]))
    assert run(["query", str(cut), "SELECT count(*) FROM objects"]) == 0
    assert (
        "cut.hprof.gz is cut or damaged: the answer is about the part that could be read"
        in capfd.readouterr().err
    )


def test_missing_packages_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("mqdiag.query.find_spec", lambda name: None)
    assert run(["query", "no-such.hprof", "SELECT 1"]) == 2
    command = f"{shlex.quote(sys.executable)} -m pip install 'mqdiag[query]'"
    assert capsys.readouterr().err == f"mqdiag: this needs duckdb and pyarrow: {command}\n"


def test_a_prompt_answers_until_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    heap = heap_of(small_dump(), tmp_path)
    typed = iter(
        ["SELECT count(*)", "FROM dump;", "SELECT nothing;", ".tables", ".columns refs", ".nothing", ".quit"]
    )
    monkeypatch.setattr("builtins.input", lambda _: next(typed))

    def shown(found: Answer) -> Iterator[str]:
        return row_writer("json")(found.columns, found.rows())

    with Session(heap) as session:
        assert prompt(session, heap, shown) == 0
    said = capfd.readouterr()
    assert '{"count_star()":1}' in said.out
    assert "from_id" in said.out
    assert "there is no column nothing" in said.err
    assert "there is no command .nothing" in said.err


def test_tab_completes_tables_columns_and_classes(tmp_path: Path) -> None:
    heap = heap_of(small_dump(), tmp_path)
    with Session(heap) as session:
        offered = Offered(session, heap)
        assert offered.offers("app.", 'SELECT * FROM "app.') == ["app.Holder"]
        assert offered.offers("obj", "SELECT * FROM obj") == ["objects"]
        assert offered.offers("dom", "SELECT count(*) FROM objects WHERE dom") == ["dominator"]
        assert offered.offers(".t", ".t") == [".tables"]


def test_tables_and_recipes_are_told_without_a_dump(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["query", "--recipe", "list"]) == 0
    assert "who-refers-to-class" in out(capfdbinary)
    assert run(["query", "--tables"]) == 0
    assert re.search(r"^queues +consumer_group +consumer group$", out(capfdbinary), re.MULTILINE)
    assert run(["query", "--tables", "--format", "json"]) == 0
    assert {"table": "dump", "column": "objects", "meaning": "objects of the file"} in json.loads(
        out(capfdbinary)
    )
    assert run(["query"]) == 2
    assert b"--recipe list and --tables need none" in capfdbinary.readouterr().err
