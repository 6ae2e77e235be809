"""Where hundreds of literals stand in a block of a log, found by an Aho-Corasick automaton."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from ahocorasick_rs import BytesAhoCorasick, Implementation, MatchKind


class Places(NamedTuple):
    """What was found in a block."""

    literals: Mapping[int, Sequence[int]]
    """by literal, where each begins in the block with its look-back, in order; of those that overlap one only"""
    words: Sequence[Sequence[int]]
    """for each word, where it begins in the block without look-back, in order"""
    line_ends: int
    searched_bytes: int


class Automaton:
    """Literals to look for; it takes the same time for every text."""

    def __init__(self, literals: Sequence[bytes]) -> None:
        self.literals = literals
        self._find = BytesAhoCorasick(literals, implementation=Implementation.DFA).find_matches_as_indexes

    def places(self, block: bytes, begin: int, own: bytes, words: Sequence[bytes]) -> Places:
        """Where literals and words stand.

        Args:
            block: look-back, then the block's own bytes.
            begin: where these begin; what begins before is no result.
            own: the block's own bytes alone.
            words: what to search for as if there were no literals.
        """
        literals: dict[int, list[int]] = {}
        for literal, at, _ in self._find(block):
            if at >= begin:
                literals.setdefault(literal, []).append(at)
        return Places(literals, places_of_words(own, words), own.count(b"\n"), len(block))


def places_of_words(text: bytes, words: Sequence[bytes]) -> list[list[int]]:
    """For each word, where it begins."""
    places: list[list[int]] = [[] for _ in words]
    if words:
        for word, at, _ in _search(tuple(words))(text):
            places[word].append(at)
    return places


@cache
def _search(words: tuple[bytes, ...]):  # type: ignore[no-untyped-def]
    # for few words this kind searches many bytes at once; where no two can overlap it finds the same as the usual one
    return BytesAhoCorasick(words, matchkind=MatchKind.LeftmostFirst).find_matches_as_indexes
