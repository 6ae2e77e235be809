"""Strings with the same characters, found by hashes of their arrays where they stand in the file.

The number of repeats cannot be projected from a sample as a sum can: a pair is in it only when both are. So a sample
gives a bound, and where that is considerable all strings are read.
"""

from __future__ import annotations

from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.waste import DuplicateStrings, RepeatedText, StringHolder
from mqdiag.graph.field_columns import column
from mqdiag.graph.heap import Heap
from mqdiag.graph.kernels.equal_texts import HashedTexts, StringFields, group_hashes, hash_texts, sum_repeats
from mqdiag.graph.waste.arrays import graph_arrays
from mqdiag.graph.waste.sample import sample_bits
from mqdiag.read.hprof.distinct import is_in
from mqdiag.read.hprof.process_secret import FACTOR, START

CONSIDERABLE_SHARE = 0.05
"""share of the reachable bytes: above it every string is read, and the holders are looked for"""
LARGEST = 10
TEXT_CHARACTERS = 80
_READ_BYTES = 8192
"""bytes that are read at once: of a longer text first the two ends; all of it only if another one is alike"""
_ALL = 1 << 62
_PART_BITS = 9
"""log2 of the hashes in a part that is counted at once"""


class _Texts(msgspec.Struct):
    """Strings that were read, their hashes, and the units that would go with each."""

    nodes: NDArray[np.int32]
    hashes: NDArray[np.uint64]
    weights: NDArray[np.uint32]


class _Groups(msgspec.Struct):
    """Texts that occur more than once. `of` int32[k]: the group of each string, -1 for none; the others by group.

    The groups are in an order that the hashes decide, another one in each process.
    """

    of: NDArray[np.int32]
    examples: NDArray[np.int32]
    counts: NDArray[np.int64]
    wasted: NDArray[np.int64]
    """units of all but the largest one"""


def duplicate_strings(heap: Heap) -> DuplicateStrings | None:
    """Repeated strings among the reachable ones; None when the dump has no java.lang.String as any JDK has it."""
    rows = _rows(heap)
    if not rows:
        return None
    nodes = heap.instances(rows, subclasses=False)
    bits = sample_bits(nodes.size)
    if bits:
        texts = _read(heap, rows, nodes, bits, _READ_BYTES)
        bound = _projected(texts, _grouped(texts.hashes, texts.weights), bits) * heap.sizes.alignment
        if bound < CONSIDERABLE_SHARE * heap.dominance.total_bytes:
            return DuplicateStrings(strings=nodes.size, sampled_one_in=1 << bits, estimated_bytes=bound)
    texts = _read(heap, rows, nodes, 0, _READ_BYTES)
    del nodes  # what follows is the largest that is held beside the graph
    return _described(heap, texts, _compared_whole(heap, rows, texts))


def _rows(heap: Heap) -> list[int]:
    """Classes of strings that refer to their array and to nothing else."""
    starts = heap.dump.classes.layout_starts
    return [
        row
        for row in heap.classes.indices_named("java.lang.String")
        if int(starts[row + 1] - starts[row]) == 1 and heap.classes.has_field(row, "value")
    ]


