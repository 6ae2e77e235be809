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
"""blocks, a MiB each as a rule, with limits of their own: of a long log the later ones need fewer lines"""
LONGEST_LINE = 64 << 10
"""bytes of a line that are looked at, around the literal"""


class Wanted(NamedTuple):
    """How many lines with a literal are looked at in one block; of more only one in several is. None is all of them."""

    at_first: int | None
    """in each of the first blocks"""
    later: int | None


EACH = Wanted(None, None)
SOME = Wanted(200, 50)


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


class _Flood(msgspec.Struct):
    """One literal's lines of a block; the last one is always looked at, so that none is left uncounted."""

    stride: int
    left: int
    waiting: int = 0


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
                floods = self._floods(found, later=number >= FIRST_BLOCKS)
                yield from self._in_block(block, found, floods, origin, counts, last_texts)
            before = block[-LOOK_BACK:]

    def _in_block(
        self,
        block: bytes,
        found: list[tuple[int, int, int]],
        floods: dict[int, _Flood],
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
                flood = floods[literal]
                flood.left -= 1
                if flood.left % flood.stride:
                    counts.hit_lines_unseen += 1
                    flood.waiting += 1
                    continue
                stands_for, flood.waiting = flood.waiting + 1, 0
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

    def _floods(self, found: list[tuple[int, int, int]], *, later: bool) -> dict[int, _Flood]:
        """The literals that flood the block."""
        floods = {}
        for literal, count in Counter([literal for literal, _, _ in found]).items():
            wanted = self._wanted[literal]
            most = wanted.later if later else wanted.at_first
            if most is not None and count > most:
                floods[literal] = _Flood(1 + count // most, count)
        return floods


def _around(block: bytes, start: int, at: int, end: int) -> bytes:
    """The part of a very long line that has its literal; its beginning too, where the time stands."""
    half = LONGEST_LINE // 2
    if at - start <= half:
        return block[start : start + LONGEST_LINE]
    return block[start : start + 512] + b" " + block[at - half + 512 : min(at + half, end)]
