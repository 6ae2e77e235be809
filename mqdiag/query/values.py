"""What DuckDB gives as values that every format can write."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from typing import Any

PlainValue = Any
"""None, a number, a boolean, a text, or lists and dictionaries of them"""


def plain(value: Any) -> PlainValue:
    """Numbers, booleans, texts, lists and dictionaries as they are; anything else, such as a time, as text."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, datetime) and value.microsecond % 1000 == 0:
        return value.isoformat(" ", "milliseconds")
    return str(value)


def shown(value: Any) -> str:
    """A value as the text of a cell; nothing for what is unknown."""
    value = plain(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def distinct_names(columns: Sequence[str]) -> list[str]:
    """Names of columns, with a number behind one that another column has already."""
    names: dict[str, None] = {}
    numbers: dict[str, int] = {}
    for column in columns:
        name = column
        while name in names:
            # Each column goes on where the one before it of the same name ended: SQL can name thousands alike.
            numbers[column] = numbers.get(column, 1) + 1
            name = f"{column}_{numbers[column]}"
        names[name] = None
    return list(names)
