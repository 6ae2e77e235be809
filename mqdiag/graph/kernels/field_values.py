"""Values of one instance field of many objects of one class."""

from __future__ import annotations

import numpy as np

from mqdiag.graph.kernels.references import find_id
from mqdiag.kernel import kernel
from mqdiag.read.hprof.kernels.values import identifier, u4

_INSTANCE = np.uint8(0x21)


@kernel(inline=True)
def _value_at(data, id_size, at, offset, width):
    """Where the value stands in the object at a place; -1 for what is no instance, and for a body that is too short."""
    body = at + 9 + 2 * id_size
    if data[at] != _INSTANCE or offset + width > np.int64(u4(data, body - 4)):
        return np.int64(-1)
    return body + offset


@kernel
def value_places(data, id_size, offsets, nodes, offset, width, places):
    """Where the values of a field stand in the file.

    Args:
        data: uint8[], the file. id_size: 4 or 8.
        offsets: of all sub-records, see `ObjectIndex`.
        nodes: int32[k], objects.
        offset: of the field in the body of an instance.
        width: bytes of a value.
        places: int64[k], out; -1 where there is no such field.

    O(k).
    """
    for i in range(nodes.size):
        places[i] = _value_at(data, id_size, np.int64(offsets[nodes[i]]), offset, width)


@kernel
def read_references(data, id_size, offsets, nodes, offset, pages, found):
    """Objects that a field refers to.

    Args:
        data, id_size, offsets, nodes, offset: as for `value_places`.
        pages: `references.Pages`.
        found: int32[k], out; -1 for null, for ids that no object has, and where there is no such field.

    O(k).
    """
    for i in range(nodes.size):
        found[i] = np.int32(-1)
        at = _value_at(data, id_size, np.int64(offsets[nodes[i]]), offset, id_size)
        if at >= 0:
            wanted = identifier(data, at, id_size)
            if wanted != 0:
                found[i] = np.int32(find_id(wanted, pages.base, pages.shift, pages.directory, pages.words))


@kernel
def read_integers(data, id_size, offsets, nodes, offset, width, is_signed, missing, found):
    """Values of a boolean or integer field.

    Args:
        data, id_size, offsets, nodes, offset: as for `value_places`.
        width: 1, 2, 4 or 8 bytes.
        is_signed: whether the first bit is a sign.
        missing: stands where there is no such field.
        found: int64[k], out.

    O(k).
    """
    for i in range(nodes.size):
        found[i] = missing
        at = _value_at(data, id_size, np.int64(offsets[nodes[i]]), offset, width)
        if at >= 0:
            value = np.int64(data[at])
            if is_signed and value >= 128:
                value -= 256
            for place in range(1, width):
                value = (value << 8) | np.int64(data[at + place])
            found[i] = value
