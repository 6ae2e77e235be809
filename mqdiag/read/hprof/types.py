"""The basic types of the hprof format: their numbers, names, widths and how a value is decoded.

Numbers are those of the hprof manual ("Basic Type"). The kernel `width_shift` defines the widths, since kernels can
import kernels only; everything here is derived from it.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.hprof.kernels.values import width_shift

REFERENCE = 2
BOOLEAN, CHAR, FLOAT, DOUBLE, BYTE, SHORT, INT, LONG = range(4, 12)

NAMES = {
    BOOLEAN: "boolean", CHAR: "char", FLOAT: "float", DOUBLE: "double", BYTE: "byte", SHORT: "short", INT: "int",
    LONG: "long",
}  # fmt: skip
"""Java's names of the primitive types"""
PRIMITIVE_ARRAYS = tuple(f"{name}[]" for name in NAMES.values())
"""class names of the arrays of primitives, in the order of the types"""

WIDTHS: dict[int, int] = {kind: 1 << int(width_shift.function(kind)) for kind in NAMES}
"""bytes of a value of each primitive type"""
PRIMITIVE_BYTES: NDArray[np.int64] = np.zeros(256, np.int64)
"""int64[256]: the same by number, for many types at once; 0 for references and for types that do not exist"""
PRIMITIVE_BYTES[list(WIDTHS)] = list(WIDTHS.values())

_CODES = {
    BOOLEAN: "?", CHAR: "H", FLOAT: "f", DOUBLE: "d", BYTE: "b", SHORT: "h", INT: "i", LONG: "q"
}  # fmt: skip
"""format characters, the same in `struct` and numpy"""
DTYPES: dict[int, np.dtype[Any]] = {kind: np.dtype(code) for kind, code in _CODES.items()}
"""numpy types of values in memory, in the byte order of the machine; a char is its number"""

PrimitiveValue = int | float | bool | str


def width_of(kind: int, id_size: int) -> int:
    """Bytes of a value of a basic type, references included; 0 for a type that does not exist."""
    return id_size if kind == REFERENCE else WIDTHS.get(kind, 0)


def widths_of(kinds: NDArray[np.uint8], id_size: int) -> NDArray[np.int64]:
    """The same for many types: uint8[n] to int64[n]."""
    found: NDArray[np.int64] = np.where(kinds == REFERENCE, id_size, PRIMITIVE_BYTES[kinds])
    return found


def unpack_number(kind: int, raw: bytes) -> int | float | bool | None:
    """A primitive from its big-endian bytes, a char as its number; None where the file ends before."""
    if len(raw) < WIDTHS[kind]:
        return None
    value: int | float | bool = struct.unpack(">" + _CODES[kind], raw)[0]
    return value


def unpack(kind: int, raw: bytes) -> PrimitiveValue | None:
    """The same with a char as text."""
    value = unpack_number(kind, raw)
    return chr(int(value)) if kind == CHAR and value is not None else value


def unpack_all(kind: int, raw: bytes) -> list[PrimitiveValue | None]:
    """All whole primitives of one type."""
    width = WIDTHS[kind]
    return [unpack(kind, raw[at : at + width]) for at in range(0, len(raw) - width + 1, width)]
