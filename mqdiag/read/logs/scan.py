"""Finds the lines that hold one of many literals, and counts the others without looking at them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from ahocorasick_rs import BytesAhoCorasick, Implementation, MatchKind

if TYPE_CHECKING:
    from mqdiag.read.logs.filter import Filter

LOOK_BACK = 8 << 10
"""bytes before a line in which the beginning of its record, with the time, is searched"""
FIRST_BLOCKS = 8
LONG_LOG_BLOCKS = 32
"""blocks, a MiB each as a rule, after which fewer lines of each text are looked at, because many were by then"""
KERNEL_FROM_BYTES = 32 << 20
"""size of a log from which on a kernel searches: numpy and the choice of its places take a tenth of a second of each
run"""
SAMPLED = 64
"""one byte in so many tells the kernel's search what is rare in a log"""
LONGEST_LINE = 64 << 10
"""bytes of a line that are looked at, around the literal"""


class FloodLimit(NamedTuple):
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


EACH = FloodLimit(None, None, None)
SOME = FloodLimit(200, 50, 16)


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
        # the full table of states searches a quarter faster, and takes as long to build as 40 MB take to search: longer
        # logs have the kernel
        automaton = BytesAhoCorasick(literals, implementation=Implementation.ContiguousNFA)
        self._find = automaton.find_matches_as_indexes

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
                try:
                    literals[literal].append(at)
                except KeyError:
                    literals[literal] = [at]
        return Places(literals, places_of_words(own, words), own.count(b"\n"), len(block))


def places_of_words(text: bytes, words: Sequence[bytes]) -> list[list[int]]:
    """For each word, where it begins."""
    places: list[list[int]] = [[] for _ in words]
    if words:
        for word, at, _ in _search(tuple(words)).find_matches_as_indexes(text):
            places[word].append(at)
    return places


def holds_any(text: bytes, words: tuple[bytes, ...]) -> bool:
    """Whether one of a few words stands in a text."""
    return bool(_search(words).find_matches_as_indexes(text))


@cache
def _search(words: tuple[bytes, ...]) -> BytesAhoCorasick:
    # for few words this kind searches many bytes at once; where no two can overlap it finds the same as the usual one
    return BytesAhoCorasick(words, matchkind=MatchKind.LeftmostFirst)


class Words(NamedTuple):
    """Words that are searched for besides the literals, and who is told where they stand."""

    words: Sequence[bytes] = ()
    see: Callable[[bytes, Sequence[Sequence[int]], int], None] | None = None
    """called with each block, the places in it of each word, in order, and the number of lines above the block"""


NO_WORDS = Words()


class Take(NamedTuple):
    """A literal whose lines somebody reads by a whole block at once."""

    literal: int
    read: Callable[[bytes, Sequence[int], int], list[int]]
    """called with each block that has the literal, its places there, and where the block begins in the log; gives the
    places of the lines that are left, and no line that it has read has another literal"""


