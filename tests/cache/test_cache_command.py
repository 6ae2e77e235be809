"""`mqdiag cache`, and the options of the commands that fill it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.cli import run
from tests.graph.opening import put
from tests.graph.small_dump import small_dump

SQL = "SELECT count(*) FROM objects"


@pytest.fixture
def dump(tmp_path: Path) -> str:
    return put(small_dump(), tmp_path)


def test_a_query_is_kept_shown_and_removed(cache: Path, dump: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["query", dump, SQL]) == 0
    capsys.readouterr()
    assert run(["cache"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"1 dump in {cache}: ")
    assert run(["cache", "clear"]) == 0
    assert "from" in capsys.readouterr().out
    assert list(cache.iterdir()) == []


def test_a_dump_is_named_with_its_state(cache: Path, dump: str, capsys: pytest.CaptureFixture[str]) -> None:
    def shown() -> str:
        capsys.readouterr()
        run(["cache"])
        return capsys.readouterr().out.splitlines()[1]

    run(["query", dump, SQL])
    assert shown().startswith(f"{dump}: ")
    assert "of a file" not in shown()
    with open(dump, "ab") as file:
        file.write(b"\0")
    assert ", of a file that has changed since, last used " in shown()
    Path(dump).unlink()
    assert ", of a file that is gone, last used " in shown()
    (origin,) = cache.glob("*.origin")
    origin.write_text("{}")
    assert shown().startswith(f"{origin.stem}: ")


@pytest.mark.parametrize("option", [("--no-cache",), ("--cache-size", "0")], ids=" ".join)
@pytest.mark.parametrize(
    "command",
    [("query", SQL), ("show", "app.Holder"), ("heap",), ("diagnose",), ("secrets",)],
    ids=lambda c: c[0],
)
def test_nothing_is_kept_where_nobody_wants_it(
    cache: Path, dump: str, command: tuple[str, ...], option: tuple[str, ...]
) -> None:
    name, *further = command
    run([name, dump, *further, *option])
    assert not cache.exists()


def test_the_environment_says_so_too(cache: Path, dump: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQDIAG_CACHE_SIZE", "0")
    run(["query", dump, SQL])
    assert not cache.exists()


@pytest.mark.parametrize(
    "command",
    [("query", SQL), ("show", "app.Holder"), ("heap",), ("diagnose",), ("secrets",)],
    ids=lambda c: c[0],
)
def test_every_command_that_builds_the_graph_keeps_it(cache: Path, dump: str, command: tuple[str, ...]) -> None:
    name, *further = command
    run([name, dump, *further])
    assert {"summary", "objects", "references"} <= {file.suffix[1:] for file in cache.iterdir()}


def test_a_size_that_is_none_is_refused(cache: Path, dump: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["query", dump, SQL, "--cache-size", "much"]) == 2
    assert "is not a size" in capsys.readouterr().err
