"""The table of Java names: it is the only place that has them, every row is used, and real dumps agree with it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from mqdiag.rocketmq.broker.tables import _known
from mqdiag.rocketmq.names import FAMILIES, ROWS, JavaName, names_of, version_key
from tests.layers import CHECK, one_in, one_in_each_run
from tests.rocketmq import written
from tests.rocketmq.conftest import Case, case, case_names, heap_of

PACKAGE = Path(__file__).parents[2] / "mqdiag"
BY_JAVA_NAME = {
    "refs", "numbers", "ref", "number", "has_field", "static_value", "static_ref", "indices_named",
    "indices_ending", "references", "integers",
}  # fmt: skip
"""methods of Heap, ClassTable and redaction's Objects that take a Java name"""
ROLE = re.compile(r"[A-Z][A-Za-z]+\.[a-z_]+")
OF_ROCKETMQ = [row for row in ROWS if row.versions[0].isdigit()]
FIELD_NAMES = {row.name for row in OF_ROCKETMQ if "." in row.role} - {
    "this$0",
    "offset",
    *(row.name for row in ROWS if not row.versions[0].isdigit()),
}
"""without those that the JDK or the compiler has as well"""


def sources(*left_out: str) -> list[Path]:
    return [
        path for path in sorted(PACKAGE.rglob("*.py")) if path.relative_to(PACKAGE).as_posix() not in left_out
    ]


@cache
def calls(path: Path) -> tuple[tuple[str, str, int, list[str]], ...]:
    """(receiver, method, line, string literals among the arguments) of all calls of methods."""
    return tuple(_calls(path))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Calls and constants of a file, the only nodes that are asked for."""
    found = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return tuple(node for node in found if isinstance(node, ast.Call | ast.Constant))


def _calls(path: Path) -> Iterator[tuple[str, str, int, list[str]]]:
    for node in nodes(path):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            texts = [
                inner.value
                for argument in node.args
                for inner in ast.walk(argument)
                if isinstance(inner, ast.Constant) and isinstance(inner.value, str)
            ]
            yield ast.unparse(node.func.value), node.func.attr, node.lineno, texts


@cache
def literals(path: Path) -> frozenset[str]:
    return frozenset(
        node.value for node in nodes(path) if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def test_rocketmq_reads_by_role_only() -> None:
    """Nothing but `fields.py` hands a Java name to the graph."""
    found = [
        f"{path.name}:{line} {receiver}.{method}({texts})"
        for path in sources("rocketmq/names.py", "rocketmq/fields.py")
        if path.is_relative_to(PACKAGE / "rocketmq")
        for receiver, method, line, texts in calls(path)
        if method in BY_JAVA_NAME and receiver.endswith(("heap", "classes")) and texts
    ]
    assert found == []


@CHECK
def test_no_other_package_reads_a_field_of_rocketmq_by_name() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}:{line} {method}({sorted(FIELD_NAMES.intersection(texts))})"
        for path in sources("rocketmq/names.py")
        if not path.is_relative_to(PACKAGE / "recordings")  # fields of flight recordings
        for _, method, line, texts in calls(path)
        if method in BY_JAVA_NAME and FIELD_NAMES.intersection(texts)
    ]
    assert found == []


def ways_to_tables() -> set[str]:
    """Roles by which tables of brokers are found."""
    return {role for table in _known() for role in (*table.way, table.inner) if role}


@CHECK
def test_every_role_that_code_asks_for_is_in_the_table() -> None:
    known = {row.role for row in ROWS}
    asked = {
        text
        for path in sources()
        if path.is_relative_to(PACKAGE / "rocketmq")
        for text in literals(path)
        if ROLE.fullmatch(text)
    }
    asked |= {
        text
        for path in sources("rocketmq/fields.py")
        for receiver, _, _, texts in calls(path)
        if receiver == "fields"
        for text in texts
        if text
    }
    assert (asked | ways_to_tables()) - known == set()


@CHECK
def test_every_row_is_used() -> None:
    asked = {text for path in sources("rocketmq/names.py") for text in literals(path)}
    table = PACKAGE / "rocketmq" / "names.py"
    asked |= {
        role
        for node in ast.parse(table.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "KNOWN_CLASSES"
        for role in ast.literal_eval(node.value)
    }
    assert {row.role for row in ROWS} - asked - ways_to_tables() == set()


def test_rows_of_a_role_stand_together_with_the_newest_first() -> None:
    roles = [row.role for row in ROWS]
    assert [
        role for before, role in pairwise(roles) if role != before and role in roles[: roles.index(role)]
    ] == []
    for before, after in pairwise(OF_ROCKETMQ):
        if before.role == after.role and "." in before.role:
            assert _first(before) >= _first(after), f"{after.role}: the newest name first"


def _first(row: JavaName) -> tuple[int, ...]:
    return version_key(re.split(r"[+-]", row.versions)[0])


def test_families_are_listed_newest_first() -> None:
    oldest = FAMILIES[-len(written.FAMILIES) :]
    assert [family.name for family in oldest] == list(reversed(written.FAMILIES))
    assert all(version_key(newer.since) > version_key(older.since) for newer, older in pairwise(FAMILIES))


def test_versions_of_a_row() -> None:
    row = JavaName("ProcessQueue.in_flight", "3.2.6-4.1.0", "msgTreeMapTemp", "client 3.2.6")
    assert [row.is_in(version) for version in ("3.2.5", "3.2.6", "4.1.0", "4.2.0")] == [
        False,
        True,
        True,
        False,
    ]
    open_ended = JavaName("ProcessQueue.size", "4.2.0+", "msgSize", "client 4.2.0")
    assert [open_ended.is_in(version) for version in ("4.1.0", "4.2.0", "4.10.0")] == [False, True, True]


def test_an_unknown_role_is_refused() -> None:
    with pytest.raises(KeyError):
        names_of("ProcessQueue.no_such_thing")


@pytest.fixture(params=one_in(6, case_names()))
def read(request: pytest.FixtureRequest) -> Case:
    return case(request.param)


@one_in_each_run(3)
def test_real_classes_have_the_fields_of_their_version(read: Case) -> None:
    """Each row whose class is loaded: its field is there in the versions of the row, and in no others."""
    if not read.truth.get("client_version"):
        assert read.name.startswith("no-rocketmq")
        return
    version, classes = read.truth["client_version"], heap_of(read.name).classes
    suffixes = {row.role: names_of(row.role) for row in OF_ROCKETMQ if row.name.startswith(".")}
    compared = 0
    for row in OF_ROCKETMQ:
        for suffix in suffixes.get(row.role.partition(".")[0], ()):
            for index in classes.indices_ending(suffix) if "." in row.role else ():
                static = row.role.startswith(("MQVersion.", "RequestFutureTable."))
                if not static and not suffix.endswith("$ConsumeRequest"):
                    assert classes.has_field(index, row.name) is row.is_in(version), (row, version)
                    compared += 1
    assert compared >= 40
