"""A kernel's machine code, made by numba; the only module that imports it."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from ctypes import sizeof
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
from llvmlite import ir
from numba import __version__ as numba_version
from numba import from_dtype, njit
from numba import types as numba_types
from numba.core.registry import cpu_target

from mqdiag.kernel.definition import MAY_CALL, SCALARS, KernelFunction, TupleType, TypeCode, flat_types

_CALLABLE = ("nogil",)
_BARE = ("nogil", "no_cpython_wrapper", "no_cfunc_wrapper")
_DECLARED = re.compile(r'^declare [^@]*@"?([\w.$]+)"?\(', re.MULTILINE)


def build(kernel: KernelFunction, types: tuple[TypeCode, ...]) -> tuple[str, tuple[str, ...] | None, bytes]:
    """Compile for arguments of these types.

    Returns:
        The function's symbol, the kinds of its results (None when it returns nothing) and the object code.

    Raises:
        NotImplementedError: the kernel does what `native` cannot call, or numba has another calling convention.
    """
    function = _module_scope(kernel.__module__, _BARE)[kernel.__name__]
    arguments = tuple(map(_numba_type, types))
    function.compile(arguments)
    compiled = function.overloads[arguments]
    name = f"{kernel.__module__}.{kernel.__name__}"
    results = _results(name, compiled.signature.return_type)
    _check_convention(name, compiled.fndesc, types)
    declared = _DECLARED.findall(compiled.library.get_llvm_str())
    calls = [call for call in declared if call not in MAY_CALL and not call.startswith("llvm.")]
    if calls:
        raise NotImplementedError(
            f"{name} calls {', '.join(calls)}; a kernel allocates nothing and calls nothing"
        )
    _, _, (code, _) = compiled.library.serialize_using_object_code()
    return compiled.fndesc.llvm_func_name, results, code


def dispatcher(kernel: KernelFunction, types: tuple[TypeCode, ...]) -> Callable[..., Any]:
    """Numba's own callable, compiled in memory for arguments of these types.

    Raises:
        Exception: numba cannot compile the kernel for them.
    """
    function = _module_scope(kernel.__module__, _CALLABLE)[kernel.__name__]
    function.compile(tuple(map(_numba_type, types)))
    call: Callable[..., Any] = function
    return call


@cache
def _module_scope(module: str, options: tuple[str, ...]) -> dict[str, Any]:
    """The globals of a kernel file with numba's dispatchers in the place of its kernels."""
    source: ModuleType = sys.modules[module]
    scope = dict(vars(source))
    for name, value in vars(source).items():
        if isinstance(value, KernelFunction) and value.__module__ != module:
            scope[name] = _module_scope(value.__module__, options)[value.__name__]
        elif isinstance(value, KernelFunction):
            plain = value.function
            copied = FunctionType(plain.__code__, scope, name, plain.__defaults__)
            copied.__module__ = module
            inline = "always" if value.inline else "never"
            keywords: dict[str, Any] = {"inline": inline} | dict.fromkeys(options, True)
            scope[name] = njit(**keywords)(copied)
    return scope


def _numba_type(code: TypeCode) -> Any:
    if isinstance(code, TupleType):
        fields = tuple(map(_numba_type, code.fields))
        make_tuple: Any = numba_types.BaseTuple.from_types
        return make_tuple(fields, code.tuple_class)
    dtype, _, rest = code.partition(" ")
    scalar = from_dtype(np.dtype(dtype))
    if not rest:
        return scalar
    dimensions, flags = rest.split(" ")
    make: Any = numba_types.Array
    return make(scalar, int(dimensions), flags[0], readonly=flags[1] == "r", aligned=flags[2] == "a")


def _results(name: str, kind: Any) -> tuple[str, ...] | None:
    if isinstance(kind, numba_types.NoneType):
        return None
    is_tuple = isinstance(kind, numba_types.BaseTuple)
    parts: list[Any] = list(kind.types) if is_tuple else [kind]
    if is_tuple and len(parts) < 2:
        raise NotImplementedError(f"{name} returns {kind}")
    codes = []
    for part in parts:
        if not isinstance(part, numba_types.Number | numba_types.Boolean):
            raise NotImplementedError(f"{name} returns {kind}; a kernel returns numbers")
        codes.append(np.dtype(str(part) if part is not numba_types.boolean else "bool").str[1:])
    return tuple(codes)


def _check_convention(name: str, described: Any, types: tuple[TypeCode, ...]) -> None:
    """Hold numba's own word on the function's type against what `native` passes."""
    context = cpu_target.target_context
    made = context.call_conv.get_function_type(described.restype, described.argtypes)
    wanted: list[int | None] = [None, None]
    for code in flat_types(types):
        if " " in code:
            wanted += [None, None, 64, 64, None, *[64] * (2 * int(code.split(" ")[1]))]
        else:
            wanted.append(8 * sizeof(SCALARS[code[1:]]))
    found = [_width(part) for part in made.args]
    if _width(made.return_type) != 32 or found != wanted:
        raise NotImplementedError(f"{name}: numba {numba_version} passes arguments in another way")


def _width(part: Any) -> int | None:
    """Bits of a number; None of a pointer."""
    if isinstance(part, ir.PointerType):
        return None
    if isinstance(part, ir.IntType):
        return int(part.width)
    return {"float": 32, "double": 64}[str(part)]
