"""java.lang.String by structure: `value` byte[] with `coder` (JDK 9 and newer), or char[] (JDK 8 and older).

Before JDK 7u6 a string is `count` characters from `offset` on, and substrings share the array.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.kernels.utf8 import CharacterRuns, hash_units, utf8_sizes, write_utf8
from mqdiag.graph.object_graph import ObjectGraph
from mqdiag.read.hprof.distinct import distinct
from mqdiag.read.hprof.process_secret import FACTOR, START
from mqdiag.read.hprof.types import BYTE, CHAR

MAX_CHARACTERS = 4096
"""characters decoded of one string; a longer one ends with an ellipsis"""
_ELLIPSIS = "…".encode()


def decode(graph: ObjectGraph, nodes: NDArray[np.int32]) -> list[str | None]:
    """Texts of strings; None where the node is -1, no string, or half-built."""
    there, ends, encoded = utf8(graph, nodes)
    raw, places = encoded.tobytes(), ends.tolist()
    texts = [raw[begin:end].decode() for begin, end in pairwise(places)]
    return [text if is_text else None for text, is_text in zip(texts, there.tolist(), strict=True)]


def text(graph: ObjectGraph, node: int) -> str | None:
    """Text of one string."""
    return decode(graph, np.array([node], np.int32))[0]


def utf8(
    graph: ObjectGraph, nodes: NDArray[np.int32]
) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.uint8]]:
    """Texts of strings as UTF-8, one behind the other: (which nodes have one, where each begins and ends, the bytes).

    A text is cut as in `decode`. Of k nodes text i is `bytes[ends[i]:ends[i + 1]]`; `ends` int64[k + 1].
    """
    runs, cut = _runs(graph, nodes)
    sizes = np.empty(nodes.size, np.int64)
    utf8_sizes(runs, sizes)
    ends = np.zeros(nodes.size + 1, np.int64)
    np.cumsum(sizes + len(_ELLIPSIS) * cut, out=ends[1:])
    encoded = np.empty(int(ends[-1]), np.uint8)
    write_utf8(runs, ends[:-1].copy(), encoded)
    for place, byte in enumerate(_ELLIPSIS):
        encoded[ends[1:][cut] - len(_ELLIPSIS) + place] = byte
    return runs.kinds > 0, ends, encoded


def hashes(graph: ObjectGraph, nodes: NDArray[np.int32]) -> NDArray[np.uint64]:
    """A hash of each whole text, equal for equal texts whatever their encoding; 0 for what is no string.

    Another one in each process, so that no texts can be made that share one.
    """
    found = np.empty(nodes.size, np.uint64)
    hash_units(_runs(graph, nodes, whole=True)[0], START, FACTOR, found)
    return found


def lengths(graph: ObjectGraph, nodes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Characters of each string as `String.length()` counts them; MISSING for what is no string."""
    runs, _ = _runs(graph, nodes, whole=True)
    return np.where(runs.kinds > 0, runs.counts, graph.MISSING)


def _runs(
    graph: ObjectGraph, nodes: NDArray[np.int32], *, whole: bool = False
) -> tuple[CharacterRuns, NDArray[np.bool_]]:
    """(where the characters are, which texts go on beyond them)."""
    values = graph.refs(nodes, "value")
    little = graph.numbers(nodes, "coder") == 1
    counts = graph.array_lengths(values)
    kinds, places = np.zeros(nodes.size, np.uint8), np.zeros(nodes.size, np.int64)
    at = np.flatnonzero(counts >= 0)
    offsets = graph.index.places(values[at])
    primitive = graph.data[offsets] == 0x23
    at, offsets = at[primitive], offsets[primitive]
    head = offsets + 9 + graph.header.id_size
    element = graph.data[head]
    places[at] = head + 1
    # The second byte order is the JVM's native one, little on all platforms in use.
    kinds[at] = np.where(element == CHAR, 2, np.where(element == BYTE, np.where(little[at], 3, 1), 0))
    is_little = kinds == 3
    # An odd byte at the end is no character.
    counts[is_little] //= 2
    most = np.full(nodes.size, MAX_CHARACTERS)
    most[kinds == 1] = 2 * MAX_CHARACTERS
    shared, firsts, parts = _shared(graph, nodes)
    if shared.any():
        sound = (firsts >= 0) & (parts >= 0) & (kinds == 2)
        kinds[shared & ~sound] = 0
        shared &= sound
        firsts = np.minimum(firsts, counts)
        places[shared] += 2 * firsts[shared]
        counts[shared] = np.minimum(parts, counts - firsts)[shared]
    width = np.where(kinds == 1, 1, 2)
    inside = np.maximum(graph.data.size - places, 0) // width
    kept = np.minimum(counts, inside) if whole else np.minimum(np.minimum(counts, inside), most)
    kept[kinds == 0] = 0
    return CharacterRuns(graph.data, places, kinds, kept), (kinds > 0) & (kept < counts)


