"""Strings with the same characters, found by hashes of their arrays where they stand in the file.

The number of repeats cannot be projected from a sample as a sum can: a pair is in it only when both are. So a sample
gives a bound. Where that is considerable, and the sample does not decide (`sampled_texts.py`), all strings are read; of
very many only a part is kept (`drawn_texts.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.waste import DuplicateStrings, RepeatedText, StringHolder
from mqdiag.graph.heap import Heap
from mqdiag.graph.index import Rows
from mqdiag.graph.waste.drawn_texts import drawn_repeats
from mqdiag.graph.waste.read_texts import Groups, Repeats, Texts, compared_whole, read_all, rows_of_strings
from mqdiag.graph.waste.sample import sample_bits
from mqdiag.graph.waste.sampled_texts import DRAWN, read_sample, sampled_repeats
from mqdiag.read.hprof.types import REFERENCE

CONSIDERABLE_SHARE = 0.05
"""share of the reachable bytes: above it every string is read, and the holders are looked for"""
MOST_COMPARED = 1 << 18
"""strings that are all kept: of more, texts are drawn"""
LARGEST = 10
TEXT_CHARACTERS = 80


def duplicate_strings(heap: Heap) -> DuplicateStrings | None:
    """Repeated strings among the reachable ones; None when the dump has no java.lang.String as any JDK has it."""
    rows = rows_of_strings(heap)
    if not rows:
        return None
    bits = sample_bits(int(heap.row_counts[rows].sum()), DRAWN)
    if bits:
        sample = read_sample(heap, rows, bits)
        bound = sample.most_units() * heap.sizes.alignment
        if bound < CONSIDERABLE_SHARE * heap.dominance.total_bytes:
            return DuplicateStrings(strings=sample.strings, sampled_one_in=1 << bits, estimated_bytes=bound)
        found = sampled_repeats(heap, sample)
        if found is not None:
            return _described(heap, found)
        if sample.strings > MOST_COMPARED:
            return _described(
                heap, drawn_repeats(heap, rows, sample.short.texts, sample.short.groups, sample.strings)
            )
    _, texts = read_all(heap, rows, 0)
    return _described(heap, _all_repeats(texts, compared_whole(heap, rows, texts)))


def _all_repeats(texts: Texts, groups: Groups) -> Repeats:
    repeats = groups.of >= 0
    return Repeats(
        strings=texts.nodes.size,
        repeated=int((groups.counts - 1).sum()),
        wasted=int(groups.wasted.sum()),
        examples=texts.nodes[groups.examples],
        counts=groups.counts,
        wasted_by_text=groups.wasted,
        members=texts.nodes[repeats],
        texts_of_members=groups.of[repeats],
    )


def _described(heap: Heap, repeats: Repeats) -> DuplicateStrings:
    alignment = heap.sizes.alignment
    total = repeats.wasted * alignment
    top = np.lexsort((repeats.examples, -repeats.wasted_by_text))[:LARGEST]
    texts = heap.strings(repeats.examples[top])
    considerable = total >= CONSIDERABLE_SHARE * heap.dominance.total_bytes
    held_by: list[str | None] = [None] * top.size
    holders: tuple[StringHolder, ...] = ()
    if considerable:
        places = repeats.texts_of_members
        held_by, holders = _held_by(
            heap, [repeats.members[places == at] for at in top.tolist()], repeats.members
        )
    return DuplicateStrings(
        strings=repeats.strings,
        sampled_one_in=repeats.drawn_one_in,
        repeated=repeats.repeated,
        wasted_bytes=total,
        error_bytes=repeats.error * alignment if repeats.error is not None else None,
        largest=tuple(
            RepeatedText(
                text=_shortened(text or ""),
                strings=int(repeats.counts[at]),
                wasted_bytes=int(repeats.wasted_by_text[at]) * alignment,
                held_by=field,
            )
            for at, text, field in zip(top.tolist(), texts, held_by, strict=True)
        ),
        holders=holders,
    )


def _shortened(text: str) -> str:
    return text if len(text) <= TEXT_CHARACTERS else text[:TEXT_CHARACTERS] + "…"


MOST_STRINGS = 1 << 15
"""looked at; of more an even choice"""
MOST_OF_ONE_TEXT = 1 << 10
MOST_HOLDERS = 5
_LEAST_SHARE = 0.01
_MOST_CLASSES = 32


def _held_by(
    heap: Heap, texts: list[NDArray[np.int32]], strings: NDArray[np.int32]
) -> tuple[list[str | None], tuple[StringHolder, ...]]:
    """(for each text the field that holds most of its strings; fields by the share of references to all strings).

    A text that nothing but class objects holds has no such field.
    """
    chosen = [*(_some(own, MOST_OF_ONE_TEXT) for own in texts), _some(strings, MOST_STRINGS)]
    together = np.concatenate(chosen)
    held, holders = heap.referrers(together)  # all at once: it is a pass over all references
    bounds = np.searchsorted(held, np.cumsum([0, *map(len, chosen)]))
    *of_texts, of_all = _shares(heap, together[held], holders, bounds)
    return (
        [shares[0][0] if shares else None for shares in of_texts],
        tuple(
            StringHolder(held_by=field, share=round(share, 4))
            for field, share in of_all[:MOST_HOLDERS]
            if share >= _LEAST_SHARE
        ),
    )


def _some(strings: NDArray[np.int32], most: int) -> NDArray[np.int32]:
    return strings[:: max(-(-strings.size // most), 1)]


def _shares(
    heap: Heap, held: NDArray[np.int32], holders: NDArray[np.int32], bounds: NDArray[np.int64]
) -> list[list[tuple[str, float]]]:
    """(field, share of the references), largest first, for each part of the references.

    Args:
        heap: the graph.
        held: strings.
        holders: what refers to each.
        bounds: where the parts begin, and where the last one ends.
    """
    rows = heap.index.rows[holders]
    parts = list(pairwise(bounds.tolist()))
    commonest = [_commonest(rows[begin:end]) for begin, end in parts]
    found: list[dict[str, int]] = [{} for _ in parts]
    # A class at a time, as most parts have the same ones and each field takes a call.
    for row in set().union(*commonest):
        mine = np.flatnonzero(rows == row)
        for field, hits in _fields_that_hold(heap, row, holders[mine], held[mine]):
            counts = np.diff(np.searchsorted(mine[hits], bounds))
            for at in np.flatnonzero(counts).tolist():
                if row in commonest[at]:
                    found[at][field] = found[at].get(field, 0) + int(counts[at])
    return [
        sorted(
            ((field, count / (end - begin)) for field, count in fields.items()),
            key=lambda each: (-each[1], each[0]),
        )
        for fields, (begin, end) in zip(found, parts, strict=True)
    ]


def _commonest(rows: Rows) -> set[int]:
    classes, counts = np.unique(rows, return_counts=True)
    return set(classes[np.argsort(-counts, kind="stable")][:_MOST_CLASSES].tolist())


def _fields_that_hold(
    heap: Heap, row: int, holders: NDArray[np.int32], held: NDArray[np.int32]
) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """(field, which of the objects of a class it refers from to what each holds)."""
    name = heap.classes.names[row]
    if name.endswith("[]"):
        yield name, np.ones(holders.size, bool)
        return
    for field, places in heap.classes.field_places(row).items():
        if places[0][1] == REFERENCE:
            yield f"{name}.{field}", heap.refs(holders, field) == held