class Scanner:
    """Searches for all literals at once; one automaton serves all files."""

    def __init__(
        self, literals: Sequence[bytes], wanted: Sequence[FloodLimit], changes: Sequence[bool]
    ) -> None:
        """Set up the search.

        Args:
            literals: what to search for.
            wanted: for each literal, how many of its lines are looked at when a block is flooded with them. Each of
                them stands for those left out.
            changes: for each literal, whether a line is wanted only if it differs, from the literal to its end, from
                the line before it that has the literal.
        """
        self._automaton = Automaton(literals)
        self._longer: dict[int, tuple[tuple[int, int], ...]] = {}
        self._wanted = tuple(wanted)
        self._changes = frozenset(number for number, changed in enumerate(changes) if changed)

    def hits(
        self,
        blocks: Iterator[bytes],
        counts: Counts,
        words: Words = NO_WORDS,
        take: Take | None = None,
    ) -> Iterator[Hit]:
        """Every line with a literal; once for each different literal on it.

        Args:
            blocks: of the log.
            counts: what was read; it grows.
            words: what is searched for besides.
            take: what reads some of the lines, which are no hits then.
        """
        before = b""
        last_texts: dict[int, bytes] = {}
        search = _Search(self._automaton, words.words)
        for number, own in enumerate(blocks):
            origin = counts.bytes - len(before)
            block = before + own if before else own
            places = search.places(block, len(before), own, counts.bytes)
            counts.bytes += len(own)
            counts.lines += places.line_ends
            counts.scanned_bytes += places.searched_bytes
            if words.see is not None:
                words.see(own, places.words, counts.lines - places.line_ends)
            if places.literals:
                literals = self._longest(places.literals, block)
                if take is not None and take.literal in literals:
                    found = literals[take.literal]
                    literals = {**literals, take.literal: take.read(block, found, origin)}
                    counts.hit_lines += len(found) - len(literals[take.literal])
                chosen = self._chosen(literals, counts, number)
                yield from self._in_block(block, chosen, origin, counts, last_texts)
            before = block[-LOOK_BACK:]

    def _longest(self, places: Mapping[int, Sequence[int]], block: bytes) -> Mapping[int, Sequence[int]]:
        """The places of literals, where one that holds another stands in its place: the search sees the shorter one."""
        found: dict[int, Sequence[int]] = {}
        moved: dict[int, list[int]] = {}
        for literal, starts in places.items():
            longer = self._holders(literal)
            if not longer:
                found[literal] = starts
                continue
            own = []
            for at in map(int, starts):
                for other, before in longer:
                    if at >= before and block.startswith(self._automaton.literals[other], at - before):
                        moved.setdefault(other, []).append(at - before)
                        break
                else:
                    own.append(at)
            if own:
                found[literal] = own
        for other, starts in moved.items():
            found[other] = sorted({*map(int, found.get(other, ())), *starts})
        return found

    def _holders(self, literal: int) -> tuple[tuple[int, int], ...]:
        """(longer literal, bytes of it before this one) for those that hold it and do not end with it."""
        known = self._longer.get(literal)
        if known is None:
            text = self._automaton.literals[literal]
            known = self._longer[literal] = tuple(
                (number, at)
                for number, other in enumerate(self._automaton.literals)
                if (at := other.find(text)) >= 0 and len(other) > at + len(text)
            )
        return known

    def _in_block(
        self,
        block: bytes,
        chosen: list[tuple[int, int, int]],
        origin: int,
        counts: Counts,
        last_texts: dict[int, bytes],
    ) -> Iterator[Hit]:
        changes = self._changes
        end, start, line = -1, 0, b""
        seen: tuple[int, ...] = ()
        for at, literal, stands_for in chosen:
            last_text = last_texts.get(literal)
            if last_text is not None and at >= end and block.startswith(last_text, at):
                # nearly all settings of a broker that starts again, for which no line is cut out
                end = at + len(last_text) - 1
                counts.hit_lines += 1
                line = b""
                seen = (literal,)
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
                text = block[at : min(end, at + LONGEST_LINE)] + b"\n"
                if text == last_text and end - at < len(text):
                    continue
                last_texts[literal] = text
            if not line:
                start = block.rfind(b"\n", 0, at) + 1
                line = block[start:end] if end - start <= LONGEST_LINE else _around(block, start, at, end)
            yield Hit(literal, line, block, start, origin + start, stands_for)

    def _chosen(
        self, places: Mapping[int, Sequence[int]], counts: Counts, block_number: int
    ) -> list[tuple[int, int, int]]:
        """What is looked at, in the order of the block: (place, literal, how many like it it stands for)."""
        chosen: list[tuple[int, int, int]] = []
        in_a_row: dict[int, Sequence[int]] = {}
        for literal, found in places.items():
            wanted = self._wanted[literal]
            most = wanted.in_block(block_number)
            if wanted.in_a_row and block_number >= FIRST_BLOCKS:
                in_a_row[literal] = found
            elif most is not None and len(found) > most:
                chosen += _spread(literal, found, 1 + len(found) // most)
            else:
                chosen += [(at, literal, 1) for at in found]
        if in_a_row:
            chosen += self._first_in_a_row(in_a_row, block_number)
        counts.hit_lines_unseen += sum(map(len, places.values())) - len(chosen)
        chosen.sort()
        return chosen

    def _first_in_a_row(
        self, places: Mapping[int, Sequence[int]], block_number: int
    ) -> Iterator[tuple[int, int, int]]:
        """The same for the literals of which the first lines are looked at."""
        count = sum(map(len, places.values()))
        first = min(places, key=lambda literal: places[literal][0])
        most = self._wanted[first].in_block(block_number) or count
        rows = sorted((at, literal) for literal, found in places.items() for at in found[:most])
        seen = Counter(map(itemgetter(1), rows[:most]))
        for literal, found in places.items():
            # the first lines, one at least, stand for all of them
            looked_at = max(seen[literal], 1)
            share, more = divmod(len(found), looked_at)
            for number, at in enumerate(found[:looked_at]):
                yield at, literal, share + (number < more)


class _Search:
    """The search of one log: by an automaton at first, and by a kernel once a log is long."""

    def __init__(self, automaton: Automaton, words: Sequence[bytes]) -> None:
        self._automaton = automaton
        self._words = words
        self._filter: Filter | None = None
        self._sample: list[bytes] | None = []
        """a small part of each of the first blocks, for a log may change; None once the kernel was asked for"""

    def places(self, block: bytes, begin: int, own: bytes, bytes_before: int) -> Places:
        """Where literals and words stand in a block, see `Automaton.places`; and bytes of the log before it."""
        if self._sample is not None:
            self._sample.append(own[: len(own) // SAMPLED])
            if bytes_before >= KERNEL_FROM_BYTES:
                self._filter = _filter(self._automaton.literals, self._words, b"".join(self._sample))
                self._sample = None
        found = None if self._filter is None else self._filter.places(block, begin)
        if found is None:
            return self._automaton.places(block, begin, own, self._words)
        return Places(*found)


def _filter(literals: Sequence[bytes], words: Sequence[bytes], sample: bytes) -> Filter | None:
    """The search by a kernel; None where no kernel is kept, for a compiler takes longer than most logs."""
    from mqdiag.kernel import folder

    if not folder.is_ready(("logs",)):
        return None
    from mqdiag.read.logs.filter import Filter

    return Filter(literals, words, sample)


def _spread(literal: int, found: Sequence[int], stride: int) -> Iterator[tuple[int, int, int]]:
    """One line in so many, and the last one, stands for itself and those before it."""
    rest = (len(found) - 1) % stride
    stands_for = rest + 1
    for at in found[rest::stride]:
        yield at, literal, stands_for
        stands_for = stride


def _around(block: bytes, start: int, at: int, end: int) -> bytes:
    """The part of a very long line that has its literal; its beginning too, where the time stands."""
    half = LONGEST_LINE // 2
    if at - start <= half:
        return block[start : start + LONGEST_LINE]
    return block[start : start + 512] + b" " + block[at - half + 512 : min(at + half, end)]
