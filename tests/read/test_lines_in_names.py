"""Names of threads with line ends, wherever a text is cut into chunks."""

from __future__ import annotations

import pytest

from mqdiag.read.lines_in_names import without_lines_in_names

NAME = b'"x\n2026-11-21 20:00:00,123 ERROR disk is full\n#  SIGSEGV (0xb)\n"'
HEADER = b' #11 daemon prio=8 tid=0x1 nid=0x2 waiting\n   java.lang.Thread.State: WAITING\n\n"main" #1 prio=5\n'
TEXT = b"Full thread dump OpenJDK:\n\n" + NAME + HEADER


@pytest.mark.parametrize("size", range(1, len(TEXT) + 1))
def test_nothing_in_a_name_is_left_wherever_the_text_is_cut(size: int) -> None:
    first = TEXT.index(b"\n") + 1  # a dump is known by its head, which is not cut here
    chunks = [TEXT[:first], *(TEXT[at : at + size] for at in range(first, len(TEXT), size))]
    read = b"".join(without_lines_in_names(iter(chunks)))
    assert b"disk is full" not in read
    assert b"SIGSEGV" not in read
    assert read.count(b"\n") == TEXT.count(b"\n")
    assert read.endswith(HEADER)


def test_other_texts_stay() -> None:
    for text in (NAME + HEADER, b'Full thread dump\n"a\nb\nc', b'Full thread dump\n"main" #1\n', b""):
        assert b"".join(without_lines_in_names(iter([text[:20], text[20:]]))) == text
