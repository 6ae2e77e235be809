"""Lines of the headers of threads, against one plain expression that goes back and forth."""

from __future__ import annotations

import random
import re
import time

from mqdiag.read.stacks.header_lines import MOST_NAME, HeaderLines

_PLAIN = re.compile(rb'"([^\n]{1,400}?)" (?:#\d|daemon |(?:os_)?prio=|tid=|Id=|J9VMThread)')
_PIECES = [
    b'"',
    b'""',
    b"name",
    b'" #1',
    b'" daemon ',
    b'" prio=',
    b'" Id=3',
    b"\n",
    b" ",
    b"x" * (MOST_NAME - 1),
]


def lines_of(text: bytes) -> dict[str, int]:
    headers = HeaderLines()
    for _ in headers.of(iter([text])):
        pass
    return headers.lines


def test_lines_are_those_of_a_plain_expression() -> None:
    draw = random.Random(3)
    for _ in range(2000):
        text = b"".join(draw.choices(_PIECES, k=draw.randint(1, 25)))
        truth = {found[1].decode(): text.count(b"\n", 0, found.start()) + 1 for found in _PLAIN.finditer(text)}
        assert lines_of(text) == truth, text


def test_a_text_of_quotation_marks_takes_no_time() -> None:
    """Each mark began a search through the 400 bytes behind it: JSON has one in five bytes."""
    begun = time.process_time()
    assert lines_of(b'{"y":' * 60_000) == {}
    assert time.process_time() - begun < 0.1  # 0.3 s before
