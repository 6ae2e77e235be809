from __future__ import annotations

from mqdiag.read.services.open_text import OpenText, leaves_text_open
from tests.folded import folded


@folded(
    "lines, goes_on",
    [
        (["select 1"], False),
        (["select 'a"], True),
        (["select 'a", "b'"], False),
        (["select 'it''s'"], False),
        (["select 'a /* b'"], False),
        (["select /* a"], True),
        (["select /* a", "' */ 1"], False),
        (["select 1 -- don't", "from t"], False),
        (["select 5--1, 'a"], True),
        (['select "a'], True),
        (["select `a"], True),
        (["do $x$ a"], True),
        (["do $x$ a", "$x$"], False),
        (["select $1, a$b$"], False),
        ([r"select 'a\'"], True),
        ([r"select 'a\'' b"], True),
        ([r"select 'a\'b'"], True),
        ([r"select 'a\\b'"], False),
    ],
)
def test_a_text_goes_on_below_by_one_of_both_meanings_of_a_backslash(lines: list[str], goes_on: bool) -> None:
    statement = OpenText()
    assert [statement.goes_on_below(line) for line in lines][-1] is goes_on


def test_an_apostrophe_of_prose_begins_no_text() -> None:
    assert not leaves_text_open("it doesn't end")
    assert leaves_text_open("12|app|select 'x")
    assert leaves_text_open("12|app|select E'x")
