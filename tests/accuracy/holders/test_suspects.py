"""The criterion by which two programs are compared."""

from __future__ import annotations

import pytest

from tests.accuracy.holders.suspects import Row, Told, names_all, part, told_by_hprof_analyzer
from tests.accuracy.holders.truth import Case

CACHE = Case(name="cache", program="Cache", leaks=("ReportCache.ENTRIES|exec-3",))
EVEN = Case(name="even", program="Even", leaks=())


@pytest.mark.parametrize(
    ("texts", "named"),
    [
        (["com.acme.ReportCache java.util.HashMap"], True),
        (["thread Exec-3"], True),
        (["java.util.HashMap$Node[]"], False),
        ([], False),
    ],
)
def test_a_holder_is_named_by_its_class(texts: list[str], named: bool) -> None:
    assert names_all(CACHE, texts) is named


def test_headlines_of_hprof_analyzer_are_its_suspects() -> None:
    suspect = {"pretty_class": "Loader", "accumulation_class": "byte[]", "dominated": ["com.acme.ReportCache"]}
    told = told_by_hprof_analyzer({"leaks": {"suspects": [suspect]}})
    assert told.headlines == ("Loader byte[]",)
    assert names_all(CACHE, told.texts)
    ours = Told(headlines=("com.acme.ReportCache.ENTRIES retains 9",), texts=())
    none = Told(headlines=(), texts=())
    table = part([Row(case=CACHE, ours=ours, theirs=told), Row(case=EVEN, ours=none, theirs=told)])
    assert "| mqdiag heap | 1 | 1 | 0 | 1 | 0 |" in table
    assert "| hprof-analyzer 0.3.2 | 1 | 0 | 1 | 1 | 1 |" in table
