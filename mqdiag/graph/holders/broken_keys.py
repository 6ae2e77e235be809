"""Maps in which equal keys stand twice: the class of the keys has a broken equals or hashCode.

A dump has no code, so this is told from the keys: two keys whose fields have the same values should be one entry. If
the map stores the same hash for both, equals told them apart; if it stores different hashes, hashCode did.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from mqdiag.facts.heap_classes import BrokenKeys
from mqdiag.facts.vocabulary import KeyFault
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.graph.holders.own_classes import is_jdk
from mqdiag.read.hprof.types import INT, NAMES, PRIMITIVE_BYTES, REFERENCE, width_of

_SAMPLE = 1000
_LEAST_KEYS = 32
_REPEATED_SHARE = 0.5
"""share of the keys that were looked at"""
_SAME_HASH_SHARE = 0.5

_ARRAYS = frozenset(f"{name}[]" for name in NAMES.values())
"""classes of arrays of primitive values"""
_MOST_BYTES = 256
"""bytes of an array that is compared: a longer array may differ after them, so it is left out"""

_KEPT_HASH = re.compile(r"_*(?:cached|my)?_?hash_?(?:code)?", re.IGNORECASE)
"""an int field in which a key keeps its own hash, and which some keys have filled and others have not"""

_Value = bytes | str | int | None


def broken_keys(heap: Heap, keys: Nodes) -> BrokenKeys | None:
    """What is wrong with the keys of one map; None where nothing is, or the keys are objects of the JDK."""
    keys = keys[keys >= 0]
    if keys.size < _LEAST_KEYS:
        return None
    sample = keys[np.linspace(0, keys.size - 1, min(_SAMPLE, keys.size)).astype(np.int64)]
    rows, counts = np.unique(heap.index.rows[sample], return_counts=True)
    row = int(rows[counts.argmax()])
    sample = sample[heap.index.rows[sample] == row]
    if sample.size < _LEAST_KEYS:
        return None
    if heap.classes.names[row] in _ARRAYS:
        return _arrays_as_keys(heap, row, sample)
    if is_jdk(heap.classes.names[row]):
        return None
    contents = _contents(heap, row, sample)
    if contents is None:
        return None
    same = Counter(contents)
    repeated = sum(count for count in same.values() if count > 1)
    hashes = _hashes(heap, sample)
    if repeated >= _REPEATED_SHARE * sample.size:
        commonest = [at for at, value in enumerate(contents) if value == same.most_common(1)[0][0]]
        alike = None if hashes is None else len({hashes[at] for at in commonest}) == 1
        method: KeyFault = "hashCode" if alike is False else "equals"
        return BrokenKeys(
            key_class=heap.classes.names[row], method=method, looked_at=sample.size, equal_keys=repeated
        )
    if hashes is not None and Counter(hashes).most_common(1)[0][1] >= _SAME_HASH_SHARE * sample.size:
        alike_hashes = Counter(hashes).most_common(1)[0][1]
        return BrokenKeys(
            key_class=heap.classes.names[row],
            method="constant-hash",
            looked_at=sample.size,
            equal_keys=alike_hashes,
        )
    return None


def _arrays_as_keys(heap: Heap, row: int, keys: Nodes) -> BrokenKeys | None:
    """Arrays with the same elements: as keys, none of them equals another one."""
    arrays = (heap.primitive_array(key, _MOST_BYTES) for key in keys.tolist())
    whole = [
        (kind, elements)
        for kind, elements, count in filter(None, arrays)
        if len(elements) == count * PRIMITIVE_BYTES[kind]
    ]
    if len(whole) < _LEAST_KEYS:
        return None
    repeated = sum(count for count in Counter(whole).values() if count > 1)
    if repeated < _REPEATED_SHARE * len(whole):
        return None
    return BrokenKeys(
        key_class=heap.classes.names[row], method="array", looked_at=len(whole), equal_keys=repeated
    )


def _contents(heap: Heap, row: int, keys: Nodes) -> list[tuple[_Value, ...]] | None:
    """The values of all fields of each key, strings and boxed numbers by value; None for keys without fields."""
    columns: list[list[_Value]] = []
    id_size = heap.header.id_size
    for name, places in heap.classes.field_places(row).items():
        kind = places[0][1]
        if name.startswith("this$") or (kind == INT and _KEPT_HASH.fullmatch(name)):
            continue
        if kind == REFERENCE:
            nodes = heap.refs(keys, name)
            texts = heap.strings(nodes)
            numbers = heap.numbers(nodes, "value").tolist()
            columns.append(
                [
                    text if text is not None else number if number != heap.MISSING else int(node)
                    for text, number, node in zip(texts, numbers, nodes.tolist(), strict=True)
                ]
            )
        else:
            starts = heap.index.places(keys) + 9 + 2 * id_size + places[0][0]
            width = width_of(kind, id_size)
            columns.append([bytes(heap.data[at : at + width]) for at in starts.tolist()])
    return list(zip(*columns, strict=True)) if columns else None


def _hashes(heap: Heap, keys: Nodes) -> list[int] | None:
    """The hash that the map's entries store for each key; None where entries store none, or not all are found."""
    positions, holders = heap.referrers(keys)
    stored = heap.numbers(holders, "hash")
    entries = (heap.refs(holders, "key") == keys[positions]) & (stored != heap.MISSING)
    found = dict(zip(positions[entries].tolist(), stored[entries].tolist(), strict=True))
    return [found[at] for at in range(keys.size)] if len(found) == keys.size else None
