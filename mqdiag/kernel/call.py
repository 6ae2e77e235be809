"""The decorator of kernels: picks the machine code for the types of the arguments."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, overload

from mqdiag.kernel.definition import KernelFunction, TypeCode, type_code
from mqdiag.kernel.mode import fall_back, uses_numba
from mqdiag.text import say

_loading = threading.Lock()


class Kernel(KernelFunction):
    """A function over arrays and numbers that runs as machine code, outside of the GIL.

    An argument is an array, a number, or a `typing.NamedTuple` of these: arrays that belong together travel as one
    argument and keep their names. A kernel may call other kernels, allocates nothing, and returns nothing, a number
    or a tuple of numbers. Calls made from Python compile it at the first call with arguments of these types, if it
    was not compiled on this machine before.
    """

    def __init__(self, function: Callable[..., Any], *, inline: bool) -> None:
        super().__init__(function, inline=inline)
        self._natives: dict[tuple[TypeCode, ...], Callable[..., Any]] = {}

    def __call__(self, *arguments: Any) -> Any:
        """Run it."""
        types = tuple(map(type_code, arguments))
        native = self._natives.get(types)
        if native is None:
            native = self._load(types)
        return native(*arguments)

    def _load(self, types: tuple[TypeCode, ...]) -> Callable[..., Any]:
        with _loading:
            if types not in self._natives:
                self._natives[types] = _by_numba(self, types) if uses_numba() else _compiled(self, types)
            return self._natives[types]


def _compiled(kernel: Kernel, types: tuple[TypeCode, ...]) -> Callable[..., Any]:
    try:
        from mqdiag.kernel.native import load

        return load(kernel, types)
    except Exception as error:
        # Any fault: a numba or llvmlite to come may differ in what nobody can foresee. But when numba cannot compile
        # the kernel either, then the kernel is wrong, and this raises what numba says.
        call = _by_numba(kernel, types)
        fall_back(say("{reason}", reason=str(error) or type(error).__name__))
        return call


def _by_numba(kernel: Kernel, types: tuple[TypeCode, ...]) -> Callable[..., Any]:
    from mqdiag.kernel.build import dispatcher

    return dispatcher(kernel, types)


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
