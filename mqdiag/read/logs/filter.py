"""The search of a long log by a kernel; numpy and the kernel are loaded by the logs that are long enough for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.logs.kernels.literals import (
    BUCKET_BITS,
    HASH_BITS,
    HASH_FACTOR,
    Found,
    Literals,
    find_literals,
)
from mqdiag.read.logs.levels import SAME_DIGITS

SHORTEST_LITERAL = 4
_GRAM = 3
_ROOM = 1 << 16
"""literals of one block; a MiB of a flood with one on each line has 12,000"""


class Filter:
    """Literals and words, prepared for the kernel by what is rare in one log."""

    def __init__(self, literals: Sequence[bytes], words: Sequence[bytes], sample: bytes) -> None:
        """Choose the places of each literal.

        Args:
            literals: what to search for, of `SHORTEST_LITERAL` bytes or more each, without line ends.
            words: what to search for as if there were no literals.
            sample: a part of the log; in another log the search finds the same, and takes longer.
        """
        self._literals = _literals([*literals, *words], len(literals), sample)
        owners = len(literals) + len(words)
        self._found = Found(
            starts=np.empty(_ROOM, np.int32),
            owners=np.empty(_ROOM, np.int32),
            by_owner=np.empty(_ROOM, np.int32),
            first_of_owner=np.zeros(owners + 2, np.int32),
        )

    def places(
        self, block: bytes, begin: int
    ) -> tuple[Mapping[int, Sequence[int]], Sequence[Sequence[int]], int, int] | None:
        """The fields of `Places`, from `begin` on; None where the block has too much that looks like the literals.

        The starts are valid until the next block.
        """
        # no literal has a line end, so that none reaches over the one before the block's own bytes
        start = begin if block[begin - 1 : begin] == b"\n" else 0
        found = self._found
        line_ends = find_literals(np.frombuffer(block, np.uint8), start, begin, self._literals, found)
        if line_ends < 0:
            return None
        first = found.first_of_owner
        starts = found.by_owner.data
        words_from = self._literals.words_from
        literals = {
            owner: starts[first[owner] : first[owner + 1]]
            for owner in np.flatnonzero(np.diff(first[: words_from + 1])).tolist()
        }
        words = [starts[first[word] : first[word + 1]] for word in range(words_from, len(first) - 2)]
        return literals, words, line_ends, len(block) - start


def _literals(texts: list[bytes], words_from: int, sample: bytes) -> Literals:
    joined = np.frombuffer(b"".join(texts) + bytes(_GRAM), np.uint8)
    starts = np.cumsum([0, *map(len, texts)], dtype=np.int32)
    grams = _grams(joined)
    hashes = _hashes(grams)
    # how often it stands in the log, and in the other literals; a log comes to all digits, such as those of a day
    alike = _hashes(_grams(np.frombuffer(joined.tobytes().translate(SAME_DIGITS), np.uint8)))
    in_log = _hashes(_grams(np.frombuffer(sample.translate(SAME_DIGITS), np.uint8)))
    cost = np.bincount(in_log, minlength=1 << HASH_BITS) + np.bincount(alike, minlength=1 << HASH_BITS)
    pair_cost = cost[alike[:-1]] + cost[alike[1:]]
    firsts = [
        start + int(np.argmin(pair_cost[start : start + len(text) - _GRAM]))
        for start, text in zip(starts.tolist(), texts, strict=False)
    ]
    chosen = np.array([place for first in firsts for place in (first, first + 1)])
    owners = np.repeat(np.arange(len(texts), dtype=np.int32), 2)
    order = np.argsort(hashes[chosen], kind="stable")
    chosen, owners = chosen[order], owners[order]
    fours = grams[firsts] | (joined[np.array(firsts) + _GRAM].astype(np.uint32) << np.uint32(24))
    buckets = np.searchsorted(hashes[chosen] >> (HASH_BITS - BUCKET_BITS), np.arange((1 << BUCKET_BITS) + 1))
    return Literals(
        bits=_bits(hashes[chosen]),
        bits_of_four=_bits(_hashes(fours)),
        buckets=buckets.astype(np.int32),
        grams=grams[chosen],
        owners=owners,
        offsets=(chosen - starts[owners]).astype(np.int32),
        texts=joined,
        text_starts=starts,
        words_from=words_from,
    )


def _bits(hashes: NDArray[np.int64]) -> NDArray[np.uint8]:
    """[2**HASH_BITS / 8] a bit for each hash."""
    bits = np.zeros(1 << HASH_BITS, np.bool_)
    bits[hashes] = True
    return np.packbits(bits, bitorder="little")


def _grams(data: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """[bytes - 2] the three bytes of each place, the first in the lowest bits."""
    wide = data.astype(np.uint32)
    grams: NDArray[np.uint32] = wide[:-2] | (wide[1:-1] << np.uint32(8)) | (wide[2:] << np.uint32(16))
    return grams


def _hashes(grams: NDArray[np.uint32]) -> NDArray[np.int64]:
    """[grams] as the kernel has them, of three bytes or of four."""
    return ((grams * np.uint32(HASH_FACTOR)) >> np.uint32(32 - HASH_BITS)).astype(np.int64)
