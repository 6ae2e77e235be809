"""java.lang.String by structure: `value` byte[] with `coder` (JDK 9 and newer), or char[] (JDK 8 and older).

Before JDK 7u6 a string is `count` characters from `offset` on, and substrings share the array.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.hprof.types import BYTE, CHAR

if TYPE_CHECKING:
    from mqdiag.graph.heap import Heap

MAX_CHARACTERS = 4096
"""characters decoded of one string; a longer one ends with an ellipsis"""


def decode(heap: Heap, nodes: NDArray[np.int32]) -> list[str | None]:
    """Texts of strings; None where the node is -1, no string, or half-built."""
    values = heap.refs(nodes, "value")
    coders = heap.numbers(nodes, "coder")
    texts = [_text(heap, int(value), int(coder)) for value, coder in zip(values, coders, strict=True)]
    shared, firsts, counts = _shared(heap, nodes)
    for i in np.flatnonzero(shared).tolist():
        texts[i] = _text_of_part(heap, int(values[i]), int(firsts[i]), int(counts[i]))
    return texts


def _shared(
    heap: Heap, nodes: NDArray[np.int32]
) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
    """(which strings are a part of their array, its first character, its length)."""
    firsts, counts = heap.numbers(nodes, "offset"), heap.numbers(nodes, "count")
    return (firsts != heap.MISSING) & (counts != heap.MISSING), firsts, counts


def _text_of_part(heap: Heap, value: int, first: int, count: int) -> str | None:
    if value < 0 or first < 0 or count < 0:
        return None
    found = heap.primitive_array(value, 2 * (first + min(count, MAX_CHARACTERS)))
    if found is None or found[0] != CHAR:
        return None
    text = found[1][2 * first :].decode("utf-16-be", "replace")
    return text + "…" if min(count, found[2] - first) > MAX_CHARACTERS else text


def _text(heap: Heap, value: int, coder: int) -> str | None:
    if value < 0:
        return None
    found = heap.primitive_array(value, MAX_CHARACTERS * 2)
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


def equal(heap: Heap, nodes: NDArray[np.int32], text: str) -> NDArray[np.bool_]:
    """Which strings are exactly this ASCII text: bool[k], compared where they stand."""
    wanted = np.frombuffer(text.encode("ascii"), np.uint8)
    same = np.zeros(nodes.size, bool)
    places, kinds, lengths = _places(heap, nodes)
    for kind, width in ((BYTE, 1), (CHAR, 2)):
        rows = np.flatnonzero((kinds == kind) & (lengths == wanted.size))
        if rows.size and wanted.size:
            at = places[rows, None] + width * np.arange(wanted.size) + (width - 1)
            same[rows] = (heap.data[at] == wanted).all(axis=1)
        elif rows.size:
            same[rows] = True
    return same


def decimals(heap: Heap, nodes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Values of strings of 1 to 18 ASCII digits: int64[k], Heap.MISSING for anything else."""
    values = np.full(nodes.size, heap.MISSING, np.int64)
    places, kinds, lengths = _places(heap, nodes)
    for kind, width in ((BYTE, 1), (CHAR, 2)):
        for length in np.unique(lengths[kinds == kind]).tolist():
            if not 1 <= length <= 18:
                continue
            rows = np.flatnonzero((kinds == kind) & (lengths == length))
            at = places[rows, None] + width * np.arange(length) + (width - 1)
            digits = heap.data[at].astype(np.int64) - ord("0")
            number = digits @ (10 ** np.arange(length - 1, -1, -1, dtype=np.int64))
            values[rows] = np.where(((digits >= 0) & (digits <= 9)).all(axis=1), number, heap.MISSING)
    return values


def _places(
    heap: Heap, nodes: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """(first byte, element type, length) of the value arrays; type 0 where there is none or it is UTF-16 bytes."""
    values = heap.refs(nodes, "value")
    coders = heap.numbers(nodes, "coder")
    places = np.zeros(nodes.size, np.int64)
    kinds = np.zeros(nodes.size, np.int64)
    lengths = heap.array_lengths(values)
    rows = np.flatnonzero(lengths >= 0)
    offsets = heap.index.offsets[values[rows]]
    primitive = heap.data[offsets] == 0x23
    rows, offsets = rows[primitive], offsets[primitive]
    head = offsets + 9 + heap.header.id_size
    places[rows] = head + 1
    kinds[rows] = heap.data[head]
    kinds[(kinds == BYTE) & (coders == 1)] = 0
    shared, firsts, counts = _shared(heap, nodes)
    if shared.any():
        whole = (firsts >= 0) & (counts >= 0) & (firsts + counts <= lengths) & (kinds == CHAR)
        kinds[shared & ~whole] = 0
        shared &= whole
        places[shared] += 2 * firsts[shared]
        lengths[shared] = counts[shared]
    return places, kinds, lengths
