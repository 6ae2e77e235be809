"""Records of a log in a table of comma-separated values, as collectors export them."""

from __future__ import annotations

from tests.logs.given import facts

HEAD = '"time","message"\n'
ROW = '"2026-11-21 20:00:00","2026-11-21 20:00:00 INFO main - ok"\n'
FAULT = '"2026-11-21 20:00:02","java.lang.OutOfMemoryError: Java heap space"\n'


def kinds(text: str) -> set[str]:
    return {event.kind for event in facts(text).events}


def test_a_long_value_ends_no_table() -> None:
    long = f'"2026-11-21 20:00:01","{"x" * 140_000}"\n'
    assert "out-of-memory" in kinds(HEAD + 20 * ROW + long + FAULT)


def test_a_name_of_a_column_may_be_of_any_length() -> None:
    assert not kinds(f'"time","message","{"y" * 200_000}"\n' + 20 * ROW)
