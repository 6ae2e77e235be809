"""The criterion by which two programs are compared."""

from __future__ import annotations

import pytest

from tests.accuracy.holders.mat_suspects import told_by_mat
from tests.accuracy.holders.suspects import Row, names_all, part, told_by_hprof_analyzer
from tests.accuracy.holders.told import Told
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
    table = part(
        [Row(case=CACHE, ours=ours, theirs=(told, none)), Row(case=EVEN, ours=none, theirs=(told, none))]
    )
    assert "| mqdiag heap | 1 | 1 | 0 | 1 | 0 |" in table
    assert "| hprof-analyzer 0.3.2 | 1 | 0 | 1 | 1 | 1 |" in table
    assert "| Eclipse MAT 1.17 | 1 | 0 | 0 | 1 | 0 |" in table


def test_suspects_of_mat_are_read_from_its_pages() -> None:
    box = (
        '<h3>Problem Suspect {0}</h3><div><div class="important"><div><p>One instance of <q>{1}</q></p>'
        '<ul><li>{1}</li></ul></div><div><a href="pages/{2}.html">Details</a></div></div></div>'
    )
    told = told_by_mat(
        {
            "index.html": '<a href="pages/9.html">Overview</a>'
            + box.format(1, "Loader", 17)
            + box.format(2, "B", 18),
            "pages/17.html": '<a href="../index.html#i1">Up</a> held by <a href="17x.html">a path</a>',
            "pages/17x.html": "com.acme.ReportCache.ENTRIES",
            "pages/18.html": "B, the second",
            "pages/9.html": "exec-3",
        }
    )
    assert [head.split()[3] for head in told.headlines] == ["Loader", "B"]
    assert "ReportCache" in told.texts[0]
    assert "ReportCache" not in told.texts[1]
    assert not any("exec-3" in text for text in told.texts)
