"""TOML that a user gives: bounded before it is parsed, and errors in the words of who wrote it."""

from __future__ import annotations

import re
from enum import EnumType
from typing import Any, get_args

import msgspec

from mqdiag.errors import UsageError
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.spelling import did_you_mean, nearest
from mqdiag.text import say

MOST_DOTS = 200
"""in a line: reading a key takes a time that grows with the square of its parts, and no key has more than a line"""
_STRING_OR_COMMENT = lazy_pattern(
    rb'''"""(?:\\.|[^\\])*?(?:"""(?:""?)?|\Z)|"(?:\\.|[^"\\\n])*"?'''
    rb"""|'''.*?(?:'''(?:''?)?|\Z)|'[^'\n]*'?|#[^\n]*""",
    re.DOTALL,
)
"""strings and comments of TOML 1.0; one that is not closed goes on to its latest possible end"""


def parsed(data: bytes, path: str, most_bytes: int) -> dict[str, Any]:
    """The tables of a file.

    Args:
        data: all of it, or one byte more than is allowed.
        path: of the file, for messages.
        most_bytes: that it may have.

    Raises:
        UsageError: it is too large, no UTF-8 or no TOML.
    """
    import tomllib  # most runs have no file

    if len(data) > most_bytes:
        raise UsageError(
            say("{path}: has more than {most:bytes}, too many for a configuration", path=path, most=most_bytes)
        )
    for number, line in enumerate(without_strings(data).split(b"\n"), 1):
        if line.count(b".") > MOST_DOTS:
            raise UsageError(
                say(
                    "{path}: line {number} has more than {most:count} dots, too many for a key",
                    path=path,
                    number=number,
                    most=MOST_DOTS,
                )
            )
    try:
        return tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise UsageError(say("{path}: is not UTF-8 at byte {start}", path=path, start=error.start)) from error
    # A TOMLDecodeError is a ValueError, and so is the refusal of a number of thousands of digits.
    except (ValueError, RecursionError) as error:
        raise UsageError(say("{path}: is not TOML: {error}", path=path, error=str(error))) from error


def without_strings(data: bytes) -> bytes:
    """TOML without what is in quotes and in comments, by the same lines."""
    return _STRING_OR_COMMENT.sub(lambda found: b"\n" * found[0].count(b"\n"), data)


def unknown_key(section: Any, kind: type[msgspec.Struct]) -> tuple[str, tuple[str, ...]] | None:
    """(the first key that a type does not have, the known keys that are written alike); None where all are known."""
    known = [found.encode_name for found in msgspec.structs.fields(kind)]
    for key in section if isinstance(section, dict) else ():
        if key not in known:
            return key, nearest(key, known)
    return None


def refuse_unknown(section: Any, kind: type[msgspec.Struct], where: str, prefix: str) -> None:
    """Refuse a table with a key that its type does not have.

    Raises:
        UsageError: it has one.
    """
    found = unknown_key(section, kind)
    if found is not None:
        problem = say("{where}: unknown key {prefix}{key}", where=where, prefix=prefix, key=found[0])
        raise UsageError(did_you_mean(problem, found[1]))


def problem_and_place(message: str) -> tuple[str, str]:
    """(the decoder's message for a user who wrote TOML, the place that it names such as "rules.x" or "")."""
    what, _, place = message.partition(" - at ")
    place = place.strip("`").removeprefix("$").removeprefix(".").removesuffix("[...]")
    return what.replace("`", "").replace("object", "table").replace("Object", "Table"), place


def choices(kind: Any, place: str) -> tuple[str, ...]:
    """The words that may stand at a place such as "library[0].family"; empty where other values may stand too."""
    for name in re.findall(r"[A-Za-z_][\w-]*", place):
        kinds = [one for one in _inner(kind) if isinstance(one, type) and issubclass(one, msgspec.Struct)]
        fields = {field.encode_name: field.type for one in kinds for field in msgspec.structs.fields(one)}
        kind = fields.get(name, kind)
    inner = [one for one in _inner(kind) if one is not type(None)]
    words = [str(word) for one in inner for word in (one if isinstance(one, EnumType) else (one,))]
    return tuple(words) if all(isinstance(one, str | EnumType) for one in inner) else ()


def _inner(kind: Any) -> list[Any]:
    """The types, and the words of a Literal, that a type is made of."""
    return [one for part in get_args(kind) for one in _inner(part)] or [kind]


def line_of(data: bytes, place: str) -> int | None:
    """The line, from 1, of a key such as "library[2].frames[0]"; else that of the table around it."""
    names = re.findall(r"([^.\[\]]+)(?:\[(\d+)\])?", place)
    lines = without_strings(data).split(b"\n")
    begin, end, found = 0, len(lines), None
    for name, number in names:
        header = rb"\s*\[\[?\s*(?:[\w-]+\s*\.\s*)*" + re.escape(name.encode()) + rb"\s*\]"
        headers = [at for at in range(begin, end) if re.match(header, lines[at])]
        wanted = int(number or 0)
        if wanted < len(headers):
            found = begin = headers[wanted]
            end = headers[wanted + 1] if wanted + 1 < len(headers) else end
            continue
        key = rb"\s*" + re.escape(name.encode()) + rb"\s*[=.]"
        at = next((at for at in range(begin, end) if re.match(key, lines[at])), None)
        return found and found + 1 if at is None else at + 1
    return None if found is None else found + 1
