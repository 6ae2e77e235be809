"""The search: bytes are gone over once, lines are cut out only where a literal stands, floods are sampled."""

from __future__ import annotations

from collections import Counter

import pytest

from mqdiag.read.logs.scan import (
    EACH,
    FIRST_BLOCKS,
    LONG_LOG_BLOCKS,
    LONGEST_LINE,
    LOOK_BACK,
    SOME,
    Counts,
    FloodLimit,
    Hit,
    Scanner,
)

PLAIN = b"2026-11-21 20:00:00 INFO main - nothing of note\n"


def scan(
    data: bytes, *, block: int = 1 << 16, wanted: FloodLimit = SOME, changes: bool = False
) -> tuple[list[Hit], Counts]:
    counts = Counts()
    lines = data.splitlines(keepends=True)
    size = max(1, block // len(PLAIN))
    blocks = (b"".join(lines[at : at + size]) for at in range(0, len(lines), size))
    scanner = Scanner((b"needle", b"pin"), (wanted, wanted), (changes, False))
    return list(scanner.hits(blocks, counts)), counts


def test_frozen_counters() -> None:
    """Ten needles in 1.2 MB: ten lines are looked at, and no byte is searched twice but the look-back."""
    data = b"".join(PLAIN if number % 2500 else b"x needle y\n" for number in range(25_000))
    hits, counts = scan(data)
    assert [hit.line for hit in hits] == [b"x needle y"] * 10
    assert counts.lines == 25_000
    assert counts.bytes == len(data)
    assert counts.hit_lines == 10
    blocks = -(-25_000 // (65_536 // len(PLAIN)))
    assert counts.scanned_bytes == len(data) + (blocks - 1) * LOOK_BACK


def test_a_line_with_two_literals_is_given_for_each() -> None:
    hits, counts = scan(b"a needle and a pin, a needle\n" + PLAIN)
    assert [hit.literal for hit in hits] == [0, 1]
    assert counts.hit_lines == 1


@pytest.mark.parametrize("block", [1, 500, 1 << 16])
def test_positions_are_those_of_the_log(block: int) -> None:
    data = b"".join(PLAIN if number % 97 else b"needle %d\n" % number for number in range(3000))
    hits, _ = scan(data, block=block)
    assert [data[hit.position : hit.position + len(hit.line)] for hit in hits] == [hit.line for hit in hits]
    assert len(hits) == len(range(0, 3000, 97))


def test_a_flood_is_sampled_and_counted_whole() -> None:
    most = SOME.at_first
    assert most is not None
    count = 10 * most + 3
    hits, counts = scan(b"a needle\n" * count + b"a pin\n" * 5, block=1 << 20)
    needles = [hit for hit in hits if hit.literal == 0]
    assert len(needles) <= most
    assert sum(hit.stands_for for hit in needles) == count
    assert counts.hit_lines_unseen == count - len(needles)
    assert [hit.stands_for for hit in hits if hit.literal == 1] == [1] * 5


def test_fewer_lines_of_a_flood_are_looked_at_later_in_a_long_log() -> None:
    """Each block has 480 needles: of the first eight 160 are looked at, of the next ones 48, then 16."""
    line, blocks = b"a needle".ljust(len(PLAIN) - 1) + b"\n", LONG_LOG_BLOCKS + 2
    size = 480 * len(line)
    hits, counts = scan(line * 480 * blocks, block=size)
    by_block = Counter(hit.position // size for hit in hits)
    looked_at = [by_block[number] for number in range(blocks)]
    assert looked_at == [160] * FIRST_BLOCKS + [48] * (LONG_LOG_BLOCKS - FIRST_BLOCKS) + [16] * 2
    assert sum(hit.stands_for for hit in hits) == counts.lines


def test_lines_that_belong_together_are_looked_at_in_a_row() -> None:
    """Each later block has 300 beginnings and 200 ends: the first 50 of all are looked at, and stand for the others."""
    begin, end = b"a needle".ljust(len(PLAIN) - 1) + b"\n", b"a pin".ljust(len(PLAIN) - 1) + b"\n"
    block = (begin * 3 + end * 2) * 100
    wanted = FloodLimit(10, 50, 50, in_a_row=True)
    scanner = Scanner((b"needle", b"pin"), (wanted, wanted), (False, False))
    counts = Counts()
    hits = list(scanner.hits(iter([block] * (FIRST_BLOCKS + 2)), counts))
    later = [hit for hit in hits if hit.position >= FIRST_BLOCKS * len(block)]
    first, second = (later[at : at + 50] for at in (0, 50))
    for number, own in enumerate((first, second), FIRST_BLOCKS):
        assert [hit.position - number * len(block) for hit in own] == [at * len(PLAIN) for at in range(50)]
        assert sum(hit.stands_for for hit in own if hit.literal == 0) == 300
        assert sum(hit.stands_for for hit in own if hit.literal == 1) == 200
    assert len(later) == 100
    assert counts.hit_lines + counts.hit_lines_unseen == counts.lines == sum(hit.stands_for for hit in hits)


def test_a_rare_line_among_those_in_a_row_is_seen() -> None:
    """It stands behind the first lines of its block."""
    wanted = FloodLimit(10, 50, 50, in_a_row=True)
    scanner = Scanner((b"needle", b"pin"), (wanted, wanted), (False, False))
    block = b"a needle\n" * 500 + b"a pin\n"
    hits = list(scanner.hits(iter([block] * (FIRST_BLOCKS + 1)), Counts()))
    assert sum(hit.literal == 1 for hit in hits) == FIRST_BLOCKS + 1


def test_lines_with_numbers_of_their_own_are_never_sampled() -> None:
    hits, counts = scan(b"a needle\n" * 5000, block=1 << 20, wanted=EACH)
    assert len(hits) == 5000
    assert counts.hit_lines_unseen == 0


def test_a_very_long_line_is_cut_around_the_literal() -> None:
    line = b"2026-11-21 20:00:00 " + b"a" * 300_000 + b" needle " + b"b" * 300_000
    (hit,), _ = scan(line + b"\n")
    assert len(hit.line) < 70_000
    assert hit.line.startswith(b"2026-11-21 20:00:00 ")
    assert b"needle" in hit.line


def test_the_same_value_again_is_counted_and_not_given() -> None:
    """In the third block the value is an earlier one, but it is not the last one."""
    data = b"".join(b"%d needle=%d\n%d pin=1\n" % (at, value, at) for at, value in enumerate((1, 1, 2, 2, 1)))
    hits, counts = scan(data, block=len(PLAIN), changes=True)
    assert [hit.line for hit in hits if hit.literal == 0] == [b"0 needle=1", b"2 needle=2", b"4 needle=1"]
    assert len([hit for hit in hits if hit.literal == 1]) == 5
    assert counts.hit_lines == 10


def test_a_value_that_only_begins_like_the_last_one_is_given() -> None:
    """Or ends where it went on, or stands at the end of the log without a line end."""
    data = b"needle=1\nneedle=12\nneedle=12\nneedle=1\nneedle=1 \nneedle=1 \nneedle=12\r\nneedle=12\nneedle=12"
    hits, counts = scan(data, changes=True)
    assert [hit.line for hit in hits] == [
        b"needle=1",
        b"needle=12",
        b"needle=1",
        b"needle=1 ",
        b"needle=12\r",
        b"needle=12",
    ]
    assert counts.hit_lines == 9


@pytest.mark.parametrize("block", [1, 1 << 16])
def test_what_else_stands_on_a_line_with_the_same_value_is_given(block: int) -> None:
    data = b"needle=1 and a pin\n" * 3 + b"a pin, needle=1 and a pin\n" * 2
    hits, counts = scan(data, block=block, changes=True)
    assert [(hit.literal, hit.line[:2]) for hit in hits] == [
        (0, b"ne"),
        *[(1, b"ne")] * 3,
        *[(1, b"a ")] * 2,
    ]
    assert counts.hit_lines == 5


def test_a_value_longer_than_what_is_looked_at_is_never_the_same() -> None:
    """But the part of it that is kept may be a value itself."""
    long = b"needle=" + b"a" * LONGEST_LINE
    kept = long[:LONGEST_LINE]
    hits, _ = scan(b"\n".join((long, long, kept, kept, long, kept)) + b"\n", block=1 << 22, changes=True)
    assert [len(hit.line) for hit in hits] == [LONGEST_LINE] * 3
