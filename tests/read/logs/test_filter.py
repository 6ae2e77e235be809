"""The kernel's search of long logs finds what the automaton finds, and gives up where it would be slow."""

from __future__ import annotations

import gzip
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from mqdiag.kernel import folder
from mqdiag.logs.statements import searched
from mqdiag.read.logs import scan
from mqdiag.read.logs.filter import SHORTEST_LITERAL, Filter
from mqdiag.read.logs.levels import ALL, COMMON
from mqdiag.read.logs.scan import LOOK_BACK, SOME, Automaton, Counts, Hit, Places, Scanner, Words
from tests.folded import folded
from tests.layers import CHECK, one_in_each_run

LOGS = Path(__file__).parents[3] / "fixtures" / "logs"
LITERALS = searched().literals
AUTOMATON = Automaton(LITERALS)
BLOCK = 1 << 20
PLAIN = b"2026-11-21 20:00:00 INFO main - nothing of note\n"


def found(places: Places) -> tuple[dict[int, list[int]], list[list[int]], int]:
    literals = {literal: list(starts) for literal, starts in places.literals.items()}
    return literals, [list(starts) for starts in places.words], places.line_ends


def both(search: Filter, block: bytes, begin: int, words: Sequence[bytes]) -> int | None:
    """Literals that both searches find in a block; None where the kernel gave up."""
    by_kernel = search.places(block, begin)
    if by_kernel is None:
        return None
    by_automaton = AUTOMATON.places(block, begin, block[begin:], words)
    assert found(Places(*by_kernel)) == found(by_automaton)
    return sum(map(len, by_automaton.literals.values()))


@CHECK  # seconds
def test_real_logs() -> None:
    """Each block is found whole, in tables made for its own log and for another one."""
    other = Filter(LITERALS, ALL, PLAIN)
    count = 0
    for path in sorted(LOGS.glob("*/*/*.log.gz")):
        data = gzip.decompress(path.read_bytes())
        own = Filter(LITERALS, ALL, data[:BLOCK])
        for at in range(0, len(data), BLOCK):
            begin = min(at, LOOK_BACK)
            block = data[at - begin : at + BLOCK]
            in_own = both(own, block, begin, ALL)
            assert in_own is not None
            assert both(other, block, begin, ALL) in (in_own, None)
            count += in_own
    assert count > 30_000


@one_in_each_run(3)
@pytest.mark.parametrize("words", [(), COMMON, ALL])
def test_texts_of_pieces_that_overlap(words: tuple[bytes, ...]) -> None:
    """Literals and their pieces without a byte between, cut anywhere; the block's own bytes begin anywhere."""
    chance = random.Random(20261123)
    pieces = [*LITERALS, *ALL, b"\n", b" ", b"INFO main - ", b"x"]
    search = Filter(LITERALS, words, PLAIN)
    searched = 0
    for _ in range(1500):
        text = b""
        for _ in range(chance.randrange(1, 60)):
            piece = chance.choice(pieces)
            begin = chance.randrange(len(piece)) if chance.random() < 0.3 else 0
            text += piece[begin : len(piece) if chance.random() < 0.7 else chance.randrange(len(piece) + 1)]
        text += PLAIN * 20  # room for the work of so many literals
        searched += both(search, text, chance.randrange(len(text)), words) is not None
    assert searched > 1400


@folded("text", [b"", b"W", b"WAR", b"WARN", b"xWARN", b"\n", b"OOMKilled", b"  OOMKilled", b"\0" * 9])
def test_short_texts(text: bytes) -> None:
    assert both(Filter(LITERALS, COMMON, b""), text, 0, COMMON) is not None


@folded("at", range(8))
def test_every_literal_at_every_place(at: int) -> None:
    """Some literals hold others: a line has as many as stand in it one behind the other."""
    lines = [PLAIN + b" " * at + literal + b"\n" for literal in LITERALS]
    text = b"".join(lines)
    alone = [sum(map(len, AUTOMATON.places(line, 0, line, COMMON).literals.values())) for line in lines]
    assert min(alone) == 1
    assert both(Filter(LITERALS, COMMON, text), text, 0, COMMON) == sum(alone)


def test_no_literal_is_too_short() -> None:
    assert min(map(len, (*LITERALS, *ALL))) >= SHORTEST_LITERAL
    assert not any(b"\n" in literal for literal in (*LITERALS, *ALL))


def test_a_block_full_of_literals_is_left_to_the_automaton() -> None:
    """The shortest literal is more to keep than there is room for; long beginnings take long to compare."""
    search = Filter(LITERALS, COMMON, PLAIN)
    shortest, longest = min(LITERALS, key=len), max(LITERALS, key=len)
    assert search.places(shortest * 100_000, 0) is None
    for text in (longest[:-1] * 20_000, longest[1:] * 20_000, b"INFO main - " * 50_000):
        assert both(search, text, 0, COMMON) in (None, 0)


def hits(data: bytes) -> tuple[list[Hit], Counts, list[list[int]]]:
    counts = Counts()
    size = 1000 * len(PLAIN)
    blocks = (data[at : at + size] for at in range(0, len(data), size))
    seen: list[list[int]] = []
    words = Words((b"WARN",), lambda _, places, __: seen.extend(list(starts) for starts in places))
    scanner = Scanner((b"needle", b"nettle"), (SOME, SOME), (False, True))
    return list(scanner.hits(blocks, counts, words)), counts, seen


def test_a_long_log_goes_on_with_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same lines, of which each byte is searched once: the look-back ends at a line end and is left out."""
    lines = [PLAIN] * 10_000
    for number in range(0, 10_000, 7):
        lines[number] = b"WARN needle %d, nettle %d" % (number, number // 100)
        lines[number] = lines[number].ljust(len(PLAIN) - 1) + b"\n"
    data = b"".join(lines)
    expected, by_automaton, words = hits(data)
    monkeypatch.setattr(folder, "is_ready", lambda tasks: tasks == ("logs",))
    monkeypatch.setattr(scan, "KERNEL_FROM_BYTES", 2000 * len(PLAIN))
    by_kernel_hits, by_kernel, by_kernel_words = hits(data)
    assert by_kernel_hits == expected
    assert by_kernel_words == words
    assert by_automaton.scanned_bytes == len(data) + 9 * LOOK_BACK
    assert by_kernel.scanned_bytes == len(data) + LOOK_BACK
    assert by_kernel.lines == by_automaton.lines == 10_000
    assert by_kernel.hit_lines_unseen == by_automaton.hit_lines_unseen > 0


def test_nothing_is_compiled_for_a_log(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no kernel is kept the automaton reads a log of any length."""
    monkeypatch.setattr(folder, "is_ready", lambda tasks: False)
    monkeypatch.setattr(scan, "KERNEL_FROM_BYTES", 0)
    _, counts, _ = hits(PLAIN * 3000)
    assert counts.scanned_bytes == 3000 * len(PLAIN) + 2 * LOOK_BACK


def test_places_of_a_literal_have_no_digits_of_a_day() -> None:
    """A sample of one day says nothing of how often the digits of the next day stand in the log."""
    search = Filter([b"-02 to q: zxzx"], [], b"2026-11-01 INFO to q: nothing of note\n" * 100)
    assert min(search._literals.offsets) >= len(b"-02")


def test_places_that_have_three_bytes_of_a_literal_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two literals that share three bytes are compared only where the fourth is there too."""
    search = Filter([b"abcd"] + [b"abc%c" % sign for sign in range(0x41, 0x5B)], [], PLAIN)
    assert search.places(b"abc_" * 1000, 0) is not None
