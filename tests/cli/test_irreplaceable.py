"""Evidence is never written over: not an input, not a file of a folder that is one, not evidence beside them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mqdiag.cli import run
from mqdiag.language import writer
from mqdiag.read import irreplaceable
from mqdiag.render.csv.tables import TABLES
from mqdiag.text import say
from tests.layers import one_in_each_run

DUMP = b"JAVA PROFILE 1.0.2\0" + b"\0" * 12
STACKS = b'Full thread dump OpenJDK 64-Bit Server VM\n\n"main" #1\n   java.lang.Thread.State: RUNNABLE\n'
LOG = b"".join(
    b"2026-11-21 08:00:0%d INFO main - [REBALANCE] the queues changed, a line as any other\n" % second
    for second in range(9)
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the commands run, with a file of each kind of evidence."""
    monkeypatch.chdir(tmp_path)
    for name, content in {"d.hprof": DUMP, "j1.txt": STACKS, "j2.txt": STACKS, "store.log": LOG}.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "heap.sql").write_text("SELECT 1")
    (tmp_path / "mqdiag.toml").write_text("")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/notes.txt").write_text("call Ann")
    (tmp_path / "link").symlink_to("d.hprof")
    os.link("d.hprof", "twin")
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        "heap d.hprof -o d.hprof",
        "heap d.hprof -o ./notes/../d.hprof",
        "heap d.hprof -o link",
        "heap link -o d.hprof",
        "heap d.hprof -o twin",
        "heap d.hprof --also json=d.hprof",
        "heap d.hprof --write-baseline d.hprof",
        "heap d.hprof --config mqdiag.toml -o mqdiag.toml",
        "heap d.hprof --config mqdiag.toml --write-baseline mqdiag.toml",
        "stacks j1.txt j2.txt -o j1.txt",
        "logs store.log -o store.log",
        "diff d.hprof d.hprof -o d.hprof",
        "query d.hprof SELECT -o d.hprof",
        "query d.hprof -f heap.sql -o heap.sql",
        "secrets d.hprof -o d.hprof",
        "show d.hprof String -o d.hprof",
        "redact d.hprof d.hprof --force",
        "redact d.hprof link --force",
        "fleet d.hprof --out out -o d.hprof",
        "fleet d.hprof --out out --spark-log d.hprof",
        "diagnose . -o store.log",
        "diagnose notes -o notes/notes.txt",
        "diagnose notes --also json=notes/notes.txt",
    ],
)
def test_no_input_is_written_over(words: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(folder)
    assert run(words.split()) == 2
    assert "of this run; name another file" in capsys.readouterr().err
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("words", "holds"),
    [
        # the value of -o was forgotten
        ("stacks -o j1.txt j2.txt", "holds a thread dump"),
        ("heap d.hprof -o store.log", "holds a log"),
        ("logs store.log --also json=d.hprof", "holds a heap dump"),
        ("fleet j1.txt --out out --spark-log d.hprof", "holds a heap dump"),
    ],
)
def test_no_other_evidence_is_written_over(
    words: str, holds: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(folder)
    assert run(words.split()) == 2
    assert holds in capsys.readouterr().err
    assert contents(folder) == before


@one_in_each_run(3)
@pytest.mark.parametrize("name", ["r.html", "r.json", "r.xml", "r.md", "r.sarif"])
def test_a_report_replaces_its_older_self_among_the_evidence(name: str, folder: Path) -> None:
    for _ in range(2):
        assert run(["diagnose", "store.log", "notes", ".", "-o", name]) in (0, 1)


@one_in_each_run(3)
@pytest.mark.parametrize("detail", ["brief", "normal", "full"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_text_replaces_its_older_self_among_the_evidence(language: str, detail: str, folder: Path) -> None:
    words = f"diagnose notes --detail {detail} --lang {language} -o notes/r.txt".split()
    (folder / "notes/store.log").write_bytes(LOG)
    for _ in range(3):
        assert run(words) in (0, 1)


@one_in_each_run(4)
@pytest.mark.parametrize("table", TABLES)
def test_a_table_replaces_its_older_self_among_the_evidence(table: str, folder: Path) -> None:
    (folder / "notes/store.log").write_bytes(LOG)
    for _ in range(2):
        assert run(f"diagnose notes --format csv --table {table} -o notes/r.csv".split()) in (0, 1)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_label_of_an_answer_begins_a_report_in_text(language: str | None) -> None:
    write = writer(language)
    for label in ("OK", "undecided", "known", "error", "warning"):
        assert f"{write(say(label)).upper()} ".encode() in irreplaceable._TEXT_HEADS


def test_a_log_that_begins_with_the_label_of_an_answer_is_not_written_over(folder: Path) -> None:
    (folder / "notes/notes.txt").write_text("ERROR 1 of 10 calls failed\nmqdiag was not asked\n")
    assert run(["diagnose", "notes", "-o", "notes/notes.txt"]) == 2


def test_rows_with_times_replace_older_rows(folder: Path) -> None:
    (folder / "rows.csv").write_bytes(LOG)
    assert run(["logs", "store.log", "-o", "rows.csv"]) == 0
    assert (folder / "rows.csv").read_text().startswith("rule,")


def test_a_new_baseline_replaces_the_one_it_was_made_from(folder: Path) -> None:
    for _ in range(2):
        (folder / "known.toml").touch()
        assert run(["logs", "store.log", "--baseline", "known.toml", "--write-baseline", "known.toml"]) == 0


def test_no_page_of_a_fleet_is_written_over_an_input(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "pages/services").mkdir(parents=True)
    (folder / "pages/services/orders.html").write_text("<p>notes")
    assert run(["fleet", "pages", "--out", "out", "--pages", "pages"]) == 2
    assert "orders.html: is a file of pages, an input of this run" in capsys.readouterr().err


def test_a_folder_that_a_fleet_reads_gets_no_pages(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for pages in (".", str(folder)):
        assert run(["fleet", ".", "--out", "out", "--pages", pages]) == 2
        assert f"--pages {pages}: is an input of this run; name another folder" in capsys.readouterr().err
    assert not (folder / "index.html").exists()


def test_what_cannot_be_read_is_refused_in_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(irreplaceable, "_head", refuse)
    assert run(["fleet", ".", "--out", "out", "--spark-log", "notes/notes.txt"]) == 2
    assert capsys.readouterr().err == "mqdiag: --spark-log notes/notes.txt: Permission denied\n"


def test_two_reports_never_share_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["logs", "store.log", "-o", "r.html", "--also", "json=./r.html"]) == 2
    assert "nothing else is written to" in capsys.readouterr().err


def contents(folder: Path) -> dict[str, bytes]:
    """The bytes of all files."""
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
