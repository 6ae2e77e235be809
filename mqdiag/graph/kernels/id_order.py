"""Objects in address order."""

from __future__ import annotations

from mqdiag.kernel import kernel
from mqdiag.read.hprof.kernels.values import identifier


@kernel
def find_runs(ids, firsts):
    """Where runs of ascending ids begin.

    Args:
        ids: uint64[n], n > 0.
        firsts: int64[k], k > 0, out: the first k places.

    Returns:
        how many runs there are. O(n).
    """
    firsts[0] = 0
    runs = 1
    for i in range(1, ids.size):
        if ids[i] <= ids[i - 1]:
            if runs < firsts.size:
                firsts[runs] = i
            runs += 1
    return runs


@kernel
def rows_of_numbers(numbers, row_of, rows):
    """Local class numbers to class rows: uint16[n] or int32[n], int32[c], to uint16[n] or int32[n]. O(n)."""
    for i in range(numbers.size):
        rows[i] = row_of[numbers[i]]


@kernel
def merge_behind(ids, offsets, rows, used, more_ids, more_offsets, more_row):
    """Merge a few ascending entries into many, from the back, in place.

    Args:
        ids: uint64[used + m], offsets: uint32[used + m] or int64[used + m], rows: uint16[used + m] or int32[used + m];
            the first `used` are ascending.
        used: int64, entries in use.
        more_ids: uint64[m], ascending, none of them among `ids`; more_offsets: int64[m]; more_row: their class.

    O(used + m).
    """
    here = used - 1
    more = more_ids.size - 1
    place = used + more_ids.size - 1
    while more >= 0:
        if here >= 0 and ids[here] > more_ids[more]:
            ids[place] = ids[here]
            offsets[place] = offsets[here]
            rows[place] = rows[here]
            here -= 1
        else:
            ids[place] = more_ids[more]
            offsets[place] = more_offsets[more]
            rows[place] = more_row
            more -= 1
        place -= 1


@kernel
def read_ids(data, id_size, offsets, ids):
    """Ids of objects from their sub-records: uint8[], uint32[n] or int64[n] to uint64[n]. O(n)."""
    for i in range(offsets.size):
        ids[i] = identifier(data, offsets[i] + 1, id_size)
