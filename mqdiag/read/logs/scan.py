"""Finds the lines that hold one of many literals, and counts the others without looking at them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec
from ahocorasick_rs import BytesAhoCorasick, Implementation

LOOK_BACK = 8 << 10
"""bytes before a line in which the beginning of its record, with the time, is searched"""
FIRST_BLOCKS = 8
LONG_LOG_BLOCKS = 32
"""blocks, a MiB each as a rule, after which fewer lines of each text are looked at, because many were by then"""
LONGEST_LINE = 64 << 10
"""bytes of a line that are looked at, around the literal"""


class Wanted(NamedTuple):
    """How many lines with a literal are looked at in one block; of more only one in several is. None is all of them."""

    at_first: int | None
    """in each of the first `FIRST_BLOCKS`"""
    later: int | None
    """in each block from there to `LONG_LOG_BLOCKS`"""
    in_long_log: int | None
    """in each block after those"""
    in_a_row: bool = False
    """after the first blocks the limit is one for all literals of this kind, and the first of their lines are looked
    at: lines of which two belong together tell nothing if only one in several is seen"""

    def in_block(self, number: int) -> int | None:
        """The limit in a block; the first has number 0."""
        if number < FIRST_BLOCKS:
            return self.at_first
        return self.later if number < LONG_LOG_BLOCKS else self.in_long_log


EACH = Wanted(None, None, None)
SOME = Wanted(200, 50, 16)


class Hit(msgspec.Struct):
    """A line with a literal in it."""

    literal: int
    """place of the literal among those that were given"""
    line: bytes
    block: bytes
    start: int
    """where the line begins in the block"""
    position: int
    """where the line begins in the log, in uncompressed bytes"""
    stands_for: int
    """lines with this literal that are counted with it, itself included"""


class Counts(msgspec.Struct):
    """What was read so far; frozen in tests, so that a second pass over the bytes is noticed."""

    bytes: int = 0
    lines: int = 0
    scanned_bytes: int = 0
    """bytes that the search went over, look-back included"""
    hit_lines: int = 0
    """lines that were cut out and looked at"""
    hit_lines_unseen: int = 0
    """lines of floods that were counted without being looked at"""


class Scanner:
    """Searches for all literals at once; one automaton serves all files."""

    def __init__(self, literals: Sequence[bytes], wanted: Sequence[Wanted], changes: Sequence[bool]) -> None:
        """Set up the search.

        Args:
            literals: what to search for.
            wanted: for each literal, how many of its lines are looked at when a block is flooded with them. Each of
                them stands for those left out.
            changes: for each literal, whether a line is wanted only if it differs, from the literal to its end, from
                the line before it that has the literal.
        """
        self._find = BytesAhoCorasick(literals, implementation=Implementation.DFA).find_matches_as_indexes
        self._wanted = tuple(wanted)
        self._changes = frozenset(number for number, changed in enumerate(changes) if changed)

    def hits(self, blocks: Iterator[bytes], counts: Counts) -> Iterator[Hit]:
        """Every line with a literal; once for each different literal on it."""
        before = b""
        last_texts: dict[int, bytes] = {}
        for number, block in enumerate(blocks):
            origin = counts.bytes - len(before)
            counts.bytes += len(block)
            counts.lines += block.count(b"\n")
            if before:
                block = before + block
            counts.scanned_bytes += len(block)
            found = self._find(block)
            own = next((place for place, (_, at, _) in enumerate(found) if at >= len(before)), len(found))
            if own < len(found):
                found = found[own:]
                floods = self._floods(found, counts, number)
                yield from self._in_block(block, found, floods, origin, counts, last_texts)
            before = block[-LOOK_BACK:]

    def _in_block(
        self,
        block: bytes,
        found: list[tuple[int, int, int]],
        floods: dict[int, Iterator[int]],
        origin: int,
        counts: Counts,
        last_texts: dict[int, bytes],
    ) -> Iterator[Hit]:
        changes = self._changes
        end, start, line = -1, 0, b""
        seen: tuple[int, ...] = ()
        for literal, at, _ in found:
            stands_for = 1
            if literal in floods:
                stands_for = next(floods[literal])
                if not stands_for:
                    continue
            if at >= end:
                end = block.find(b"\n", at)
                if end < 0:
                    end = len(block)
                counts.hit_lines += 1
                line = b""
                seen = (literal,)
            elif literal in seen:
                continue
            else:
                seen += (literal,)
            if literal in changes:
                text = block[at:end]
                if last_texts.get(literal) == text:
                    continue
                last_texts[literal] = text[:LONGEST_LINE]
            if not line:
                start = block.rfind(b"\n", 0, at) + 1
                line = block[start:end] if end - start <= LONGEST_LINE else _around(block, start, at, end)
            yield Hit(literal, line, block, start, origin + start, stands_for)

    def _floods(
        self, found: list[tuple[int, int, int]], counts: Counts, block_number: int
    ) -> dict[int, Iterator[int]]:
        """For each literal that floods the block: how many lines each of its lines stands for, 0 if it is left out."""
        floods = {}
        literals = [literal for literal, _, _ in found]
        in_a_row = 0
        for literal, count in Counter(literals).items():
            wanted = self._wanted[literal]
            most = wanted.in_block(block_number)
            if wanted.in_a_row and block_number >= FIRST_BLOCKS:
                in_a_row += count
            elif most is not None and count > most:
                floods[literal] = _spread(count, 1 + count // most)
        if in_a_row:
            floods |= self._first_in_a_row(literals, in_a_row, block_number)
        counts.hit_lines_unseen += sum(weights.count(0) for weights in floods.values())
        return {literal: iter(weights) for literal, weights in floods.items()}

    def _first_in_a_row(self, literals: list[int], count: int, block_number: int) -> dict[int, list[int]]:
        """The same for the literals of which the first lines are looked at."""
        own = [literal for literal in literals if self._wanted[literal].in_a_row]
        most = min(self._wanted[own[0]].in_block(block_number) or count, count)
        seen = Counter(own[:most])
        return {literal: _shared(total, seen[literal]) for literal, total in Counter(own).items()}


def _spread(count: int, stride: int) -> list[int]:
    """One line in so many, and the last one, stands for itself and those before it."""
    groups, rest = divmod(count - 1, stride)
    return [0] * rest + [rest + 1] + ([0] * (stride - 1) + [stride]) * groups


def _shared(count: int, seen: int) -> list[int]:
    """The first lines, one at least, stand for all of them."""
    seen = max(seen, 1)
    share, more = divmod(count, seen)
    return [share + 1] * more + [share] * (seen - more) + [0] * (count - seen)


def _around(block: bytes, start: int, at: int, end: int) -> bytes:
    """The part of a very long line that has its literal; its beginning too, where the time stands."""
    half = LONGEST_LINE // 2
    if at - start <= half:
        return block[start : start + LONGEST_LINE]
    return block[start : start + 512] + b" " + block[at - half + 512 : min(at + half, end)]
