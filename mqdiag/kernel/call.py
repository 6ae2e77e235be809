"""The decorator of kernels: picks the machine code for the types of the arguments."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, overload

import numpy as np

_loading = threading.Lock()
_INT64 = range(-(1 << 63), 1 << 63)


class Kernel:
    """A function over arrays and numbers that runs as machine code, outside of the GIL.

    It may call other kernels, allocates nothing, and returns nothing, a number or a tuple of
    numbers. Calls made from Python compile it at the first call with arguments of these types, if it was not
    compiled on this machine before.
    """

    def __init__(self, function: Callable[..., Any], *, inline: bool) -> None:
        self.function = function
        """what it does, in Python"""
        self.inline = inline
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self.__module__ = function.__module__
        self._natives: dict[tuple[str, ...], Callable[..., Any]] = {}

    def __call__(self, *arguments: Any) -> Any:
        """Run it."""
        types = tuple(map(type_code, arguments))
        native = self._natives.get(types)
        if native is None:
            native = self._load(types)
        return native(*arguments)

    def _load(self, types: tuple[str, ...]) -> Callable[..., Any]:
        from mqdiag.kernel.native import load

        with _loading:
            if types not in self._natives:
                self._natives[types] = load(self, types)
            return self._natives[types]


@overload
def kernel(function: Callable[..., Any]) -> Kernel: ...
@overload
def kernel(*, inline: bool) -> Callable[[Callable[..., Any]], Kernel]: ...
def kernel(
    function: Callable[..., Any] | None = None, *, inline: bool = False
) -> Kernel | Callable[[Callable[..., Any]], Kernel]:
    """Make a kernel of a function.

    Args:
        function: the function.
        inline: copy it into its callers before types are known, as the hottest loops want it.
    """
    if function is None:
        return lambda given: Kernel(given, inline=inline)
    return Kernel(function, inline=inline)


def type_code(value: Any) -> str:
    """What decides which machine code fits an argument.

    A number gives its dtype ("<i8"); an array its dtype, dimensions, layout (C or any), and whether it can be
    written and is aligned ("<u4 1 Cwa").
    """
    if isinstance(value, np.ndarray):
        flags = value.flags
        layout = "C" if flags.c_contiguous else "A"
        written = "w" if flags.writeable else "r"
        return f"{value.dtype.str} {value.ndim} {layout}{written}{'a' if flags.aligned else 'u'}"
    if isinstance(value, bool | np.bool_):
        return "|b1"
    if isinstance(value, int):
        return "<i8" if value in _INT64 else "<u8"
    if isinstance(value, float):
        return "<f8"
    if isinstance(value, np.generic):
        return value.dtype.str
    raise TypeError(f"a kernel takes arrays and numbers, not {type(value).__name__}")
