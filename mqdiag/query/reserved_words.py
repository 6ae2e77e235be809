"""Words that SQL keeps for itself, where a query uses one as the name of a column."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mqdiag.query.meanings import table_meanings
from mqdiag.text import Text, say

_WORD = re.compile(r"\w+")


def reserved_name(
    sql: str, place: int | None, reserved: frozenset[str], fields: Mapping[str, str]
) -> Text | None:
    """What is wrong with a query that DuckDB does not understand because a name is a reserved word.

    DuckDB stops at the word, or at what follows it; only a word that is the name of a column counts.

    Args:
        sql: the query.
        place: character where DuckDB stopped, from 0; None where it does not say.
        reserved: all such words, in small letters.
        fields: names of fields of the classes that the query names, by the same in small letters.
    """
    if place is None:
        return None
    former = {old: new for table in table_meanings().values() for old, new in table.formerly.items()}
    near = [found for found in _WORD.finditer(sql) if found.start() <= place][-2:]
    for found in reversed(near):
        word = found[0].lower()
        if word not in reserved or sql[: found.start()].endswith('"'):
            continue
        if word in former:
            return say(
                "no SQL: {word} is a reserved word (character {place}); the column is {column}",
                word=found[0],
                place=found.start() + 1,
                column=former[word],
            )
        if word in fields:
            return say(
                "no SQL: {word} is a reserved word (character {place}); as a name it is written {quoted}",
                word=found[0],
                place=found.start() + 1,
                quoted=f'"{fields[word]}"',
            )
    return None
