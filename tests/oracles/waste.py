"""Plain twins of what is counted as waste, from the definitions alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable


def repeats(texts: Iterable[tuple[Hashable, int]]) -> dict[Hashable, tuple[int, int]]:
    """Of (text, bytes): for each text that is there more than once (how often, bytes without its largest)."""
    sizes: dict[Hashable, list[int]] = defaultdict(list)
    for text, size in texts:
        sizes[text].append(size)
    return {text: (len(each), sum(each) - max(each)) for text, each in sizes.items() if len(each) > 1}


def groups(hashes: list[int]) -> dict[int, list[int]]:
    """Places of each value that is there more than once."""
    counts = Counter(hashes)
    found: dict[int, list[int]] = defaultdict(list)
    for place, value in enumerate(hashes):
        if counts[value] > 1:
            found[value].append(place)
    return found


def needed(size: int, *, table: bool) -> int:
    """Places that so many items need: a hash table is a power of two and at most three quarters full."""
    if not table:
        return size
    places = 1
    while size > 0.75 * places:
        places *= 2
    return places


def array_bytes(places: int) -> int:
    """An array of references on a 64-bit JVM with compressed ones: 16 bytes and 4 each, in steps of 8."""
    return (16 + 4 * places + 7) // 8 * 8


def spare(collections: Iterable[tuple[int, int]], own_bytes: int, *, table: bool) -> tuple[int, int, int, int]:
    """Of (size, capacity): (empty ones, their bytes, sparse ones, bytes that these do not need)."""
    empty = empty_bytes = sparse = spare_bytes = 0
    for size, capacity in collections:
        if size == 0:
            empty += 1
            empty_bytes += own_bytes + (array_bytes(capacity) if capacity else 0)
        elif 4 * needed(size, table=table) <= capacity:
            sparse += 1
            spare_bytes += array_bytes(capacity) - array_bytes(needed(size, table=table))
    return empty, empty_bytes, sparse, spare_bytes
