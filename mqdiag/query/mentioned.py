"""What a query names, read from DuckDB's own parser: which tables it needs, and which columns of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from mqdiag.errors import UsageError
from mqdiag.text import Text, say


class Mentioned(msgspec.Struct, frozen=True):
    """Names of one query."""

    tables: tuple[str, ...]
    """as they are written, without the names of the query's own WITH tables"""
    unquoted: tuple[str, ...]
    """names among them with dots and without quotation marks, which SQL takes for a table in a schema"""
    words: frozenset[str]
    """everything that may be the name of a column, in small letters"""
    everything: bool
    """a star or the like asks for all columns"""


class SyntaxFault(UsageError):
    """A text that DuckDB does not understand.

    `place` is the character where it stopped, from 0; None where it does not say.
    """

    def __init__(self, text: Text, place: int | None) -> None:
        super().__init__(text)
        self.place = place


def mentioned(serialized: str) -> Mentioned:
    """Read a query that DuckDB has serialized with `json_serialize_sql`.

    Raises:
        SyntaxFault: it is no SQL.
        UsageError: it is no query, more than one, or something else than a query.
    """
    try:
        parsed = msgspec.json.decode(serialized)
    except RecursionError:
        raise UsageError(say("the query is nested too deeply")) from None
    if parsed["error"]:
        raise _refusal(parsed)
    statements = parsed["statements"]
    if len(statements) != 1:
        raise UsageError(say("one query at a time; this text has {queries:count}", queries=len(statements)))
    objects = list(_objects(statements[0]))
    own = {entry["key"].lower() for each in objects for entry in _with_tables(each)}
    paths = [_path(each) for each in objects if each.get("type") == "BASE_TABLE"]
    names = dict.fromkeys(".".join(path) for path in paths)
    words = frozenset(text.lower() for text in _texts(statements[0]))
    aliases = {str(each.get("alias") or each["table_name"]).lower() for each in objects if "table_name" in each}
    return Mentioned(
        tables=tuple(name for name in names if name.lower() not in own),
        unquoted=tuple(".".join(path) for path in paths if len(path) > 1),
        words=words,
        everything=any(_takes_all(each, aliases) for each in objects),
    )


def _refusal(parsed: dict[str, Any]) -> UsageError:
    message = str(parsed["error_message"])
    if parsed["error_type"] == "not implemented":
        return UsageError(say("only SELECT is answered: a dump is read, never changed"))
    place = parsed.get("position")
    if place is None:
        return SyntaxFault(say("no SQL: {message}", message=message), None)
    return SyntaxFault(
        say("no SQL: {message} (character {place})", message=message, place=int(place) + 1), int(place)
    )


def _objects(node: Any) -> Iterator[dict[str, Any]]:
    """All objects of the tree, without recursion: a query may be nested deeply."""
    open_nodes = [node]
    while open_nodes:
        node = open_nodes.pop()
        if isinstance(node, dict):
            yield node
            open_nodes.extend(node.values())
        elif isinstance(node, list):
            open_nodes.extend(node)


def _texts(node: Any) -> Iterator[str]:
    for each in _objects(node):
        for value in each.values():
            if isinstance(value, str):
                yield value
            elif isinstance(value, list):
                yield from (text for text in value if isinstance(text, str))


def _with_tables(node: dict[str, Any]) -> list[dict[str, Any]]:
    found = node.get("cte_map")
    return found["map"] if isinstance(found, dict) else []


def _path(table: dict[str, Any]) -> list[str]:
    """A name with dots that is not quoted is a path; DuckDB before 2.0 gives it as catalog, schema and table."""
    known = table.get("qualified_name")
    path = known["path"] if known else [table["catalog_name"], table["schema_name"], table["table_name"]]
    return [part for part in path if part]


def _takes_all(node: dict[str, Any], aliases: set[str]) -> bool:
    if node.get("type") in ("STAR", "SHOW_REF") or node.get("ref_type") == "NATURAL":
        return True
    # The name of a table in place of a column is a struct of all its columns.
    names: list[str] = node["column_names"] if node.get("type") == "COLUMN_REF" else []
    return len(names) == 1 and names[0].lower() in aliases
