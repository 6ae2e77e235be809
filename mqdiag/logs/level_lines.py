"""Counts the lines at WARN and ERROR by what the catalogue knows of them, in constant memory."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from ahocorasick_rs import BytesAhoCorasick

from mqdiag.logs.catalogue import Entry, catalogue
from mqdiag.logs.message import unwrapped

MOST_LINES = 250
"""lines of one level in one block, a MiB as a rule, beyond which only one in several is looked at"""
MOST_SHAPES = 4096
MOST_TEXTS = 2000
TEXT_CHARACTERS = 160
HEAD_BYTES = 240
"""bytes of a line in which its level stands"""
LONGEST_LINE = 8 << 10
_WORDS = (b"WARN", b"ERROR")
"""two words alone: with four the search is eight times slower"""
_SEARCH = BytesAhoCorasick(_WORDS).find_matches_as_indexes
_LEVEL = re.compile(rb"(?<![\w.$-])(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR)(?![\w.(-])")
_JSON_LEVEL = re.compile(rb'"(?:level|severity|log\.level|levelname)" ?: ?"(\w+)"')
_LOUD = (b"WARN", b"WARNING", b"ERROR")
_ENDS_OF_HEAD = re.compile(rb"\] - | - | : |\] |\) |: ")
MOST_HEADS = 8
"""places at which the text of a line may begin, behind its level"""
_DIGITS = b"0123456789"
_NUMBER = re.compile(r"\d+")


class _Judged(NamedTuple):
    """A line whose level is WARN or ERROR."""

    level: bytes
    entry: Entry | None
    """None when the catalogue does not have it"""
    text: str
    """its text if no rule judges it, with N for numbers"""


@dataclass(slots=True)
class LevelLines:
    """The WARN and ERROR lines of one log, by verdict."""

    entries: Counter[Entry] = field(default_factory=Counter)
    texts: Counter[str] = field(default_factory=Counter)
    """lines that are not known to be harmless and that no rule judges, by their text with N for numbers"""
    foreign: int = 0
    """lines that the catalogue does not have"""
    unseen: int = 0
    """lines of floods that were counted like a line near them, and not looked at"""
    _shapes: dict[bytes, _Judged | None] = field(default_factory=dict)

    def see(self, block: bytes) -> None:
        """Count the lines of one block; it ends at a line end."""
        places: list[list[int]] = [[] for _ in _WORDS]
        for word, at, _ in _SEARCH(block):
            places[word].append(at)
        for word, found in enumerate(places):
            stride = 1 + len(found) // MOST_LINES
            last = -1
            for number in range(0, len(found), stride):
                at = found[number]
                start = block.rfind(b"\n", 0, at) + 1
                if start == last:
                    continue
                last = start
                end = block.find(b"\n", at)
                line = block[start : min(len(block) if end < 0 else end, start + LONGEST_LINE)]
                self._line(line, _WORDS[word], min(stride, len(found) - number))

    def _line(self, line: bytes, word: bytes, stands_for: int) -> None:
        shape = line.translate(None, _DIGITS)
        if shape in self._shapes:
            known = self._shapes[shape]
        else:
            known = _judged(line)
            if len(self._shapes) >= MOST_SHAPES:
                self._shapes.clear()
            self._shapes[shape] = known
        if known is None or not known.level.startswith(word):
            return  # the word stands in the text of a line, and its level is another one
        self.unseen += stands_for - 1
        if known.entry is not None:
            self.entries[known.entry] += stands_for
        else:
            self.foreign += stands_for
        if known.text:
            self.texts[known.text] += stands_for
            if len(self.texts) > 2 * MOST_TEXTS:
                self.texts = Counter(dict(self.texts.most_common(MOST_TEXTS)))


def _judged(line: bytes) -> _Judged | None:
    """What is known of a line; None when its level is neither WARN nor ERROR."""
    body = line.rstrip()
    candidates: list[bytes] = []
    loud: bytes | None = None
    if body[-1:] == b"}" and b'":' in body:
        named = _JSON_LEVEL.search(body)
        body = unwrapped(body)[0].split("\n", 1)[0].encode()
        if named is not None:
            loud = named[1].upper()
            candidates.append(body)
    if loud is None:
        level = _LEVEL.search(body, 0, HEAD_BYTES)
        if level is None:
            return None
        loud = level[0]
        body = body[level.end() :].lstrip(b" ]|:")
        candidates.append(body)
    if loud not in _LOUD:
        return None
    heads = islice(_ENDS_OF_HEAD.finditer(body), MOST_HEADS)
    candidates += [body[found.end() :] for found in heads]
    fits = [found for found in map(catalogue().find, candidates) if found is not None]
    entry = max(fits, key=lambda found: found[0])[1] if fits else None
    if entry is not None and entry.verdict in ("harmless", "passing", "symptom"):
        return _Judged(loud, entry, "")
    text = next((one for one in candidates[1:] if one), candidates[0]).decode(errors="replace")
    return _Judged(loud, entry, _NUMBER.sub("N", text)[:TEXT_CHARACTERS].strip())
