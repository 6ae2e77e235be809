"""What RocketMQ can log at WARN and ERROR, with a verdict for each text; made by fixtures/rig/log_statements."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property
from itertools import product
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from ahocorasick_rs import BytesAhoCorasick, Implementation

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.statements import WORD, events
from mqdiag.read.logs.levels import HEAD_BYTES, SAME_DIGITS, level_in
from mqdiag.read.logs.loggers import is_of_class

HOLE = b"{}"
TABLES = ("statements.tsv", "grpc_client.tsv", "other_clients.tsv", "libraries.tsv", "exceptions.tsv")
SEARCHED = 16
"""bytes of a fragment that are searched for: whole ones take 10 ms to set up, and hardly any two begin alike"""
SHORTEST_FRAGMENT = 4
"""bytes; a text with less of its own cannot be told from other texts"""
LEAST_BEHIND_A_VALUE = 14
"""bytes of its own that an excuse has which begins with a value"""
MOST_ALIKE = 256
"""texts that are kept with what was found for them, of up to a KiB"""
_EXCUSES = ("harmless", "passing")
_VALUE = lazy_pattern(
    # a word, what Java prints of an object, a prefix in brackets, or classes of exceptions
    rb"(?:\S{0,300}|[\w.$@]{1,200}\[[^\[\]\n]{0,200}\]|\[[^\[\]\n]{1,80}\]"
    rb"|(?:[\w.$]{1,200}(?:Exception|Error): ){1,8})\s*\Z"
)
"""what a text may print before its own words; a sentence there is of another program"""
_ESCAPED = {"\\\\": "\\", "\\n": "\n", "\\t": "\t", "\\r": "\r"}


class Entry(NamedTuple):
    """One text of the catalogue."""

    verdict: str
    """harmless, passing (harmless in small numbers), symptom, fault or unclassified"""
    rule: str
    """the rule that judges a symptom or a passing line; empty for other verdicts"""
    reason: str
    """key of the sentence in reasons.tsv, or kind of the event that says why; empty for what is not classified"""
    pattern: str
    """`{}` stands for what differs from line to line"""
    classes: str = ""
    """names of the classes that log it, with commas between"""

    def is_logged_by(self, logger: str) -> bool:
        """Whether a logger is one of its classes."""
        return is_of_class(logger, self.classes.split(","))


class Catalogue:
    """Finds the entry of a text."""

    def __init__(self, entries: list[Entry]) -> None:
        self._entries = entries
        self._pieces = list(map(_pieces, entries))
        places: dict[bytes, list[int]] = {}
        for place, pieces in enumerate(self._pieces):
            longest = max(pieces, key=len)
            if len(longest) >= SHORTEST_FRAGMENT:
                places.setdefault(longest[:SEARCHED], []).append(place)
        self._places = list(places.values())
        search = BytesAhoCorasick(list(places), implementation=Implementation.ContiguousNFA)
        self._search = search.find_matches_as_indexes
        self._alike: dict[bytes, tuple[int, Entry] | None] = {}
        """what was found for texts that differ in digits alone"""

    def find(self, text: bytes) -> tuple[int, Entry] | None:
        """The entry that a whole text fits, with how many bytes of it are its own words; None when none fits."""
        hits = {hit for hit, _, _ in self._search(text, overlapping=True)}
        places = sorted(place for hit in hits for place in self._places[hit])
        fits = [
            (sum(map(len, pieces)), self._entries[place])
            for place in places
            if _fits(text, pieces := self._pieces[place])
            and not (self._entries[place].verdict in _EXCUSES and _is_said_by_another(text, pieces))
        ]
        # of several texts that fit, the one with the most words of its own
        return max(fits, key=itemgetter(0)) if fits else None

    def find_by_words(self, text: bytes) -> tuple[int, Entry] | None:
        """What `find` gives, kept for texts that differ in digits alone where these tell nothing."""
        shape = text.translate(SAME_DIGITS)
        if shape in self._alike:
            return self._alike[shape]
        found = self.find(text)
        if not any(piece in shape for piece in self._numbered):
            if len(self._alike) >= MOST_ALIKE:
                self._alike.clear()
            self._alike[shape] = found
        return found

    @cached_property
    def _numbered(self) -> list[bytes]:
        """All pieces with digits, as the shape of a text has them."""
        pieces = {piece for pieces in self._pieces for piece in pieces}
        return [shape for piece in pieces if (shape := piece.translate(SAME_DIGITS)) != piece or b"0" in piece]


@cache
def catalogue() -> Catalogue:
    """The catalogue of the package; it is read once."""
    return Catalogue(entries())


def entries() -> list[Entry]:
    """All rows of the tables: texts of RocketMQ, its gRPC client and libraries, and what clients throw."""
    rows = []
    for name in TABLES:
        lines = (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines()[1:]
        for line in lines:
            verdict, rule, reason, *_, classes, pattern = line.split("\t")
            rows.append(Entry(verdict, rule, reason, _plain(pattern), classes))
    return rows + list(_harmless())


def _harmless() -> Iterator[Entry]:
    """The harmless statements that have a level of their own in their text."""
    for _, _, event in events():
        for statement in event.statements if event.why else ():
            for behind, literal in product(statement.behind, statement.literals):
                text = f"{behind}{literal}"
                level = level_in(text.encode(), HEAD_BYTES)
                if level is not None and HOLE.decode() not in text:
                    own = text[level[1] :].lstrip(" ]|:").replace(WORD, HOLE.decode())
                    yield Entry("harmless", "", event.kind, own + HOLE.decode())


def _plain(text: str) -> str:
    if "\\" not in text:
        return text
    parts, place = [], 0
    while place < len(text):
        pair = text[place : place + 2]
        parts.append(_ESCAPED.get(pair, text[place]))
        place += 2 if pair in _ESCAPED else 1
    return "".join(parts)


def _pieces(entry: Entry) -> list[bytes]:
    """What a text has of its own; the first line decides, as a text of several lines may have been cut."""
    return [piece.strip() for piece in entry.pattern.partition("\n")[0].encode().split(HOLE)]


def _is_said_by_another(text: bytes, pieces: list[bytes]) -> bool:
    """Whether a text that begins with a value has words of another program in its place, or too few of its own."""
    if pieces[0]:
        return False
    own = next(piece for piece in pieces if piece)
    return sum(map(len, pieces)) < LEAST_BEHIND_A_VALUE or _VALUE.match(text, 0, text.find(own)) is None


def _fits(text: bytes, pieces: list[bytes]) -> bool:
    """Whether the pieces follow one another, the first at the beginning and the last at the end of the text."""
    if not text.startswith(pieces[0]):
        return False
    at = len(pieces[0])
    if len(pieces) == 1:
        return not text[at:].strip()
    for piece in pieces[1:-1]:
        found = text.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    last = pieces[-1]
    return not last or (text.rstrip().find(last, at) >= 0 and text.rstrip().endswith(last))
