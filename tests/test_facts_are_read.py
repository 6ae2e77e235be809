"""Every field of the facts is shown, read by a rule, or has its place in JSON for a reason that stands here.

Reads are found by name: a field counts as read when any reader takes an attribute of its name. So the test misses a
field whose name another fact has, and never complains about one that is read.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

import mqdiag.facts
from mqdiag.text import placeholders
from tests.layers import CHECK

PACKAGE = Path(mqdiag.facts.__file__).parents[1]
READERS = (
    "facts",
    "render",
    "rules",
    "causes",
    "diff",
    "diagnose",
    "fleet",
    "notebook",
    "cli",
    "time_ranges.py",
    "findings.py",
)
"""what reads facts; the packages that make them are left out"""

ONLY_IN_JSON = {
    "cpu_ms": "the total at each sample, for tools that draw it; sections show its growth",
    "nid": "joins a thread of the report to top and perf",
    "shallow_size_source": "says how sizes were measured, for whoever compares them with another tool's",
}
"""fields that no section shows and no rule reads, with the reason why they are written"""

FOR_RULES_TO_COME = frozenset(
    {
        "BlockedLoop",
        "BusyThread",
        "CommonPlace",
        "DeadlockMember",
        "GrowingKind",
        "HiddenDeadlock",
        "StartWait",
        "LockFacts.owners",
        "LockFacts.share",
        "LockFacts.taken_at",
        "LockFacts.waiting",
        "StacksFacts.blocked_loops",
        "StacksFacts.busy_threads",
        "StacksFacts.common_places",
        "StacksFacts.growing_kinds",
        "StacksFacts.hidden_deadlocks",
        "StacksFacts.same_calls",
        "StacksFacts.start_wait",
    }
)
"""types and fields of facts about any thread, of which the report has the JSON before a rule reads them"""


def structs() -> Iterator[type[msgspec.Struct]]:
    """All types of facts."""
    for info in pkgutil.iter_modules(mqdiag.facts.__path__, "mqdiag.facts."):
        module = importlib.import_module(info.name)
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, msgspec.Struct) and value.__module__ == info.name:
                yield value


def reads(paths: Iterable[Path]) -> set[str]:
    """Names of the attributes that files and their columns read; in files that use `getattr`, all texts as well."""
    names: set[str] = set()
    for path in paths:
        nodes = list(ast.walk(ast.parse(path.read_text())))
        by_text = any(isinstance(node, ast.Name) and node.id == "getattr" for node in nodes)
        for node in nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                names.add(node.attr)
            elif isinstance(node, ast.keyword) and node.arg == "of":
                names.update(fields_of_column(node))
            elif isinstance(node, ast.Call) and ast.unparse(node.func) == "say" and len(node.args) > 1:
                names.update(name for name, _ in placeholders(ast.literal_eval(node.args[0])))
            elif by_text and isinstance(node, ast.Constant) and isinstance(node.value, str):
                names.add(node.value)
    return names


def fields_of_column(of: ast.keyword) -> Iterator[str]:
    """Names in `Column(..., of="inner.topic")`, with those that a function gets which makes the cells."""
    for node in ast.walk(of.value):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from node.value.split(".")


def reader_files() -> Iterator[Path]:
    """The sources of all readers."""
    for name in READERS:
        place = PACKAGE / name
        yield from place.rglob("*.py") if place.is_dir() else (place,)


def named_on_cards() -> set[str]:
    """Names that cards of rules have in their evidence, their sentences and the rows that they look at."""
    cards = "".join(path.read_text() for path in (PACKAGE / "knowledge" / "rules").glob("*.toml"))
    lists = re.findall(r"^evidence = \[(.*?)\]", cards, re.DOTALL | re.MULTILINE)
    rows = re.findall(r'^of = "([\w.]+)"', cards, re.MULTILINE)
    return {*re.findall(r"\{(\w+)", cards), *re.findall(r'"(\w+)"', "".join(lists)), *".".join(rows).split(".")}


def shown_in_tables() -> set[str]:
    """Names that columns of tables, lines and pairs have in data."""
    tables = "".join(path.read_text() for path in (PACKAGE / "knowledge" / "report_tables").glob("*.toml"))
    paths = re.findall(r'\b(?:of|given|unless|value|values\.\w+) = "([\w.]+)"', tables)
    return {name for path in paths for name in path.split(".")} | set(re.findall(r"\{(\w+)", tables))


def unread(kinds: Iterable[type[msgspec.Struct]], names: set[str]) -> list[str]:
    """Fields that nothing reads, as "Type.field"."""
    return sorted(
        f"{kind.__name__}.{field}" for kind in kinds for field in kind.__struct_fields__ if field not in names
    )


@CHECK
def test_every_field_is_read() -> None:
    unread_yet = unread(
        structs(), reads(reader_files()) | named_on_cards() | shown_in_tables() | set(ONLY_IN_JSON)
    )
    found = [name for name in unread_yet if not {name, name.partition(".")[0]} & FOR_RULES_TO_COME]
    assert not found, (
        f"nothing shows or checks {', '.join(found)}: show each in its section, let a rule read it, or drop it"
    )


@CHECK
def test_exceptions_are_needed() -> None:
    """A name that is read by now leaves the list."""
    names = reads(reader_files()) | shown_in_tables()
    fields = {field for kind in structs() for field in kind.__struct_fields__}
    assert {name for name in ONLY_IN_JSON if name in names or name not in fields} == set()


@CHECK
def test_a_field_that_nothing_reads_is_found() -> None:
    class Made(msgspec.Struct):
        messages: int
        never_read_by_anything: int

    assert unread([Made], reads(reader_files())) == ["Made.never_read_by_anything"]


def test_what_a_column_takes_is_read(tmp_path: Path) -> None:
    source = tmp_path / "table.py"
    source.write_text(
        'columns = (Column(say("topic"), of="inner.topic"), Column(say("stuck"), of=_changed("stuck")))\n'
        'say("{held_by} {size:bytes}", group, size=1)'
    )
    assert {"inner", "topic", "stuck", "held_by"} <= reads([source])
