"""Secrets in the texts of a dump: found in one pass over its bytes, then located by who holds them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np
from ahocorasick_rs import BytesAhoCorasick, Implementation
from numpy.typing import NDArray

from mqdiag.facts.secrets import SecretGroup, SecretsFacts
from mqdiag.graph import Heap
from mqdiag.graph.object_graph import Nodes
from mqdiag.graph.paths import edge_name
from mqdiag.graph.strings import MAX_CHARACTERS
from mqdiag.progress import Progress
from mqdiag.read.hprof.records import big_endian
from mqdiag.read.hprof.types import BYTE, CHAR, REFERENCE
from mqdiag.secrets.patterns import (
    CARD,
    FIELD_NAME,
    PATTERNS,
    PAYMENT_CARD,
    SECRET_NAMES,
    Pattern,
    is_card,
    is_setting_name,
)
from mqdiag.text import say

_WINDOW_BYTES = 4 << 20
_OVERLAP_BYTES = 128
"""longer than a literal or a card number in wide characters"""
_BEFORE, _AFTER = 160, 4096
"""characters of a text that are looked at around a literal"""
_COVERED = 2048
"""characters behind a literal in which further literals of its pattern need no look of their own"""
_LEAST_DIGITS = 13
_TEXTS_AT_ONCE = 4096
_MOST_LOCATED = 10_000
"""secrets whose holder is looked for one by one"""
_MOST_STEPS = 16
"""objects of the JDK between a text and its holder; of a longer chain the last one is named"""
_JDK = ("java.", "javax.", "jdk.", "sun.", "com.sun.")
_STRINGS_LOOKED_AT = 10_000
_LONGER = 8
_FEWEST_LONGER = 100
_REDACTED_SHARE = 0.2
"""share of the longer strings that look redacted: in a JVM few more than one in a thousand look like a redacted text"""
REDACTED = re.compile(r"[a-p]*|x*")
"""the letters of a redacted copy"""


class _Arrays(NamedTuple):
    """All byte[] and char[], by their place in the file."""

    nodes: Nodes
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    are_chars: NDArray[np.bool_]

    def at(self, place: int) -> int:
        """The array that has this byte of the file; -1 where none has."""
        number = int(np.searchsorted(self.starts, place, "right")) - 1
        return number if number >= 0 and place < self.ends[number] else -1


class _Secret(NamedTuple):
    kind: str
    node: int
    """the text's array, or the string itself"""
    text: int
    """hash of the text, so that different ones can be counted"""
    held_by: str | None = None
    """class and field, where they are known already"""


def find_secrets(heap: Heap, progress: Progress, *, redacted: bool | None = None) -> SecretsFacts:
    """Find all that looks like a secret.

    Args:
        heap: the dump.
        progress: who listens.
        redacted: the dump is a redacted copy: a text that has only the letters of redaction is no secret. None: its
            strings tell.
    """
    if redacted is None:
        redacted = _looks_redacted(heap)
    arrays = _arrays(heap)
    progress.phase(say("searching texts"))
    found = [
        *_in_texts(heap, arrays, progress),
        *_in_fields(heap, arrays, redacted),
        *_in_statics(heap, arrays, redacted),
    ]
    progress.phase(say("locating what was found"))
    return SecretsFacts(
        arrays=arrays.nodes.size,
        searched_bytes=int((arrays.ends - arrays.starts).sum()),
        groups=_grouped(heap, found),
    )


