"""What columns take of the facts of a table, and that all they name is there."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

import mqdiag.facts
import mqdiag.findings
from mqdiag.knowledge import packed
from mqdiag.render import sections
from mqdiag.render.parts import NO_VALUE, Column, Nested, Table
from mqdiag.render.tables import FOLDER, LineRow, TableRow, Tables
from mqdiag.text import NOTHING, Value, placeholders, say
from tests.test_facts_are_read import fields_of_column


class Fact(msgspec.Struct, kw_only=True):
    """What the rows below are made of."""

    topic: str | None = "orders"
    offset: int | None = 0
    state: str = "consume-worker"
    locked: bool | None = True
    reason: object = ""
    sides: tuple[str, ...] = ()


def cell(column: Column, fact: object) -> Value:
    """The only cell of a table with one row."""
    ((value,),) = Table(name="made", columns=(column,), rows_of=(fact,)).rows
    return value


@pytest.mark.parametrize("of", ["topic", lambda one: one.topic])
def test_a_column_takes_a_field_or_what_a_function_makes(of: str | Callable[[Any], Value]) -> None:
    assert cell(Column(say("topic"), of=of), Fact()) == "orders"
    assert cell(Column(say("topic"), of=of), Fact(topic=None)) is None


def test_a_path_leads_to_what_the_fact_is_in() -> None:
    row = Nested(Fact(topic="outer"), Fact(topic="inner"))
    assert cell(Column(say("topic"), of="inner.topic"), row) == "inner"
    assert cell(Column(say("topic"), of="outer.topic"), row) == "outer"


def test_a_field_that_is_not_there_is_an_error() -> None:
    with pytest.raises(AttributeError, match="no_such_field"):
        cell(Column(say("topic"), of="no_such_field"), Fact())


@pytest.mark.parametrize("nothing", [Fact(reason=None), Fact(reason=""), Fact(reason=()), Fact(reason=NOTHING)])
def test_a_fact_without_a_value_has_the_cell_of_none(nothing: Fact) -> None:
    assert cell(Column(say("reason"), of="reason", none=NO_VALUE), nothing) == NO_VALUE


def test_zero_and_false_are_values() -> None:
    assert cell(Column(say("offset"), of="offset", none=NO_VALUE), Fact(offset=0)) == 0
    assert cell(Column(say("locked"), of="locked", none=NO_VALUE), Fact(locked=False)) is False


def test_without_a_cell_of_none_a_value_stays_unknown() -> None:
    assert cell(Column(say("offset"), of="offset"), Fact(offset=None)) is None
    assert cell(Column(say("sides"), of="sides"), Fact(sides=())) == ()


def test_codes_and_truth_are_said_in_words() -> None:
    words = {name: Column(say("made"), of=name, worded=True) for name in ("state", "locked", "offset")}
    assert cell(words["state"], Fact()) == say("consume-worker")
    assert cell(words["state"], Fact(state="no code")) == "no code"
    assert [cell(words["locked"], Fact(locked=value)) for value in (True, False, None)] == [
        say("yes"),
        say("no"),
        None,
    ]
    assert cell(words["offset"], Fact(offset=7)) == 7


def test_a_flag_is_written_where_it_holds() -> None:
    column = Column(say("locked"), of="locked", flag=say("held"))
    assert [cell(column, Fact(locked=value)) for value in (True, False, None)] == [say("held"), "", ""]


def test_a_line_is_left_out_where_a_value_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Tables("made")
    rows = TableRow(
        lines=(
            LineRow(label="where", say="{topic} from {first}", values={"first": "offset"}),
            LineRow(label="state", value="state", worded=True, given="locked"),
            LineRow(label="why", of="reason", say="never asked for {x}"),
        )
    )
    monkeypatch.setattr(Tables, "_file", {"line": rows})
    assert made.pairs("line", Fact(reason=None)) == [
        (say("where"), say("{topic} from {first}", topic="orders", first=0)),
        (say("state"), say("consume-worker")),
    ]
    assert made.lines("line", Fact(topic=None, locked=False, reason=None)) == []


def test_an_optional_column_goes_where_no_fact_fills_it() -> None:
    columns = (Column(say("topic"), of="topic"), Column(say("reason"), of="reason", none="", optional=True))
    table = Table(name="made", columns=columns, rows_of=[Fact(), Fact(topic="payments")])
    assert table.rows == [("orders",), ("payments",)]
    assert [column.head for column in table.columns] == [say("topic")]


def test_a_copy_has_the_cells_of_its_table() -> None:
    table = Table(name="made", columns=(Column(say("topic"), of="topic"),), rows_of=iter([Fact()]))
    assert msgspec.structs.replace(table, name="renamed").rows == [("orders",)]


def known_names() -> set[str]:
    """Fields and properties of all facts, of findings, and of the structs of section makers."""
    packages = [mqdiag.facts, sections]
    modules = [
        importlib.import_module(f"{package.__name__}.{info.name}")
        for package in packages
        for info in pkgutil.iter_modules(package.__path__)
    ]
    kinds = {
        value
        for module in (mqdiag.findings, *modules)
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, msgspec.Struct)
    }
    properties = {name for kind in kinds for name, value in vars(kind).items() if isinstance(value, property)}
    return (
        properties | {field for kind in kinds for field in kind.__struct_fields__} | {*Nested.__struct_fields__}
    )


def section_sources() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(Path(sections.__path__[0]).glob("*.py")):
        yield path.name, ast.parse(path.read_text())


def named_by_columns() -> Iterator[tuple[str, str]]:
    """The file and each name of `Column(of="...")`, in code and in data."""
    for file, tree in section_sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.keyword) and node.arg == "of" and isinstance(node.value, ast.Constant):
                yield from ((file, name) for name in fields_of_column(node))
    for section, known in in_data().items():
        for table in known.values():
            paths = [column.of for column in table.columns]
            for line in table.lines:
                paths += [line.of, line.given, line.unless, line.value, *line.values.values()]
                paths += [name for name, _ in placeholders(line.say) if name not in line.values]
            yield from ((section, name) for path in paths for name in path.split(".") if name)


@cache
def in_data() -> dict[str, dict[str, TableRow]]:
    """The tables of each file of `mqdiag/knowledge/report_tables`."""
    return {name: packed.decode(FOLDER, name, dict[str, TableRow]) for name in packed.read(FOLDER)}


def test_each_table_in_data_is_shown_with_the_cells_that_it_names() -> None:
    """The name of a function is out of the type checker's sight."""
    takes = {*inspect.signature(Tables.table).parameters} - {"cells"}
    made = {
        (file.removesuffix(".py"), ast.literal_eval(node.args[0])): {word.arg for word in node.keywords} - takes
        for file, tree in section_sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("TABLES.")
    }
    assert made == {
        (section, key): {column.cell for column in table.columns if column.cell}
        for section, known in in_data().items()
        for key, table in known.items()
    }


def test_all_that_columns_name_is_a_field() -> None:
    """A path by text is out of the type checker's sight, and some tables are of rare evidence."""
    named = set(named_by_columns())
    assert len(named) > 300
    known = known_names() | {"value"}  # of an enum
    assert {(file, name) for file, name in named if name not in known} == set()


def test_every_row_of_the_sections_names_a_maker_and_parts_of_a_report() -> None:
    rows = sections._FIRST + sections._BEFORE_PROCESSES + sections._OF_PROCESS + sections._BEHIND_PROCESSES
    for maker, *parts in rows:
        assert callable(sections._maker(maker))
        assert {name for part in parts for name in part.split(".")} <= known_names(), maker
