"""From one sub-record of a heap segment to the next; the same rules as the reader's walk."""

from __future__ import annotations

import numpy as np

from mqdiag.kernel import kernel
from mqdiag.read.hprof.kernels.values import u4, value_size
from mqdiag.read.hprof.kernels.walk import class_dump_end


@kernel
def sub_record_end(data, at, end, id_size):
    """Where the sub-record at `at` ends; -1 when it is none or does not fit before `end`. O(1)."""
    tag = data[at]
    body = at + 1
    after = np.int64(-1)
    if tag == 0x21:
        if body + 2 * id_size + 8 <= end:
            after = body + 2 * id_size + 8 + u4(data, body + 2 * id_size + 4)
    elif tag == 0x22:
        if body + 2 * id_size + 8 <= end:
            after = body + 2 * id_size + 8 + u4(data, body + id_size + 4) * id_size
    elif tag == 0x23:
        if body + id_size + 9 <= end:
            kind = data[body + id_size + 8]
            if 4 <= kind <= 11:
                after = body + id_size + 9 + u4(data, body + id_size + 4) * value_size(kind, id_size)
    elif tag == 0x20:
        after = class_dump_end(data, body, end, id_size)
    elif tag == 0xFE:
        after = body + 4 + id_size
    elif tag == 0xC3:
        after = body + id_size + 9
    elif tag == 0xFF or tag == 0x05 or tag == 0x07 or (0x89 <= tag <= 0x8D) or tag == 0x90:
        after = body + id_size
    elif tag == 0x01:
        after = body + 2 * id_size
    elif tag == 0x02 or tag == 0x03 or tag == 0x08 or tag == 0x8E:
        after = body + id_size + 8
    elif tag == 0x04 or tag == 0x06:
        after = body + id_size + 4
    return after if after <= end else np.int64(-1)


@kernel(inline=True)
def next_place(data, at, end, id_size):
    """The same as `sub_record_end`, sooner for objects, which are nearly all. O(1)."""
    which = np.int64(data[np.uint64(at)]) - 0x21
    after = np.int64(-1)
    if 0 <= which <= 2 and at + 2 * id_size + 10 <= end:
        # One way for instances, arrays of references and other arrays: which one it is cannot be foretold, and a
        # branch that is guessed wrong costs more than all this.
        is_instance = np.int64(which == 0)
        is_primitive = which >> 1
        is_array = which & 1
        length = u4(data, at + 5 + id_size + id_size * is_instance)
        kind = np.int64(data[np.uint64(at + 9 + id_size)])
        # Types 4 to 11 have 1, 2, 4 and 8 bytes, twice.
        shift = is_primitive * (kind & 3) + is_array * (2 + (id_size >> 3))
        found = at + 9 + id_size + is_primitive + (1 - is_primitive) * id_size + (length << shift)
        if found <= end and (is_primitive == 0 or 4 <= kind <= 11):
            after = found
    if after < 0:
        after = sub_record_end(data, at, end, id_size)
    return after
