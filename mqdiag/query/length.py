"""How long SQL may be."""

from __future__ import annotations

from mqdiag.errors import UsageError
from mqdiag.text import say

MOST_SQL = 1 << 15
"""characters: the parser of DuckDB takes some KB for a bracket"""


def refuse_too_long(sql: str) -> None:
    """Refuse SQL before anything parses it.

    Raises:
        UsageError: it has more than `MOST_SQL` characters.
    """
    if len(sql) > MOST_SQL:
        raise UsageError(say("the SQL has more than {most:count} characters", most=MOST_SQL))