def _read(heap: Heap, rows: list[int], nodes: NDArray[np.int32], bits: int, most: int) -> _Texts:
    met = heap.dump.room.zeros(heap.count, np.uint8, any_order=True)
    parts = []
    for row in rows:
        mine = nodes if len(rows) == 1 else nodes[heap.index.rows[nodes] == row]
        places = [heap.classes.field_place(row, name) for name in ("coder", "offset", "count")]
        fields = StringFields(*(place[0] if place else -1 for place in places))
        hashed = HashedTexts(
            np.empty(mine.size, np.int32), np.empty(mine.size, np.uint64), np.empty(mine.size, np.uint32)
        )
        found = hash_texts(graph_arrays(heap), mine, fields, bits, most, START, FACTOR, met, hashed)
        parts.append((hashed.chosen[:found], hashed.hashes[:found], hashed.weights[:found]))
    if len(parts) == 1:
        return _Texts(*parts[0])
    return _Texts(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _grouped(hashes: NDArray[np.uint64], weights: NDArray[np.uint32]) -> _Groups:
    size = hashes.size
    bits = max((size >> _PART_BITS).bit_length(), 1)
    groups, examples = np.empty(size, np.int32), np.empty(size // 2, np.int32)
    count = group_hashes(
        hashes, bits, np.zeros((1 << bits) + 1, np.int64), np.empty(size, np.uint64), np.empty(size, np.int32),
        np.empty(max(1 << (2 * size).bit_length(), 4), np.int32), groups, examples,
    )  # fmt: skip
    counts, wasted, largest = (np.zeros(count, np.int64) for _ in range(3))
    sum_repeats(groups, weights, counts, wasted, largest)
    return _Groups(groups, examples[:count], counts, wasted)


def _projected(texts: _Texts, groups: _Groups, bits: int) -> int:
    """Units that repeats take at most, about: a pair in the sample stands for the square of what one string does."""
    times = 1 << bits
    stands_for = np.where(groups.counts == 2, times * times, groups.counts * times)
    each = groups.wasted / np.maximum(groups.counts - 1, 1)
    # in one order, since sums of fractions depend on it
    return min(int(np.sort(each * stands_for).sum()), int(texts.weights.sum(dtype=np.int64)) * times)


def _compared_whole(heap: Heap, rows: list[int], texts: _Texts) -> _Groups:
    """Groups of texts that are the same to the last character."""
    groups = _grouped(texts.hashes, texts.weights)
    heavy = groups.of[texts.weights > _READ_BYTES // heap.sizes.alignment]
    heavy = heavy[heavy >= 0]
    if not heavy.size:
        return groups
    long = np.flatnonzero(is_in(groups.of, heavy))
    whole = _read(heap, rows, texts.nodes[long], 0, _ALL)
    if len(rows) == 1:
        texts.hashes[long] = whole.hashes
    else:
        order = np.argsort(texts.nodes[long], kind="stable")
        texts.hashes[long[order]] = whole.hashes[np.argsort(whole.nodes, kind="stable")]
    return _grouped(texts.hashes, texts.weights)


def _described(heap: Heap, texts: _Texts, groups: _Groups) -> DuplicateStrings:
    wasted = groups.wasted * heap.sizes.alignment
    total = int(wasted.sum())
    top = np.lexsort((groups.examples, -wasted))[:LARGEST]
    read = heap.strings(texts.nodes[groups.examples[top]])
    considerable = total >= CONSIDERABLE_SHARE * heap.dominance.total_bytes
    members = [texts.nodes[groups.of == group] for group in top.tolist()] if considerable else []
    held_by = fields_of_most(heap, members) if considerable else [None] * top.size
    return DuplicateStrings(
        strings=texts.nodes.size,
        repeated=int((groups.counts - 1).sum()),
        wasted_bytes=total,
        largest=tuple(
            RepeatedText(
                text=_shortened(text or ""),
                strings=int(groups.counts[group]),
                wasted_bytes=int(wasted[group]),
                held_by=field,
            )
            for group, text, field in zip(top.tolist(), read, held_by, strict=True)
        ),
        holders=string_holders(heap, texts.nodes[groups.of >= 0]) if considerable else (),
    )


def _shortened(text: str) -> str:
    return text if len(text) <= TEXT_CHARACTERS else text[:TEXT_CHARACTERS] + "…"


MOST_STRINGS = 1 << 15
"""looked at; of more an even choice"""
MOST_OF_ONE_TEXT = 1 << 10
MOST_HOLDERS = 5
_LEAST_SHARE = 0.01
_MOST_CLASSES = 32


def string_holders(heap: Heap, strings: NDArray[np.int32]) -> tuple[StringHolder, ...]:
    """Fields by the share of references to these strings."""
    chosen = _some(strings, MOST_STRINGS)
    shares = _shares(heap, chosen, *heap.referrers(chosen))
    return tuple(
        StringHolder(held_by=field, share=round(share, 4))
        for field, share in shares[:MOST_HOLDERS]
        if share >= _LEAST_SHARE
    )


def fields_of_most(heap: Heap, texts: list[NDArray[np.int32]]) -> list[str | None]:
    """For each text the field that holds most of its strings; None when nothing but class objects does."""
    if not texts:
        return []
    chosen = [_some(strings, MOST_OF_ONE_TEXT) for strings in texts]
    together = np.concatenate(chosen)
    held, holders = heap.referrers(together)  # all at once: it is a pass over all references
    found: list[str | None] = []
    for begin, end in pairwise(np.cumsum([0, *map(len, chosen)]).tolist()):
        mine = (held >= begin) & (held < end)
        shares = _shares(heap, together, held[mine], holders[mine])
        found.append(shares[0][0] if shares else None)
    return found


def _some(strings: NDArray[np.int32], most: int) -> NDArray[np.int32]:
    return strings[:: max(-(-strings.size // most), 1)]


def _shares(
    heap: Heap, strings: NDArray[np.int32], held: NDArray[np.int64], holders: NDArray[np.int32]
) -> list[tuple[str, float]]:
    """(field, share of the references), largest first; `held` are positions in `strings`."""
    if not held.size:
        return []
    rows = heap.index.rows[holders]
    found: dict[str, int] = {}
    classes, counts = np.unique(rows, return_counts=True)
    for row in classes[np.argsort(-counts, kind="stable")][:_MOST_CLASSES].tolist():
        mine = np.flatnonzero(rows == row)
        name = heap.classes.names[row]
        if name.endswith("[]"):
            found[name] = found.get(name, 0) + mine.size
            continue
        targets = strings[held[mine]]
        for field in heap.classes.field_names(row):
            count = int((column(heap, holders[mine], field).nodes == targets).sum())
            if count:
                found[f"{name}.{field}"] = found.get(f"{name}.{field}", 0) + count
    return sorted(
        ((field, count / held.size) for field, count in found.items()), key=lambda each: (-each[1], each[0])
    )
