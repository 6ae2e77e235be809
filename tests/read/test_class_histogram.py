"""Class histograms as JVMs print them."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.errors import InputError
from mqdiag.language import english
from mqdiag.read.class_histogram import CountedClass, is_class_histogram, read_class_histogram
from mqdiag.text import NOTHING
from tests.layers import one_in_each_run

REAL = sorted((Path(__file__).parents[2] / "fixtures" / "heap").glob("*/histogram.txt"))
"""of `jcmd GC.class_histogram`, JDK 17 and 25"""
JDK_8 = """
 num     #instances         #bytes  class name
----------------------------------------------
   1:           400       40000000  [B
   2:           300          19200  com.alibaba.rocketmq.common.message.MessageExt
   3:            12            480  [Ljava.lang.Object;
   4:             2             32  com.acme.Order
   5:             1             16  com.acme.Order
Total           715       40019728
"""
OPENJ9 = """ num   object count     total size    class name
------------------------------------------------
    1:          10            320    [C
    2:           4             64    java.lang.String
Total           14            384
"""


@one_in_each_run(4)
@pytest.mark.parametrize("path", REAL, ids=lambda path: path.parent.name)
def test_every_row_of_a_real_one_is_read(path: Path) -> None:
    text = path.read_text()
    assert is_class_histogram(text)
    found = read_class_histogram(str(path), text.splitlines())
    rows = [line.split() for line in text.splitlines() if line.strip()[:1].isdigit() and line.count(":") == 1]
    rows = [row for row in rows if len(row) > 3]
    assert found.problem is None
    assert sum(one.instances for one in found.classes) == sum(int(row[1]) for row in rows)
    assert sum(one.shallow_bytes for one in found.classes) == sum(int(row[2]) for row in rows)
    assert {"byte[]", "java.lang.String", "java.lang.Object[]"} <= {one.name for one in found.classes}


def test_names_are_written_as_in_java_and_loaders_are_summed() -> None:
    found = {one.name: one for one in read_class_histogram("x", JDK_8.splitlines()).classes}
    assert found["byte[]"] == CountedClass("byte[]", 1, 400, 40_000_000)
    assert found["com.acme.Order"] == CountedClass("com.acme.Order", 2, 3, 48)
    assert found["java.lang.Object[]"].instances == 12


def test_openj9_has_other_words_in_the_head() -> None:
    assert is_class_histogram(OPENJ9)
    found = read_class_histogram("x", OPENJ9.splitlines())
    assert [(one.name, one.instances) for one in found.classes] == [("char[]", 10), ("java.lang.String", 4)]
    assert found.problem is None


def test_what_a_shell_prints_around_it_does_no_harm() -> None:
    text = f"$ jmap -histo 1234 | tee histo.txt\n1234:{JDK_8}$ exit\n 9: 1 1 not.a.Row\n"
    assert is_class_histogram(text)
    found = read_class_histogram("x", text.splitlines())
    assert found.problem is None
    assert "not.a.Row" not in {one.name for one in found.classes}


@pytest.mark.parametrize(
    ("lines", "problem"),
    [(slice(0, -1), "the text is cut"), (slice(0, 4), "the text is cut")],
)
def test_one_that_was_cut_says_so(lines: slice, problem: str) -> None:
    found = read_class_histogram("x", JDK_8.splitlines()[lines])
    assert problem in english()(found.problem or NOTHING)


def test_rows_that_somebody_left_out_are_missed() -> None:
    without = [line for line in JDK_8.splitlines() if "Object;" not in line]
    assert "do not add up" in english()(read_class_histogram("x", without).problem or NOTHING)


@pytest.mark.parametrize("text", ["", "a log line\n", "num instances bytes\n", "x\n" * 30 + JDK_8])
def test_other_text_is_none(text: str) -> None:
    assert not is_class_histogram(text)


def test_a_head_alone_cannot_be_read() -> None:
    with pytest.raises(InputError):
        read_class_histogram("x", JDK_8.splitlines()[:3])
