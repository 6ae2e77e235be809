"""The form of a team's file: its size, its keys, its types; each error with file, line, key and what was expected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from mqdiag import given_toml
from mqdiag.errors import UsageError
from mqdiag.knowledge.team.folder import MOST_BYTES, GivenFile
from mqdiag.spelling import did_you_mean
from mqdiag.text import Text, say

MOST_CHARACTERS = 600
"""characters of one text: a report shows all of it"""
MOST_ENTRIES = 500
"""entries of one list or table"""
MOST_DEPTH = 6
_T = TypeVar("_T", bound=msgspec.Struct)


def tables_of(file: GivenFile) -> dict[str, Any]:
    """The tables of a file, bounded.

    Raises:
        UsageError: it is no TOML, or larger or deeper than any knowledge is.
    """
    raw = given_toml.parsed(file.data, file.path, MOST_BYTES)
    _check_bounds(file, raw, "", 0)
    return raw


def converted(
    file: GivenFile, raw: Mapping[str, Any], kind: type[_T], tables: Mapping[str, type[msgspec.Struct]]
) -> _T:
    """The tables of a file as a value of a type.

    Args:
        file: for messages.
        raw: its tables.
        kind: the type, with keys that have no default for what must be there.
        tables: the types of the tables below it, by their keys: of lists of tables, or of a table.

    Raises:
        UsageError: it has an unknown key, or a value of another type.
    """
    _check_keys(file, raw, kind, "")
    for name, inner in tables.items():
        rows = raw.get(name, ())
        for number, row in enumerate(rows if isinstance(rows, list) else [rows]):
            _check_keys(file, row, inner, f"{name}[{number}]" if isinstance(rows, list) else name)
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        problem, place = given_toml.problem_and_place(str(error))
        words = given_toml.choices(kind, place)
        text = say("{problem}: expected one of {words}", problem=problem, words=words) if words else None
        raise refused(file, place, text or say("{problem}", problem=problem)) from error


def refused(file: GivenFile, place: str, problem: Text) -> UsageError:
    """The error of a file.

    Args:
        file: that is wrong.
        place: such as "library[2].frames", empty for the whole file.
        problem: with what was expected.
    """
    if not place:
        return UsageError(say("{path}: {problem}", path=file.path, problem=problem))
    line = given_toml.line_of(file.data, place)
    if line is None:
        return UsageError(say("{path}: {place}: {problem}", path=file.path, place=place, problem=problem))
    return UsageError(
        say("{path}, line {line}: {place}: {problem}", path=file.path, line=line, place=place, problem=problem)
    )


def _check_keys(file: GivenFile, row: object, kind: type[msgspec.Struct], place: str) -> None:
    found = given_toml.unknown_key(row, kind)
    # whose words they are is told by the file's name alone
    if found is None and isinstance(row, dict) and "by" in row:
        found = "by", ()
    if found is not None:
        key, near = found
        raise refused(file, f"{place}.{key}" if place else key, did_you_mean(say("unknown key"), near))


def _check_bounds(file: GivenFile, value: object, place: str, depth: int) -> None:
    if depth > MOST_DEPTH:
        raise refused(file, "", say("expected at most {most:count} tables inside each other", most=MOST_DEPTH))
    if isinstance(value, str) and len(value) > MOST_CHARACTERS:
        raise refused(file, place, say("expected at most {most:count} characters", most=MOST_CHARACTERS))
    if isinstance(value, dict | list) and len(value) > MOST_ENTRIES:
        raise refused(file, place, say("expected at most {most:count} entries", most=MOST_ENTRIES))
    if isinstance(value, dict):
        for key, inner in value.items():
            _check_bounds(file, key, place, depth + 1)
            _check_bounds(file, inner, f"{place}.{key}" if place else key, depth + 1)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            _check_bounds(file, inner, f"{place}[{number}]", depth + 1)
