"""java.lang.String by structure: `value` byte[] with `coder` (JDK 9 and newer), or char[] (JDK 8 and older).

Before JDK 7u6 a string is `count` characters from `offset` on, and substrings share the array.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.object_graph import ObjectGraph
from mqdiag.read.hprof.distinct import distinct
from mqdiag.read.hprof.types import BYTE, CHAR

MAX_CHARACTERS = 4096
"""characters decoded of one string; a longer one ends with an ellipsis"""


def decode(graph: ObjectGraph, nodes: NDArray[np.int32]) -> list[str | None]:
    """Texts of strings; None where the node is -1, no string, or half-built."""
    values = graph.refs(nodes, "value")
    coders = graph.numbers(nodes, "coder")
    texts = [_text(graph, int(value), int(coder)) for value, coder in zip(values, coders, strict=True)]
    shared, firsts, counts = _shared(graph, nodes)
    for i in np.flatnonzero(shared).tolist():
        texts[i] = _text_of_part(graph, int(values[i]), int(firsts[i]), int(counts[i]))
    return texts


def text(graph: ObjectGraph, node: int) -> str | None:
    """Text of one string."""
    return decode(graph, np.array([node], np.int32))[0]


def _shared(
    graph: ObjectGraph, nodes: NDArray[np.int32]
) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
    """(which strings are a part of their array, its first character, its length)."""
    firsts, counts = graph.numbers(nodes, "offset"), graph.numbers(nodes, "count")
    return (firsts != graph.MISSING) & (counts != graph.MISSING), firsts, counts


def _text_of_part(graph: ObjectGraph, value: int, first: int, count: int) -> str | None:
    if value < 0 or first < 0 or count < 0:
        return None
    found = graph.primitive_array(value, 2 * (first + min(count, MAX_CHARACTERS)))
    if found is None or found[0] != CHAR:
        return None
    text = found[1][2 * first :].decode("utf-16-be", "replace")
    return text + "…" if min(count, found[2] - first) > MAX_CHARACTERS else text


def _text(graph: ObjectGraph, value: int, coder: int) -> str | None:
    if value < 0:
        return None
    found = graph.primitive_array(value, MAX_CHARACTERS * 2)
    if found is None:
        return None
    kind, raw, length = found
    if kind == CHAR:
        text = raw.decode("utf-16-be", "replace")
    elif kind == BYTE:
        # The second byte order is the JVM's native one, little on all platforms in use.
        text = raw.decode("utf-16-le", "replace") if coder == 1 else raw.decode("latin-1")
    else:
        return None
    cut = length * (2 if kind == CHAR else 1) > len(raw)
    return text + "…" if cut else text


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
    offsets = graph.index.offsets[values[rows]]
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