def _shared(
    graph: ObjectGraph, nodes: NDArray[np.int32]
) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
    """(which strings are a part of their array, its first character, its length)."""
    firsts, counts = graph.numbers(nodes, "offset"), graph.numbers(nodes, "count")
    return (firsts != graph.MISSING) & (counts != graph.MISSING), firsts, counts


def equal(graph: ObjectGraph, nodes: NDArray[np.int32], text: str) -> NDArray[np.bool_]:
    """Which strings are exactly this ASCII text: bool[k], compared where they stand."""
    wanted = np.frombuffer(text.encode("ascii"), np.uint8)
    same = np.zeros(nodes.size, bool)
    places, kinds, lengths = _places(graph, nodes)
    for kind, width in ((BYTE, 1), (CHAR, 2)):
        rows = np.flatnonzero((kinds == kind) & (lengths == wanted.size))
        if rows.size and wanted.size:
            at = places[rows, None] + width * np.arange(wanted.size) + (width - 1)
            same[rows] = (graph.data[at] == wanted).all(axis=1)
        elif rows.size:
            same[rows] = True
    return same


def decimals(graph: ObjectGraph, nodes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Values of strings of 1 to 18 ASCII digits: int64[k], MISSING for anything else."""
    values = np.full(nodes.size, graph.MISSING, np.int64)
    places, kinds, lengths = _places(graph, nodes)
    for kind, width in ((BYTE, 1), (CHAR, 2)):
        for length in distinct(lengths[kinds == kind]).tolist():
            if not 1 <= length <= 18:
                continue
            rows = np.flatnonzero((kinds == kind) & (lengths == length))
            at = places[rows, None] + width * np.arange(length) + (width - 1)
            digits = graph.data[at].astype(np.int64) - ord("0")
            number = digits @ (10 ** np.arange(length - 1, -1, -1, dtype=np.int64))
            values[rows] = np.where(((digits >= 0) & (digits <= 9)).all(axis=1), number, graph.MISSING)
    return values


def _places(
    graph: ObjectGraph, nodes: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """(first byte, element type, length) of the value arrays; type 0 where there is none or it is UTF-16 bytes."""
    values = graph.refs(nodes, "value")
    coders = graph.numbers(nodes, "coder")
    places = np.zeros(nodes.size, np.int64)
    kinds = np.zeros(nodes.size, np.int64)
    lengths = graph.array_lengths(values)
    rows = np.flatnonzero(lengths >= 0)
    offsets = graph.index.places(values[rows])
    primitive = graph.data[offsets] == 0x23
    rows, offsets = rows[primitive], offsets[primitive]
    head = offsets + 9 + graph.header.id_size
    places[rows] = head + 1
    kinds[rows] = graph.data[head]
    kinds[(kinds == BYTE) & (coders == 1)] = 0
    shared, firsts, counts = _shared(graph, nodes)
    if shared.any():
        whole = (firsts >= 0) & (counts >= 0) & (firsts + counts <= lengths) & (kinds == CHAR)
        kinds[shared & ~whole] = 0
        shared &= whole
        places[shared] += 2 * firsts[shared]
        lengths[shared] = counts[shared]
    return places, kinds, lengths
