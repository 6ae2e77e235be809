"""What a kernel is: a function, and the types of the arguments that it is called with."""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

_INT64 = range(-(1 << 63), 1 << 63)
SCALARS: dict[str, Any] = {
    "b1": ctypes.c_uint8,
    "i1": ctypes.c_int8,
    "i2": ctypes.c_int16,
    "i4": ctypes.c_int32,
    "i8": ctypes.c_int64,
    "u1": ctypes.c_uint8,
    "u2": ctypes.c_uint16,
    "u4": ctypes.c_uint32,
    "u8": ctypes.c_uint64,
    "f4": ctypes.c_float,
    "f8": ctypes.c_double,
}
"""C types by kind and size of a dtype"""
ADDRESS_BYTES = 8
MAY_CALL = frozenset({"NRT_MemInfo_call_dtor", "memcpy", "memmove", "memset"})
"""functions of other libraries that a kernel's machine code may call: of numba's runtime and of libc"""
_C_CONTIGUOUS, _ALIGNED, _WRITEABLE = 0x1, 0x100, 0x400
"""bits of `ndarray.flags.num`"""
_TOLD_FLAGS = _C_CONTIGUOUS | _ALIGNED | _WRITEABLE


class KernelFunction:
    """A function to compile.

    Args:
        function: what it does, in Python.
        inline: copy it into its callers before types are known.
    """

    def __init__(self, function: Callable[..., Any], *, inline: bool) -> None:
        self.function = function
        self.inline = inline
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self.__module__ = function.__module__


class TupleType(NamedTuple):
    """The type of a named tuple of arrays and numbers."""

    tuple_class: type
    fields: tuple[TypeCode, ...]


TypeCode = str | TupleType
"""The type of an argument, see `type_code`."""


def type_code(value: Any) -> TypeCode:
    """What decides which machine code fits an argument.

    A number gives its dtype ("<i8"); an array its dtype, dimensions, layout (C or any), and whether it can be
    written and is aligned ("<u4 1 Cwa"); a named tuple its class and the types of its fields.

    Raises:
        TypeError: the value is of another kind.
    """
    if isinstance(value, np.ndarray):
        return _array_code(value.dtype, value.ndim, value.flags.num & _TOLD_FLAGS)
    if isinstance(value, bool | np.bool_):
        return "|b1"
    if isinstance(value, int):
        return "<i8" if value in _INT64 else "<u8"
    if isinstance(value, float):
        return "<f8"
    if isinstance(value, np.generic):
        return value.dtype.str
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return TupleType(type(value), tuple(map(type_code, value)))
    raise TypeError(f"a kernel takes arrays, numbers and named tuples of them, not {type(value).__name__}")


@cache
def _array_code(dtype: np.dtype[Any], dimensions: int, flags: int) -> TypeCode:
    layout = "C" if flags & _C_CONTIGUOUS else "A"
    written = "w" if flags & _WRITEABLE else "r"
    return f"{dtype.str} {dimensions} {layout}{written}{'a' if flags & _ALIGNED else 'u'}"


def spelled(code: TypeCode) -> str:
    """A type as text, the same in every process."""
    if not isinstance(code, TupleType):
        return code
    made = code.tuple_class
    return f"{made.__module__}.{made.__qualname__}({', '.join(map(spelled, code.fields))})"


def type_spelled(text: str) -> TypeCode:
    """The type that `spelled` writes as this text.

    Raises:
        ImportError, AttributeError: there is no such named tuple.
    """
    if not text.endswith(")"):
        return text
    name, _, fields = text[:-1].partition("(")
    module, _, made = name.rpartition(".")
    tuple_class: type = getattr(importlib.import_module(module), made)
    return TupleType(tuple_class, tuple(map(type_spelled, _split(fields))))


def _split(fields: str) -> Iterator[str]:
    """The fields of a named tuple, which may be named tuples with fields of their own."""
    depth = start = 0
    for position, character in enumerate(fields):
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            yield fields[start:position]
            start = position + 2
    yield fields[start:]


def flat_types(types: Iterable[TypeCode]) -> Iterator[str]:
    """The types of arrays and numbers, with the fields of each named tuple in its place."""
    for code in types:
        if isinstance(code, TupleType):
            yield from flat_types(code.fields)
        else:
            yield code


def flat_values(arguments: Iterable[Any]) -> Iterator[Any]:
    """The arrays and numbers in the order of `flat_types`."""
    for argument in arguments:
        if isinstance(argument, tuple):
            yield from flat_values(argument)
        else:
            yield argument
