"""Programs for the kernel that decodes: the fields of a type, one after the other, with nested types in their place."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.errors import Reasoned
from mqdiag.read.jfr.kernels.decode import ARRAY, COLUMN, DOUBLE, FLOAT, INTEGER, MOST_NESTED, RUN, TEXT, WHAT
from mqdiag.read.jfr.kernels.numbers import SHORT_UTF8, TAGGED, UTF16
from mqdiag.read.jfr.metadata import Field, JfrType
from mqdiag.text import say

MOST_STEPS = 4096
"""steps of a type with all that it holds; the JDK's largest has some fifty"""
MOST_DEEP = 16
"""types within types"""
_STEPS = {
    "boolean": (INTEGER, 1),
    "byte": (INTEGER, 1),
    "short": (INTEGER, 2),
    "char": (INTEGER, -2),
    "int": (INTEGER, 4),
    "long": (INTEGER, 8),
    "float": (FLOAT, 0),
    "double": (DOUBLE, 0),
    "java.lang.String": (TEXT, TAGGED),
    # version 0.9
    "unsigned byte": (INTEGER, -1),
    "unsigned short": (INTEGER, -2),
    "unsigned int": (INTEGER, -4),
    "utf-8 text": (TEXT, SHORT_UTF8),
    "utf-16 text": (TEXT, UTF16),
}


class UnknownTypeError(Reasoned):
    """The metadata describes no type that can be read."""


class Column(NamedTuple):
    """A value of each record."""

    name: str
    """fields of nested types by their path: "heapSpace.committedSize" """
    field: Field
    place: int
    """column of the decoded array; of an array it has the place of the elements, the next one their number"""
    what: int
    """kind of the value: INTEGER, FLOAT, DOUBLE, TEXT or ARRAY"""
    form: int = TAGGED
    """form of a text"""


class Program(NamedTuple):
    """How records of one type are decoded."""

    steps: NDArray[np.int64]
    """[steps, 3]"""
    columns: dict[str, Column]
    width: int
    """columns of the decoded array"""
    runs: tuple[Program, ...] = ()
    """for the values of each run, whose numbers are the last columns of the decoded array"""


class _Step(NamedTuple):
    what: int
    argument: int
    path: str | None
    """None for what belongs to an array"""
    field: Field | None


def program_of(
    types: Mapping[int, JfrType],
    fields: tuple[Field, ...],
    wanted: Callable[[str], bool] = lambda _: True,
) -> Program:
    """The program for records with these fields.

    Args:
        types: of the chunk.
        fields: in the order of the file.
        wanted: whether a column is kept, by its path.

    Raises:
        UnknownTypeError: a field's type is not described, holds itself, or is nested too deep.
    """
    steps = []
    columns = {}
    width = 0
    for step in _steps(types, fields):
        column = -1
        if step.path is not None and step.field is not None and wanted(step.path):
            column = width
            columns[step.path] = Column(step.path, step.field, column, step.what, step.argument)
            width += 2 if step.what == ARRAY else 1
        steps.append((step.what, step.argument, column))
    return Program(np.array(steps, np.int64).reshape(-1, 3), columns, width)


def in_runs(program: Program, common: Collection[str]) -> Program:
    """The same for events of which many have some values in common.

    Values in common that follow each other are a run: the decoded array has the number of its bytes.

    Args:
        program: of events.
        common: columns that they have in common, by their paths.
    """
    columns: dict[str, Column] = {}
    steps: list[tuple[int, int, int]] = []
    runs: list[Program] = []
    width = 0
    for is_run, fields in groupby(_fields(program), key=lambda field: field.name in common):
        placed = _placed(program, fields, 0 if is_run else width)
        if is_run:
            steps.append((RUN, len(placed.steps), len(runs)))
            runs.append(placed)
        else:
            columns |= placed.columns
            width = placed.width
        steps += placed.steps.tolist()
    table = np.array(steps, np.int64).reshape(-1, 3)
    table[table[:, WHAT] == RUN, COLUMN] += width
    return Program(table, columns, width + len(runs), tuple(runs))


class _Field(NamedTuple):
    name: str | None
    """None for one that is not kept"""
    steps: list[tuple[int, int, int]]
    """with those of an array's elements"""


def _fields(program: Program) -> Iterator[_Field]:
    names = {column.place: name for name, column in program.columns.items()}
    steps = program.steps.tolist()
    at = 0
    while at < len(steps):
        what, argument, column = steps[at]
        behind = at + 1 + (argument if what == ARRAY else 0)
        yield _Field(names.get(column), steps[at:behind])
        at = behind


def _placed(program: Program, fields: Iterable[_Field], width: int) -> Program:
    """For these fields alone, with columns from this one on."""
    columns: dict[str, Column] = {}
    steps: list[tuple[int, int, int]] = []
    for name, own in fields:
        what, argument, place = own[0]
        if name is not None:
            columns[name] = program.columns[name]._replace(place=width)
            place = width
            width += 2 if what == ARRAY else 1
        steps += [(what, argument, place), *own[1:]]
    return Program(np.array(steps, np.int64).reshape(-1, 3), columns, width)


def _steps(types: Mapping[int, JfrType], fields: tuple[Field, ...]) -> list[_Step]:
    out: list[_Step] = []
    _add(types, fields, "", out, deep=0, nested=0)
    return out


def _add(
    types: Mapping[int, JfrType],
    fields: tuple[Field, ...],
    path: str | None,
    out: list[_Step],
    *,
    deep: int,
    nested: int,
) -> None:
    if deep > MOST_DEEP or nested > MOST_NESTED:
        raise UnknownTypeError(say("a type of its metadata is nested too deep"))
    for field in fields:
        own = None if path is None else f"{path}{field.name}"
        if not field.is_array:
            _add_value(types, field, own, out, deep=deep, nested=nested)
            continue
        at = len(out)
        out.append(_Step(ARRAY, 0, own, field))
        _add_value(types, field, None, out, deep=deep, nested=nested + 1)
        out[at] = out[at]._replace(argument=len(out) - at - 1)


def _add_value(
    types: Mapping[int, JfrType], field: Field, path: str | None, out: list[_Step], *, deep: int, nested: int
) -> None:
    kind = types.get(field.type_id)
    if len(out) >= MOST_STEPS or kind is None:
        raise UnknownTypeError(say("its metadata does not describe the type of {field}", field=field.name))
    if field.is_constant:
        out.append(_Step(INTEGER, field.key_width, path, field))
    elif kind.name in _STEPS:
        out.append(_Step(*_STEPS[kind.name], path, field))
    else:
        inner = None if path is None else f"{path}."
        _add(types, kind.fields, inner, out, deep=deep + 1, nested=nested)


def element_of(field: Field) -> Field:
    """One element of an array."""
    return field._replace(is_array=False)