def _looks_redacted(heap: Heap) -> bool:
    """Whether many of the longer strings have only the letters of redaction, which almost no word has."""
    nodes = heap.instances(heap.classes.indices_named("java.lang.String"))
    some = nodes[:: nodes.size // _STRINGS_LOOKED_AT + 1]
    longer = [text for text in heap.strings(some) if text and len(text) >= _LONGER]
    redacted = sum(REDACTED.fullmatch(text) is not None for text in longer)
    return len(longer) >= _FEWEST_LONGER and redacted >= _REDACTED_SHARE * len(longer)


def _arrays(heap: Heap) -> _Arrays:
    index, id_size = heap.index, heap.header.id_size
    nodes = np.flatnonzero(heap.data[index.offsets] == 0x23)
    kinds = heap.data[index.places(nodes) + 9 + id_size]
    nodes, kinds = nodes[(kinds == BYTE) | (kinds == CHAR)], kinds[(kinds == BYTE) | (kinds == CHAR)]
    order = np.argsort(index.offsets[nodes], kind="stable")
    nodes, are_chars = nodes[order], kinds[order] == CHAR
    starts = index.places(nodes) + 10 + id_size
    lengths = big_endian(heap.data, starts - 5, 4).astype(np.int64)
    return _Arrays(nodes.astype(np.int32), starts, starts + lengths * np.where(are_chars, 2, 1), are_chars)


def _in_texts(heap: Heap, arrays: _Arrays, progress: Progress) -> Iterator[_Secret]:
    if not arrays.nodes.size:
        return
    literals = [(literal, pattern) for pattern in PATTERNS for literal in pattern.literals]
    forms = [(form, literal, pattern) for literal, pattern in literals for form in _forms(literal)]
    search = BytesAhoCorasick([form for form, _, _ in forms], implementation=Implementation.DFA)
    first, last = int(arrays.starts[0]), int(arrays.ends.max())
    seen: set[tuple[int, str, int]] = set()
    covered: dict[tuple[Pattern | None, bool], int] = {}
    for start in range(first, last, _WINDOW_BYTES):
        window = heap.data[start : min(start + _WINDOW_BYTES + _OVERLAP_BYTES, last)]
        matches: list[tuple[int, bool, Pattern | None]] = [
            (start + begin, b"\0" in forms[number][0], forms[number][2])
            for number, begin, _ in search.find_matches_as_indexes(window.tobytes())
        ]
        matches += [(start + place, wide, None) for place, wide in sorted(_digit_runs(window))]
        for place, wide, pattern in matches:
            # Without this, a text of literals alone would be looked at 4,096 characters for each of its characters.
            array = -1 if place < covered.get((pattern, wide), 0) else arrays.at(place)
            if array < 0:
                continue
            width = 2 if wide or arrays.are_chars[array] else 1
            covered[pattern, wide] = min(place + _COVERED * width, int(arrays.ends[array]))
            for kind, at, text in _whole(heap, arrays, array, place, wide, pattern):
                if (array, kind, at) not in seen:
                    seen.add((array, kind, at))
                    yield _Secret(kind, int(arrays.nodes[array]), hash(text))
        progress.advance((start - first) / (last - first))


def _forms(literal: str) -> tuple[bytes, bytes]:
    """One byte a character, and two; without the last zero the latter is in texts of both byte orders."""
    return literal.encode(), literal.encode("utf-16-le")[:-1]


def _digit_runs(window: NDArray[np.uint8]) -> Iterator[tuple[int, bool]]:
    """(where a run of digits, blanks and hyphens begins that is long enough for a card, whether it is wide)."""
    fits = ((window - 48) < 10) | (window == 32) | (window == 45)
    digit_first = (window - 48) < 10
    for place in _runs(fits, digit_first):
        yield place, False
    zero = window == 0
    for parity in (0, 1):
        # Wide characters have their zeros before or behind the digits, which is at odd places of this half.
        own = fits[parity::2]
        other = zero[1 - parity :: 2]
        if parity:
            other = other[: own.size] if other.size >= own.size else np.append(other, False)
        size = min(own.size, other.size)
        for place in _runs(own[:size] & other[:size], digit_first[parity::2][:size]):
            yield 2 * place + parity, True


def _runs(fits: NDArray[np.bool_], is_first: NDArray[np.bool_]) -> list[int]:
    """Places of digits where a run long enough begins."""
    if fits.size < _LEAST_DIGITS:
        return []
    # So many in a row, by doubling: 2, 4, 8, 13.
    two = fits[:-1] & fits[1:]
    four = two[:-2] & two[2:]
    eight = four[:-4] & four[4:]
    enough = eight[:-5] & eight[5:]
    enough &= is_first[: enough.size]
    enough[1:] &= ~(fits[: enough.size - 1] & is_first[: enough.size - 1])
    return np.flatnonzero(enough).tolist()


def _whole(
    heap: Heap, arrays: _Arrays, array: int, place: int, wide: bool, pattern: Pattern | None
) -> Iterator[tuple[str, int, str]]:
    """(kind, place in the array, text) of the secrets of a pattern at a place and in what it covers.

    Without a pattern, of cards.
    """
    width = 2 if wide or arrays.are_chars[array] else 1
    start, end = int(arrays.starts[array]), int(arrays.ends[array])
    place -= (place - start) % width
    first = max(start, place - _BEFORE * width)
    raw = heap.data[first : min(end, place + _AFTER * width)].tobytes()
    encoding = "latin-1" if width == 1 else "utf-16-be" if arrays.are_chars[array] else "utf-16-le"
    text = raw.decode(encoding, "replace")
    whole = CARD if pattern is None else pattern.whole
    for found in whole.finditer(text):
        begin, after = (first + width * at for at in found.span())
        if place < after and begin < place + _COVERED * width and (pattern is not None or is_card(found[0])):
            secret = found[found.lastindex or 0]
            yield (PAYMENT_CARD if pattern is None else pattern.kind), begin, secret


def _in_fields(heap: Heap, arrays: _Arrays, redacted: bool) -> Iterator[_Secret]:
    """Texts in fields that have the name of a secret, in classes that are not the JDK's."""
    own = heap.dump.classes
    for row, name in enumerate(heap.classes.names):
        if name.startswith(_JDK):
            continue
        members = range(int(own.field_starts[row]), int(own.field_starts[row + 1]))
        references = (
            heap.dump.names.text(int(own.field_names[at])) for at in members if own.field_types[at] == REFERENCE
        )
        fields = [field for field in dict.fromkeys(references) if SECRET_NAMES.search(field)]
        if fields:
            yield from _of_fields(heap, arrays, row, name, fields, redacted)


def _of_fields(
    heap: Heap, arrays: _Arrays, row: int, class_name: str, fields: list[str], redacted: bool
) -> Iterator[_Secret]:
    """Texts in some fields of a class, in the order in which the class has them."""
    nodes = heap.instances([row])
    for field in fields:
        # An instance that ends before a field has none of the later ones: a class can name more fields than fit.
        having = [positions for positions, _, _ in heap.field_places(nodes, field)]
        nodes = nodes[np.sort(np.concatenate(having))] if having else nodes[:0]
        if not nodes.size:
            break
        held_by = f"{class_name}.{field}"
        values = heap.refs(nodes, field)
        for place, text in _texts(heap, arrays, values, redacted):
            yield _Secret(FIELD_NAME, int(values[place]), hash(text), held_by)


def _in_statics(heap: Heap, arrays: _Arrays, redacted: bool) -> Iterator[_Secret]:
    """Texts in static fields that have the name of a secret, in classes that are not the JDK's."""
    own = heap.dump.classes
    held_by: list[str] = []
    places: list[int] = []
    for row, name in enumerate(heap.classes.names):
        if name.startswith(_JDK):
            continue
        for at in range(int(own.static_starts[row]), int(own.static_starts[row + 1])):
            if own.static_types[at] != REFERENCE:
                continue
            field = heap.dump.names.text(int(own.static_names[at]))
            if SECRET_NAMES.search(field):
                held_by.append(f"{name}.{field}")
                places.append(int(own.static_values[at]))
    values = heap.index.lookup.find(big_endian(heap.data, np.array(places, np.int64), heap.header.id_size))
    for place, text in _texts(heap, arrays, values, redacted):
        if not is_setting_name(text):
            yield _Secret(FIELD_NAME, int(values[place]), hash(text), held_by[place])


def _texts(heap: Heap, arrays: _Arrays, values: Nodes, redacted: bool) -> Iterator[tuple[int, str]]:
    """(place in `values`, text) of strings, char[] and byte[], without empty texts and those of a redacted copy."""
    for start in range(0, values.size, _TEXTS_AT_ONCE):
        part = values[start : start + _TEXTS_AT_ONCE]
        there = np.flatnonzero(part >= 0)
        if not there.size:
            continue
        is_string = np.isin(heap.index.rows[part[there]], heap.classes.indices_named("java.lang.String"))
        strings, others = there[is_string], there[~is_string]
        texts = zip(strings.tolist(), heap.strings(part[strings]), strict=True)
        for place, text in chain(texts, _of_arrays(heap, arrays, part, others)):
            if text and not (redacted and REDACTED.fullmatch(text)):
                yield start + place, text


def _of_arrays(
    heap: Heap, arrays: _Arrays, values: Nodes, places: NDArray[np.int64]
) -> Iterator[tuple[int, str]]:
    """(place in `values`, text) of the values that are char[] or byte[] and were not cleared."""
    starts = heap.index.places(values[places]) + 10 + heap.header.id_size
    numbers = np.minimum(np.searchsorted(arrays.starts, starts), arrays.starts.size - 1)
    for place, number in zip(places.tolist(), numbers.tolist(), strict=True):
        if number < 0 or arrays.nodes[number] != values[place]:
            continue
        is_wide = bool(arrays.are_chars[number])
        start, end = int(arrays.starts[number]), int(arrays.ends[number])
        raw = heap.data[start : min(end, start + MAX_CHARACTERS * (1 + is_wide))].tobytes()
        text = raw.decode("utf-16-be" if is_wide else "latin-1", "replace")
        # Code that is done with a password fills its array with zeros, blanks or stars.
        if text.strip(text[:1]):
            yield place, text


def _grouped(heap: Heap, found: list[_Secret]) -> tuple[SecretGroup, ...]:
    holders = _holders(heap, [secret.node for secret in found if secret.held_by is None])
    groups: dict[tuple[str, str | None], list[_Secret]] = defaultdict(list)
    for secret in found:
        groups[secret.kind, secret.held_by or holders.get(secret.node)].append(secret)
    made = [
        SecretGroup(
            kind=kind,
            held_by=held_by,
            texts=len(own),
            distinct=len({secret.text for secret in own}),
            object_id=f"0x{heap.object_id(own[0].node):x}",
        )
        for (kind, held_by), own in groups.items()
    ]
    return tuple(sorted(made, key=lambda one: (-one.texts, one.kind, one.held_by or "")))


def _holders(heap: Heap, nodes: list[int]) -> dict[int, str | None]:
    """Class and field that hold a text, on the shortest way from a root; for the first of many."""
    if not nodes:
        return {}
    ways = heap.shortest_paths
    return {node: _holder(heap, ways, node) for node in dict.fromkeys(nodes[:_MOST_LOCATED])}


def _holder(heap: Heap, ways: Nodes, node: int) -> str | None:
    found = None
    for _ in range(_MOST_STEPS):
        holder = int(ways[node])
        if holder < 0:
            break
        found = holder, node
        name = heap.class_name(holder)
        if holder in heap.class_of_node or not (name.startswith(_JDK) or name.endswith("]")):
            break
        node = holder
    return None if found is None else edge_name(heap, *found)
