"""CLASS_DUMP sub-records to flat tables, and where the references of an instance stand."""

from __future__ import annotations

import numpy as np

from mqdiag.kernel import kernel
from mqdiag.read.hprof.kernels.values import identifier, u2, value_size

MAX_DEPTH = 256
"""superclasses followed; a deeper or cyclic chain is damage and ends there"""


@kernel
def class_tables(
    data,
    id_size,
    class_offsets,
    heads,
    static_starts,
    static_names,
    static_types,
    static_values,
    field_starts,
    field_names,
    field_types,
):
    """Unpack class dumps that the walk found whole.

    Args:
        data: uint8, the file.
        id_size: 4 or 8.
        class_offsets: int64[c], where each CLASS_DUMP's tag stands.
        heads: uint64[c, 6], out: class, super, loader, signers, protection domain, instance size.
        static_starts, field_starts: int64[c + 1], out.
        static_names, field_names: uint64[], out: ids of the names.
        static_types, field_types: uint8[], out: basic types.
        static_values: int64[], out: where the value stands in the file.

    Returns:
        (statics, fields): entries used. O(bytes of class dumps).
    """
    statics = 0
    fields = 0
    for i in range(class_offsets.size):
        at = class_offsets[i] + 1
        heads[i, 0] = identifier(data, at, id_size)
        at += id_size + 4
        for part in range(1, 5):
            heads[i, part] = identifier(data, at, id_size)
            at += id_size
        at += 2 * id_size
        heads[i, 5] = np.uint64((u2(data, at) << 16) | u2(data, at + 2))
        at += 4
        pool = u2(data, at)
        at += 2
        for _ in range(pool):
            at += 3 + value_size(data[at + 2], id_size)
        static_starts[i] = statics
        count = u2(data, at)
        at += 2
        for _ in range(count):
            static_names[statics] = identifier(data, at, id_size)
            kind = data[at + id_size]
            static_types[statics] = kind
            static_values[statics] = at + id_size + 1
            statics += 1
            at += id_size + 1 + value_size(kind, id_size)
        field_starts[i] = fields
        count = u2(data, at)
        at += 2
        for _ in range(count):
            field_names[fields] = identifier(data, at, id_size)
            field_types[fields] = data[at + id_size]
            fields += 1
            at += id_size + 1
    static_starts[class_offsets.size] = statics
    field_starts[class_offsets.size] = fields
    return statics, fields


@kernel
def reference_layout(superclass, field_starts, field_types, limits, id_size, starts, places, fill):
    """Where references stand in the bytes of an instance: own fields first, then each superclass's.

    Args:
        superclass: int32[c], -1 at the top.
        field_starts: int64[c + 1]; field_types: uint8[].
        limits: int64[c], bytes of fields that all instances of the class have together: no place beyond is of use,
            and so a crafted file cannot ask for more room than it has bytes.
        id_size: 4 or 8.
        starts: int64[c + 1], in when `fill`, else out.
        places: int32[], out when `fill`: byte offsets from the first field.
        fill: False counts only.

    Returns:
        the number of places. O(bytes of all instances + classes times depth), depth at most MAX_DEPTH.
    """
    total = 0
    for i in range(superclass.size):
        starts[i] = total
        offset = 0
        at = i
        depth = 0
        left = limits[i]
        while at >= 0 and depth < MAX_DEPTH and offset < limits[i] and left > 0:
            for f in range(field_starts[at], field_starts[at + 1]):
                # A field takes a byte at least; one of a type that does not exist takes none.
                left -= 1
                if offset >= limits[i] or left < 0:
                    break
                if field_types[f] == 2:
                    if fill:
                        places[total] = offset
                    total += 1
                offset += value_size(field_types[f], id_size)
            at = superclass[at]
            depth += 1
    starts[superclass.size] = total
    return total
